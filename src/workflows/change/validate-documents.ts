/** The rules for each document of a plan. High findings block the plan; the others are shown. */

import { dependencyOrder } from '../../documents/dependency-order.ts';
import { Reporter, type Finding } from '../../documents/finding.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { proposalHeadings, type Proposal } from '../../documents/proposal.ts';
import { fileId, type Spec } from '../../documents/spec.ts';
import { specMeant } from '../../documents/spec-names.ts';
import { specRefParts, type Task, type TaskList } from '../../documents/tasks.ts';
import { changeFolder } from './change-paths.ts';
import { groupOf, groupOfRest, orderSpecs } from './read-documents.ts';

/** By path or by id; null for one that cannot be read. */
type Specs = ReadonlyMap<string, Spec | null>;

/** Returns the specs in the order in which they are worked on; null when there is none. */
export function validateProposal(
  { proposal, bodyLine }: { readonly proposal: Proposal; readonly bodyLine: number },
  run: string,
  specs: Specs,
  report: Reporter,
): SpecOrder {
  const { id, body, affectedSpecs } = proposal;
  if (id !== run) {
    const message = `the proposal's id is "${id}", but the folder is "${run}"`;
    report.high('change-id-mismatch', 1, message, `set id to ${run}`);
  }
  const headings = readHeadings(body);
  for (const heading of proposalHeadings(body, headings).missing)
    report.high('missing-heading', bodyLine, `"${heading}" is missing`, `add the section "${heading}"`);
  reportUndecided(report, 1, 'the summary', proposal.summary);
  for (const { text } of headings) reportUndecided(report, bodyLine, 'the heading', text);
  report.findings.push(...proposal.findings);
  reportAffected(affectedSpecs, run, specs, report);
  const order = orderSpecs(affectedSpecs);
  if ('cycle' in order) reportCycle(report, 'spec', 1, order.cycle);
  for (const { spec, dependency } of 'unknown' in order ? order.unknown : []) {
    const message = `the spec "${spec}" depends on "${dependency}", which is not in affected_specs`;
    const fix = `list "${dependency}" in affected_specs, or drop the dependency`;
    report.high('unknown-spec-dependency', 1, message, fix);
  }
  return 'ok' in order ? order.ok : null;
}

const UNDECIDED = /\b(?:TODO|TBD)\b/;

/** Only in capitals: a todo list is a fine thing to build. */
function reportUndecided(report: Reporter, line: number, what: string, title: string): void {
  if (UNDECIDED.test(title))
    report.high('undecided-title', line, `${what} "${title}" is not decided`, 'replace TODO or TBD by what is meant');
}

function reportCycle(report: Reporter, kind: 'spec' | 'task', line: number, cycle: readonly string[]): void {
  const message = `${kind}s depend on each other in a circle: ${cycle.join(' → ')}`;
  report.high(`${kind}-cycle`, line, message, 'drop one of these dependencies');
}

function reportAffected(affected: Proposal['affectedSpecs'], run: string, specs: Specs, report: Reporter): void {
  const folder = changeFolder(run);
  if (affected.length === 0) {
    // Without the list there is no order of work; a change without any spec is unusual but possible.
    const severity = specs.size > 0 ? 'high' : 'medium';
    const listing = 'list each spec as {id, path, depends}';
    return report[severity]('no-affected-specs', 1, 'affected_specs lists no spec', listing);
  }
  const unlisted = new Set(specs.keys());
  const ids = new Set<string>();
  for (const { id, path } of affected) {
    const files = [`${folder}/${path}`, path, `${folder}/specs/${id}.md`];
    const file = files.find((one) => specs.has(one));
    if (file === undefined) {
      const writing = `write specs/${id}.md, or take "${id}" out of affected_specs`;
      report.high('missing-spec', 1, `the affected spec "${id}" has no file ${path}`, writing);
    } else unlisted.delete(file);
    const once = 'list it once, or give each its path below specs/ as its id';
    if (ids.has(id)) report.high('duplicate-spec', 1, `"${id}" is listed twice in affected_specs`, once);
    ids.add(id);
    if (id === groupOfRest) report.high('reserved-spec-id', 1, `no spec may be called "${id}"`, 'give it another id');
  }
  const fix = 'list it in the proposal, or delete the file';
  for (const path of unlisted) report.medium('unlisted-spec', 1, `${path} is not in affected_specs`, fix);
}

/** Adds what it finds to `findings`. */
export function validateSpec(spec: Spec, file: string, findings: Finding[] = []): Finding[] {
  findings.push(...spec.findings);
  const report = new Reporter(file, findings);
  const id = fileId(file);
  if (!`/${file}`.endsWith(`/${spec.id}.md`))
    report.medium('spec-id-mismatch', 1, `the spec's id is "${spec.id}", but the file is ${id}.md`, `set id to ${id}`);
  const { requirements, scenarios, removed, renamed } = spec;
  const onlyRemoves = requirements.length === 0 && removed.length + renamed.length > 0;
  reportHeadings(spec, onlyRemoves, report);
  const requirementFix = 'add at least one "### R1: title" under "## Requirements"';
  if (requirements.length === 0 && !onlyRemoves)
    report.high('no-requirements', 1, 'the spec has no requirement', requirementFix);
  reportRequirements(spec, report);
  const scenarioFix = 'add at least one "### Scenario: name" under "## Acceptance Criteria"';
  if (scenarios.length === 0 && !onlyRemoves) report.high('no-scenarios', 1, 'the spec has no scenario', scenarioFix);
  reportScenarios(spec, report);
  for (const { language, start } of spec.codeBlocks) {
    const fix = 'say what it must do, or show the interface as a table or schema';
    if (programmingLanguages.has(language))
      report.medium('implementation-code', start + 1, `a spec holds no implementation code (${language})`, fix);
  }
  return findings;
}

/** Whether it says of any requirement that the permanent spec has or lacks it. */
export function speaksOfMain({ removed, renamed, requirements }: Spec): boolean {
  return removed.length > 0 || renamed.length > 0 || requirements.some(({ declared }) => declared !== null);
}

/** What the spec says of requirements of the permanent one, which archiving could not do as it is. */
export function validateAgainst(main: Spec | null, spec: Spec, path: string, report: Reporter): void {
  const has = (id: string): boolean => main?.requirements.some((one) => one.id === id) ?? false;
  const ids = main?.requirements.map(({ id }) => id).join(', ') || 'none';
  const lacks = (id: string, what: string, line: number): void => {
    const fix = `name a requirement that is there (${ids}), or drop it`;
    if (!has(id)) report.medium('no-such-requirement', line, `${id} is ${what}, but ${path} has no ${id}`, fix);
  };
  for (const id of spec.removed) lacks(id, 'removed', 1);
  for (const { from } of spec.renamed) lacks(from, 'renamed', 1);
  for (const { id, declared, line } of spec.requirements) {
    if (declared === 'modified') lacks(id, 'modified', line);
    if (declared === 'added' && has(id))
      report.medium('requirement-exists', line, `${id} is added, but ${path} has it already`, 'give it a new id');
  }
}

const required = [
  ['overview', '## Overview'],
  ['requirements', '## Requirements'],
  ['criteria', '## Acceptance Criteria'],
] as const;

function reportHeadings({ headings, sections, title }: Spec, onlyRemoves: boolean, report: Reporter): void {
  const first = headings.find(({ level }) => level === 1);
  const missing = (heading: string): void =>
    report.high('missing-heading', 1, `"${heading}" is missing`, `add the heading "${heading}"`);
  if (!first) missing('# title');
  for (const [kind, heading] of required) {
    if (!sections.some((section) => section.kind === kind)) missing(heading);
    if (onlyRemoves) break;
  }
  reportUndecided(report, first?.line ?? 1, 'the title', first?.text ?? title);
}

function reportRequirements({ requirements, removed, renamed }: Spec, report: Reporter): void {
  const idFix = 'give every requirement an id of its own';
  for (const { id, title, line } of requirements) {
    const first = requirements.find((one) => one.id === id)?.line;
    if (first !== line) report.high('duplicate-requirement', line, `${id} is already defined in line ${first}`, idFix);
    if (removed.includes(id) || renamed.some(({ from }) => from === id)) {
      const message = `${id} is removed or renamed, and defined in the same spec`;
      report.high('removed-and-kept', line, message, 'keep one of the two');
    }
    if (title === '') report.medium('missing-title', line, `${id} has no title`, `write "### ${id}: title"`);
    reportUndecided(report, line, `requirement ${id}`, title);
  }
}

function reportScenarios({ scenarios }: Spec, report: Reporter): void {
  const names = new Set<string>();
  for (const { name, line, when, then } of scenarios) {
    const lacks = (word: 'WHEN' | 'THEN'): void => {
      const code = `scenario-without-${word.toLowerCase()}`;
      report.high(code, line, `the scenario "${name}" has no ${word}`, `add a line "- **${word}** …"`);
    };
    if (!when.some((step) => step !== '')) lacks('WHEN');
    if (!then.some((step) => step !== '')) lacks('THEN');
    const fix = 'give every scenario a name of its own';
    if (names.has(name)) report.medium('duplicate-scenario', line, `there are two scenarios "${name}"`, fix);
    reportUndecided(report, line, 'scenario', name);
    names.add(name);
  }
}

const programmingLanguages = new Set(
  (
    'javascript js jsx typescript ts tsx python py ruby rb go golang rust rs java kotlin kt scala swift c cpp c++ cc csharp cs c# ' +
    'objc objective-c php perl lua elixir ex erlang haskell hs ocaml clojure dart r julia zig nim groovy vue svelte bash sh shell zsh powershell ps1'
  ).split(' '),
);

/** Spec ids in the order of work; null when there is none. */
type SpecOrder = readonly string[] | null;

export function validateTasks(list: TaskList, specs: Specs, order: SpecOrder, report: Reporter): void {
  report.findings.push(...list.findings);
  const layers = 'add "## 1. Data Layer", "## 2. Logic Layer", "## 3. Integration Layer" or "## 4. Testing Layer"';
  if (list.tasks.length === 0)
    report.high('no-tasks', 1, 'there is no task', 'add at least one "### Task 1.1: title" with its yaml block');
  else if (list.layers.length === 0) report.medium('missing-heading', 1, 'there is no layer heading', layers);
  for (const task of list.tasks) {
    const { id, title, line } = task;
    if (title === '') report.medium('missing-title', line, `task ${id} has no title`, `write "### Task ${id}: title"`);
    reportUndecided(report, line, `task ${id}`, title);
    reportReferences(task, specs, report);
  }
  if (list.tasks.some(({ dependsOn }) => dependsOn.length > 0)) reportDependencies(list.tasks, order, report);
}

function reportReferences({ id, line, specRef }: Task, specs: Specs, report: Reporter): void {
  const wrong = (message: string, fix: string): void => report.high('unresolved-spec-ref', line, message, fix);
  const lacks = (what: string, owner: string, known: readonly string[]): void => {
    const fix = `refer to one of: ${known.join(', ') || 'no spec yet'}`;
    const message = `task ${id} refers to ${what}, which ${owner} does not have`;
    // A place that is no requirement only helps readers to find it.
    if (owner === 'the change' || REQUIREMENT_ID.test(what)) wrong(message, fix);
    else report.medium('unresolved-anchor', line, message, fix);
  };
  const references = specRefParts(specRef);
  if (specRef !== null && references.length === 0)
    wrong(`task ${id} has the unreadable spec_ref "${specRef}"`, 'write it as "spec-id:R1"');
  for (const { spec, requirement } of references) {
    const found = specs.get(specs.has(spec) ? spec : (specMeant(spec, specs.keys()) ?? spec));
    if (found === undefined) lacks(`the spec "${spec}"`, 'the change', [...specs.keys()]);
    else if (found !== null && requirement !== null && !names(found, requirement)) {
      const known = found.requirements.map((one) => one.id);
      lacks(requirement, `the spec "${spec}"`, known);
    }
  }
}

/** A task may also carry out a removal or a renaming, or name a heading as a link does: `#r1-login`, `#overview`. */
function names({ requirements, removed, renamed, headings }: Spec, reference: string): boolean {
  const requirement = REQUIREMENT_ID.exec(reference)?.[1]?.toUpperCase() ?? reference.toUpperCase();
  const anchor = anchorOf(reference);
  return (
    requirements.some(({ id }) => id === requirement) ||
    removed.includes(requirement) ||
    renamed.some(({ from, to }) => from === requirement || to === requirement) ||
    (anchor !== '' && headings.some(({ text }) => anchorOf(text).startsWith(anchor)))
  );
}

const REQUIREMENT_ID = /^((?:[A-Za-z][A-Za-z0-9]*-)*R\d+)(?![A-Za-z0-9])/i;

/** Tools differ in what they make of points and blanks. */
const anchorOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function reportDependencies(tasks: readonly Task[], order: SpecOrder, report: Reporter): void {
  const rank = order && new Map(order.map((id, index) => [id, index]));
  const rankOf = new Map(tasks.map((task) => [task.id, rank?.get(groupOf(task, rank)) ?? Infinity]));
  for (const { id, line, dependsOn } of tasks) {
    for (const needed of dependsOn) {
      const there = rankOf.get(needed);
      if (there === undefined) {
        const message = `task ${id} depends on ${needed}, which does not exist`;
        report.high('unresolved-dependency', line, message, 'name an existing task, or drop it from depends_on');
      } else if (rank && there > (rankOf.get(id) ?? 0)) {
        const message = `task ${id} depends on ${needed}, which belongs to a spec that is worked on later`;
        const fix = 'turn the dependency around, or add it to the specs in affected_specs[].depends';
        report.high('depends-on-later-group', line, message, fix);
      }
    }
  }
  const sorted = dependencyOrder(tasks.map(({ id, dependsOn }) => ({ id, depends: dependsOn })));
  if (!('cycle' in sorted)) return;
  // As in a map, the last of several tasks with one id counts.
  reportCycle(report, 'task', tasks.findLast(({ id }) => id === sorted.cycle[0])?.line ?? 1, sorted.cycle);
}
