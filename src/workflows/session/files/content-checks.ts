/** What documents must contain before their step counts as done. Each problem is a sentence that says what to do. */

import { readFences } from '../../../documents/fences.ts';
import { headingsIn, type Heading } from '../../../documents/headings.ts';

export function specProblems(text: string, { lean }: { readonly lean: boolean }): string[] {
  const needed = [GOALS, CRITERIA, ...(lean ? [] : [DEFINITION_OF_DONE])];
  return sectionProblems(text, needed);
}

/** Ids of what the spec requires, in the order in which they stand in its sections of requirements and criteria. */
export function requirementIds(specText: string): string[] {
  const sections = sectionsOf(specText).filter(({ heading }) => /requirement|acceptance|criteria/i.test(heading.text));
  const ids = sections.flatMap(({ heading, body }) => `${heading.text}\n${body}`.match(REQUIREMENT_ID) ?? []);
  return [...new Set(ids)].filter((id) => !OTHER_STANDARDS.test(id));
}

export function architectureProblems(text: string, specText: string): string[] {
  const missing = requirementIds(specText).filter((id) => !new RegExp(String.raw`(?<![\w-])${id}(?![\w-])`).test(text));
  const unmentioned =
    missing.length === 0
      ? []
      : [`The architecture does not mention ${missing.join(', ')} of the spec; say which part fulfils each of them.`];
  return [...sectionProblems(text, [OVERVIEW, MODULES, RISKS]), ...unmentioned];
}

export function reportProblems(text: string): string[] {
  return sectionProblems(text, [WHAT_WAS_DONE, HOW_TO_RUN, HOW_TO_TEST, KNOWN_ISSUES]);
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

interface Needed {
  readonly name: string;
  readonly heading: RegExp;
  readonly content: string;
}

/** Non-goals are no goals. */
const GOALS: Needed = {
  name: 'Goals',
  heading: /(?<!\bnon[- ]?)(?:goals?|objectives?)\b/i,
  content: 'what shall be reached',
};
const CRITERIA: Needed = {
  name: 'Acceptance Criteria',
  heading: /\bacceptance[ -]criteri(?:a|on)\b/i,
  content: 'what must hold in the end',
};
const DEFINITION_OF_DONE: Needed = {
  name: 'Definition of Done',
  heading: /\bdefinition of done\b|\bDoD\b/i,
  content: 'when the work counts as done',
};
const OVERVIEW: Needed = { name: 'Overview', heading: /\boverview\b/i, content: 'the solution in a few sentences' };
const MODULES: Needed = {
  name: 'Modules',
  heading: /\b(?:modules?|components?)\b/i,
  content: 'the parts and what each is for',
};
const RISKS: Needed = { name: 'Risks', heading: /\brisks?\b/i, content: 'what may go wrong, or that nothing is known' };
const WHAT_WAS_DONE: Needed = {
  name: 'What was done',
  heading:
    /\bwhat (?:was|has been|we|is|got) (?:done|built|changed|implemented|did)\b|^[\d. ]*(?:summary|changes|what changed)\b/i,
  content: 'what the session has changed',
};
const HOW_TO_RUN: Needed = {
  name: 'How to run',
  heading: /\b(?:how to|to)\s+(?:[\w, ]+ and )?(?:run|start|use)\b|^[\d. ]*(?:running|usage)\b/i,
  content: 'the commands to run it',
};
const HOW_TO_TEST: Needed = {
  name: 'How to test',
  heading: /\bhow to\s+(?:[\w, ]+ and )?(?:test|verify)\b|^[\d. ]*(?:testing|tests)\b/i,
  content: 'the commands to test it',
};
const KNOWN_ISSUES: Needed = {
  name: 'Known issues',
  heading: /\bknown (?:issues?|problems?|limitations?)\b|^[\d. ]*limitations\b/i,
  content: 'what is left open, or "None"',
};

const REQUIREMENT_ID = /(?<![\w-])[A-Z]{1,5}-\d{1,4}(?![\w-])/g;
/** Looks like an id, but is the name of a standard. */
const OTHER_STANDARDS = /^(?:UTF|ISO|SHA|AES|RFC|RSA|MD|TLS|HTTP|ES|CVE|CWE|UD|T)-/;

function sectionProblems(text: string, needed: readonly Needed[]): string[] {
  const sections = sectionsOf(text);
  return needed.flatMap(({ name, heading, content }) => {
    const found = sections.filter((section) => heading.test(section.heading.text));
    if (found.length === 0) return [`There is no section "${name}"; add a heading "## ${name}" with ${content}.`];
    const empty = found.every(({ body }) => !hasText(body));
    return empty ? [`The section "${found[0]?.heading.text ?? name}" is empty; write ${content}.`] : [];
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
