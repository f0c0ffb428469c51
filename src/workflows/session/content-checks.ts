/** What documents must contain before their step counts as done. */

import { runsShell, splitCommand } from '../../documents/command-line.ts';
import { readFences, headingsIn, type Heading } from '../../documents/markdown.ts';
import type { Finding } from '../../documents/finding.ts';
import type { Criterion } from './files/acceptance-file.ts';
import type { SessionTask, TasksFile } from './files/tasks-file.ts';

/** Something wrong in a document, wherever it lies. */
export type Flaw = Omit<Finding, 'path' | 'severity'>;

function flaw(code: string, message: string, fix: string): Flaw {
  return { code, line: null, message, fix };
}

/** One line, for people and for models. */
export function flawText({ message, fix }: Flaw): string {
  return `${message}; ${fix}`;
}

export function specFlaws(text: string, { lean }: { readonly lean: boolean }): Flaw[] {
  return sectionFlaws(text, ['Goals', 'Acceptance Criteria', ...(lean ? [] : (['Definition of Done'] as const))]);
}

/** Ids of what the spec requires, in the order in which they stand in its sections of requirements and criteria. */
export function requirementIds(specText: string): string[] {
  const stated = sectionsOf(specText).filter(({ heading }) => /requirement|acceptance|criteria/i.test(heading.text));
  const ids = stated.flatMap(({ heading, body }) => `${heading.text}\n${body}`.match(REQUIREMENT_ID) ?? []);
  return [...new Set(ids)].filter((id) => !OTHER_STANDARDS.test(id));
}

const REQUIREMENT_ID = /(?<![\w-])[A-Z]{1,5}-\d{1,4}(?![\w-])/g;
/** Looks like an id, but is the name of a standard. */
const OTHER_STANDARDS = /^(?:UTF|ISO|SHA|AES|RFC|RSA|MD|TLS|HTTP|ES|CVE|CWE|UD|T)-/;

export function architectureFlaws(text: string, specText: string): Flaw[] {
  const missing = requirementIds(specText).filter((id) => !new RegExp(String.raw`(?<![\w-])${id}(?![\w-])`).test(text));
  const message = `The architecture does not mention ${missing.join(', ')} of the spec`;
  return [
    ...sectionFlaws(text, ['Overview', 'Modules', 'Risks']),
    ...(missing.length === 0 ? [] : [flaw('requirement-ignored', message, 'say which part fulfils each of them.')]),
  ];
}

export function reportFlaws(text: string): Flaw[] {
  return sectionFlaws(text, ['What was done', 'How to run', 'How to test', 'Known issues']);
}

/** What stands under the first heading that matches; empty where there is none. */
export function sectionUnder(text: string, heading: RegExp): string {
  return (
    sectionsOf(text)
      .find((section) => heading.test(section.heading.text))
      ?.body.trim() ?? ''
  );
}

/** Whether a path still has a gap to be filled, such as `<session>`, `{id}` or `YYYY-MM-DD`. */
export function hasPlaceholder(path: string): boolean {
  return PLACEHOLDER.test(path);
}

/** Capitals only: `todo-list.ts` and `[slug]` are names people give to files. */
const PLACEHOLDER =
  /<[^<>/]*>|\{[^{}]*\}|\[session\]|YYYY|MM-DD|\b[XN]{3,}\b|(?<![A-Za-z])(?:TODO|TBD|FIXME|PLACEHOLDER)(?![A-Za-z])|\.{3}|…|\$\w/;

/** Each section by the headings that count as it, and what stands there. Non-goals are no goals. */
const sections = {
  Goals: [/(?<!\bnon[- ]?)(?:goals?|objectives?)\b/i, 'what shall be reached'],
  'Acceptance Criteria': [/\bacceptance[ -]criteri(?:a|on)\b/i, 'what must hold in the end'],
  'Definition of Done': [/\bdefinition of done\b|\bDoD\b/i, 'when the work counts as done'],
  Overview: [/\boverview\b/i, 'the solution in a few sentences'],
  Modules: [/\b(?:modules?|components?)\b/i, 'the parts and what each is for'],
  Risks: [/\brisks?\b/i, 'what may go wrong, or that nothing is known'],
  'What was done': [
    /\bwhat (?:was|has been|we|is|got) (?:done|built|changed|implemented|did)\b|^[\d. ]*(?:summary|changes|what changed)\b/i,
    'what the session has changed',
  ],
  'How to run': [
    /\b(?:how to|to)\s+(?:[\w, ]+ and )?(?:run|start|use)\b|^[\d. ]*(?:running|usage)\b/i,
    'the commands to run it',
  ],
  'How to test': [
    /\bhow to\s+(?:[\w, ]+ and )?(?:test|verify)\b|^[\d. ]*(?:testing|tests)\b/i,
    'the commands to test it',
  ],
  'Known issues': [
    /\bknown (?:issues?|problems?|limitations?)\b|^[\d. ]*limitations\b/i,
    'what is left open, or "None"',
  ],
} as const;

function sectionFlaws(text: string, names: readonly (keyof typeof sections)[]): Flaw[] {
  const found = sectionsOf(text);
  return names.flatMap((name) => {
    const [heading, content] = sections[name];
    const [first, ...others] = found.filter((section) => heading.test(section.heading.text));
    if (!first)
      return [flaw('section-missing', `There is no section "${name}"`, `add a heading "## ${name}" with ${content}.`)];
    if ([first, ...others].some(({ body }) => hasText(body))) return [];
    return [flaw('section-empty', `The section "${first.heading.text}" is empty`, `write ${content}.`)];
  });
}

interface Section {
  readonly heading: Heading;
  /** Everything up to the next heading of the same or a higher level, subsections included. */
  readonly body: string;
}

function sectionsOf(text: string): Section[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const headings = headingsIn(lines, readFences(lines));
  return headings.map((heading, index) => {
    const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
    return { heading, body: lines.slice(heading.line, next ? next.line - 1 : lines.length).join('\n') };
  });
}

/** Comments, rules, headings and a bare list mark say nothing. */
function hasText(body: string): boolean {
  const said = body.replaceAll(/<!--[^]*?(?:-->|$)/g, '').replaceAll(/^\s*#{1,6}(?:\s.*)?$/gm, '');
  return /[\p{L}\p{N}]/u.test(said);
}

/** What criteria that can be read still lack. */
export function criteriaFlaws(criteria: readonly Criterion[]): Flaw[] {
  if (criteria.length === 0) return [flaw('no-criteria', 'There are no acceptance criteria', 'state at least one.')];
  const example = 'add one such as "cmd: npm test" or "manual: look at …".';
  return criteria.flatMap(({ id, description, verify }) => [
    ...(/^AC-\d{3,6}$/.test(id)
      ? []
      : [flaw('criterion-id', `${id} is no id of a criterion`, 'number them AC-001, AC-002 and so on.')]),
    ...(description === '' ? [flaw('criterion-empty', `${id} has no description`, 'say what must hold.')] : []),
    ...(verify.length === 0 ? [flaw('criterion-unverified', `${id} has no verify`, example)] : []),
    ...verify.flatMap((entry) => commandFlaws(id, entry)),
  ]);
}

export interface PlanRules {
  /** Ids of acceptance.json, to which a check may refer. */
  readonly acceptanceIds?: readonly string[];
  /** A lean session has exactly one task. */
  readonly lean?: boolean;
}

/** What a plan that can be read still lacks. */
export function planFlaws({ tasks }: TasksFile, { acceptanceIds = [], lean = false }: PlanRules = {}): Flaw[] {
  if (tasks.length === 0) return [flaw('no-tasks', 'There are no tasks', 'plan at least one.')];
  const many = `A lean session has exactly one task, not ${tasks.length}`;
  return [
    ...(lean && tasks.length > 1 ? [flaw('not-lean', many, 'put the work into one task.')] : []),
    ...tasks.flatMap((task) => taskFlaws(task, acceptanceIds)),
  ];
}

function taskFlaws(task: SessionTask, acceptanceIds: readonly string[]): Flaw[] {
  const { id, title, goal, left_out: leftOut = [], acceptance_checks: checks, done_when: done } = task;
  const lacks = (isSo: boolean, what: string, fix: string): Flaw[] =>
    isSo ? [flaw('task-incomplete', `${id} ${what}`, fix)] : [];
  return [
    ...lacks(title === '' && goal === '', 'has neither title nor goal', 'say what it is for.'),
    ...lacks(leftOut.includes('depends_on'), 'does not say what it depends on', 'add depends_on, [] for nothing.'),
    ...lacks(checks.length === 0, 'has no acceptance_checks', 'add one such as "cmd: npm test".'),
    ...checks.flatMap((check) => checkFlaws(id, check, acceptanceIds)),
    ...lacks(done.length === 0, 'has no done_when', 'say by what one sees that it is done.'),
  ];
}

function checkFlaws(id: string, check: string, acceptanceIds: readonly string[]): Flaw[] {
  if (/^[A-Z]{1,5}-\d{1,4}$/.test(check)) {
    const message = `${id}: the acceptance check ${check} is no criterion of acceptance.json`;
    const fix = 'name one of its ids or write "cmd: …".';
    return acceptanceIds.includes(check) ? [] : [flaw('unknown-criterion', message, fix)];
  }
  const [, kind, text = ''] = /^(cmd|manual):\s*(.*)$/s.exec(check) ?? [];
  if (kind === undefined) {
    const message = `${id}: the acceptance check ${JSON.stringify(check)} is neither "cmd: …" nor "manual: …"`;
    return [flaw('unknown-check', message, 'begin it with one of them.')];
  }
  if (text.trim() === '')
    return [flaw('check-empty', `${id}: an acceptance check "${kind}:" is empty`, 'say what is to be checked.')];
  return commandFlaws(id, check);
}

/** The command of an entry `cmd: …`. */
export function commandOf(entry: string): string | undefined {
  return /^cmd:\s*(.*)$/is.exec(entry)?.[1];
}

function commandFlaws(id: string, entry: string): Flaw[] {
  const command = commandOf(entry);
  const read = command === undefined ? { argv: [] } : splitCommand(command);
  return 'argv' in read ? [] : [flaw('no-command', `${id}: "${entry}" cannot be run: ${read.problem}`, `${read.fix}.`)];
}

/** A check that asks for a shell, which only the configuration can allow. */
export function shellFlaws(id: string, entry: string): Flaw[] {
  const command = commandOf(entry);
  const read = command === undefined ? { argv: [] } : splitCommand(command);
  if (!('argv' in read) || !runsShell(read.argv)) return [];
  const fix = 'name the program itself, or set allow_shell = true under [session] in pawl.toml.';
  return [flaw('wants-shell', `${id}: "${entry}" wants a shell`, fix)];
}
