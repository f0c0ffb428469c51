/** What documents must contain before their step counts as done. */

import type { Problem } from '../../engine/snapshot.ts';
import { resumeCommand } from './files/session-paths.ts';
import { splitCommand } from '../../documents/command-line.ts';
import { readFences, headingsIn, type Heading } from '../../documents/markdown.ts';
import type { Finding } from '../../documents/finding.ts';
import type { Criterion } from './files/acceptance-file.ts';
import type { SessionTask, TasksFile } from './files/tasks-file.ts';

export type Flaw = Omit<Finding, 'path' | 'severity'>;

function flawIf(isWrong: boolean, code: string, message: string, fix: string): Flaw[] {
  return isWrong ? [{ code, line: null, message, fix }] : [];
}

export function flawText({ message, fix }: Flaw): string {
  return `${message}; ${fix}`;
}

export function specFlaws(text: string, lean: boolean): Flaw[] {
  return sectionFlaws(text, ['Goals', 'Acceptance Criteria', ...(lean ? [] : (['Definition of Done'] as const))]);
}

/**
 * Ids of what the spec requires, in their order: whatever looks like one in its sections of requirements and criteria,
 * and ids of the usual kinds, or in front of an item, anywhere but among what is not to be done.
 */
export function requirementIds(specText: string): string[] {
  const sections = sectionsOf(specText);
  const stated = sections.filter(({ heading }) => /requirement|acceptance|criteria/i.test(heading.text));
  const beyond = sections.filter(({ heading }) => /\bnon[- ]?goals?\b|\bout of scope\b/i.test(heading.text));
  const left = new Set(beyond.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));
  const rest = linesOf(specText).filter((_, at) => !left.has(at));
  const named = new Set([
    ...stated.flatMap(({ heading, body }) => `${heading.text}\n${body}`.match(REQUIREMENT_ID) ?? []),
    ...(rest.join('\n').match(USUAL_ID) ?? []),
    ...rest.flatMap((line) => ITEM_ID.exec(line)?.[1] ?? []),
  ]);
  const all = specText.match(REQUIREMENT_ID) ?? [];
  return [...new Set(all)].filter((id) => named.has(id) && !OTHER_STANDARDS.test(id));
}

const REQUIREMENT_ID = /(?<![\w-])[A-Z]{1,5}-\d{1,4}(?![\w-])/g;
const USUAL_ID = /(?<![\w-])(?:REQ|FR|NFR|AC|US|UC|BR)-\d{1,4}(?![\w-])/g;
const ITEM_ID = /^[\s>|#*+\-_`[(]*(?:\d+[.)]\s+[*_`[(]*)?([A-Z]{1,5}-\d{1,4})(?![\w-])/;
/** Looks like an id, but is the name of a standard. */
const OTHER_STANDARDS = /^(?:UTF|ISO|SHA|AES|RFC|RSA|MD|TLS|HTTP|ES|CVE|CWE|UD|T)-/;

export function architectureFlaws(text: string, specText: string): Flaw[] {
  const mentioned = new Set(text.match(REQUIREMENT_ID) ?? []);
  const missing = requirementIds(specText).filter((id) => !mentioned.has(id));
  const message = `The architecture does not mention ${missing.join(', ')} of the spec`;
  return [
    ...sectionFlaws(text, ['Overview', 'Modules', 'Risks']),
    ...flawIf(missing.length > 0, 'requirement_ignored', message, 'say which part fulfils each of them.'),
  ];
}

export const reportFlaws = (text: string): Flaw[] =>
  sectionFlaws(text, ['What was done', 'How to run', 'How to test', 'Known issues']);

export function sectionUnder(text: string, heading: RegExp): string {
  const section = sectionsOf(text).find((each) => heading.test(each.heading.text));
  return section?.body.trim() ?? '';
}

/**
 * Whether a path still has a gap that a template left: `<session>`, `YYYY-MM-DD`, `ADR-NNN`, `…`, a word instead of a
 * path. `[...slug]`, `{id}.ts` and `$postId.tsx` are names that people give to files.
 */
export const hasPlaceholder = (path: string): boolean => PLACEHOLDER.test(path);
const PLACEHOLDER =
  /<[^<>/]*>|\{\{|\$\{|\[session\]|YYYY-MM|\bADR-[NX]+\b|(?:^|\/)(?:\.{3}|\$[A-Z_]+)(?:\/|$)|…|^(?:TODO|TBD|FIXME|PLACEHOLDER)$/;

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
    const named = found.filter((section) => heading.test(section.heading.text));
    const isEmpty = !named.some(({ body }) => hasText(body));
    const add = `add a heading "## ${name}" with ${content}.`;
    if (!named[0]) return flawIf(true, 'section_missing', `There is no section "${name}"`, add);
    return flawIf(isEmpty, 'section_empty', `The section "${named[0].heading.text}" is empty`, `write ${content}.`);
  });
}

interface Section {
  readonly heading: Heading;
  /** The lines of its body, as indices. */
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').split('\n');

/** A body reaches to the next heading of the same or a higher level, subsections included. */
function sectionsOf(text: string): Section[] {
  const lines = linesOf(text);
  /** By level, the line of the next heading. */
  const next = Array<number>(levelsMax + 1).fill(lines.length);
  const sections = headingsIn(lines, readFences(lines))
    .toReversed()
    .map((heading) => {
      const start = heading.line;
      const end = Math.min(...next.slice(0, heading.level + 1));
      next[heading.level] = heading.line - 1;
      return { heading, start, end, body: lines.slice(start, end).join('\n') };
    });
  return sections.toReversed();
}

const levelsMax = 6;

/** Comments, rules, headings, a bare list mark and a promise to write something later say nothing. */
function hasText(body: string): boolean {
  const said = body
    .replaceAll(/<!--[^]*?(?:-->|$)/g, '')
    .replaceAll(/^\s*#{1,6}(?:\s.*)?$/gm, '')
    .replaceAll(PUT_OFF, '');
  return /[\p{L}\p{N}]/u.test(said);
}

const PUT_OFF = /\b(?:TODO|TBD|FIXME|to be (?:done|defined|determined|written))\b/gi;

/** For documents without a form of their own; a title may say it all. */
export function emptyFlaws(text: string): Flaw[] {
  const isTitled = /^#+\s+\S/m.test(text) && text.search(PUT_OFF) === -1;
  return flawIf(!hasText(text) && !isTitled, 'document_empty', 'It says nothing yet', 'write what it is for.');
}

export function criteriaFlaws(criteria: readonly Criterion[]): Flaw[] {
  const example = 'add one such as "cmd: npm test" or "manual: look at …".';
  const number = 'number them AC-001, AC-002 and so on.';
  return [
    ...flawIf(criteria.length === 0, 'no_criteria', 'There are no acceptance criteria', 'state at least one.'),
    ...criteria.flatMap(({ id, description, verify }) => [
      ...flawIf(!/^AC-\d{3,6}$/.test(id), 'criterion_id', `${id} is not an id of a criterion`, number),
      ...flawIf(description === '', 'criterion_empty', `${id} has no description`, 'say what must hold.'),
      ...flawIf(verify.length === 0, 'criterion_unverified', `${id} has no verify`, example),
      ...verify.flatMap((entry) => entryFlaws(id, entry)),
    ]),
  ];
}

/** What a plan that can be read still lacks. Checks may refer to ids of acceptance.json; a lean session has one task. */
export function planFlaws({ tasks }: TasksFile, acceptanceIds: readonly string[], lean: boolean): Flaw[] {
  const many = `A lean session has exactly one task, not ${tasks.length}`;
  return [
    ...flawIf(tasks.length === 0, 'no_tasks', 'There are no tasks', 'plan at least one.'),
    ...flawIf(lean && tasks.length > 1, 'not_lean', many, 'put the work into one task.'),
    ...tasks.flatMap((task) => taskFlaws(task, acceptanceIds)),
  ];
}

function taskFlaws(task: SessionTask, acceptanceIds: readonly string[]): Flaw[] {
  const { id, title, goal, left_out: leftOut = [], acceptance_checks: checks, done_when: done } = task;
  const gaps = [...task.context_files, ...task.files_expected].filter(hasPlaceholder);
  const lacks = (isSo: boolean, what: string, fix: string) => flawIf(isSo, 'task_incomplete', `${id} ${what}`, fix);
  const isOwnId = /^T-\d{3,9}$/.test(id);
  return [
    ...flawIf(!isOwnId, 'task_id', `${id} is not an id of a task`, 'number them T-001, T-002 and so on.'),
    ...lacks(title === '' && goal === '', 'has neither title nor goal', 'say what it is for.'),
    ...lacks(leftOut.includes('depends_on'), 'does not say what it depends on', 'add depends_on, [] for nothing.'),
    ...lacks(checks.length === 0, 'has no acceptance_checks', 'add one such as "cmd: npm test".'),
    ...checks.flatMap((check) => checkFlaws(id, check, acceptanceIds)),
    ...lacks(done.length === 0, 'has no done_when', 'say by what one sees that it is done.'),
    ...gaps.flatMap((gap) => lacks(true, `names "${gap}", which still has a placeholder in it`, 'name the file.')),
  ];
}

function checkFlaws(id: string, check: string, acceptanceIds: readonly string[]): Flaw[] {
  if (/^[A-Z]{1,5}-\d{1,4}$/.test(check)) {
    const message = `${id}: the acceptance check ${check} is not a criterion of acceptance.json`;
    const isUnknown = !acceptanceIds.includes(check);
    return flawIf(isUnknown, 'unknown_criterion', message, 'name one of its ids or write "cmd: …".');
  }
  return entryFlaws(id, check);
}

function entryFlaws(id: string, check: string): Flaw[] {
  const [, kind, text = ''] = /^(cmd|manual):\s*(.*)$/is.exec(check) ?? [];
  const message = `${id}: the acceptance check ${JSON.stringify(check)} is neither "cmd: …" nor "manual: …"`;
  const empty = `${id}: an acceptance check "${kind}:" is empty`;
  if (kind === undefined) return flawIf(true, 'unknown_check', message, 'begin it with one of them.');
  if (text.trim() === '') return flawIf(true, 'check_empty', empty, 'say what is to be checked.');
  return commandFlaws(id, check);
}

/** Program and arguments of an entry `cmd: …`; none for any other. */
export function readCommand(entry: string): ReturnType<typeof splitCommand> {
  const command = /^cmd:\s*(.*)$/is.exec(entry)?.[1];
  return command === undefined ? { argv: [] } : splitCommand(command);
}

export function commandFlaws(id: string, entry: string): Flaw[] {
  const read = readCommand(entry);
  if ('argv' in read) return [];
  return flawIf(true, 'no_command', `${id}: "${entry}" cannot be run: ${read.problem}`, `${read.fix}.`);
}

export function problemOf(problems: readonly string[], run: string): Problem {
  const fix = `fix the files, or leave them to the agent, then run ${resumeCommand(run)}`;
  const restore = `(pawl restore ${run} brings back what is missing, pawl restore ${run} <path> a document)`;
  return { code: 'invalid_documents', message: [...problems, restore].join('\n'), fix };
}
