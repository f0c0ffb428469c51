import { reporter, type Finding, type Reporter } from '../../documents/finding.ts';
import type { Requirement, Scenario, Spec } from '../../documents/spec.ts';
import { reportUndecided } from './undecided.ts';

export function validateSpec(spec: Spec, file: string): Finding[] {
  const report = reporter(file);
  const fileId = file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/, '');
  if (spec.id !== fileId) {
    const message = `the spec's id is "${spec.id}", but the file is ${fileId}.md`;
    report.medium('spec-id-mismatch', 1, message, `set id to ${fileId}`);
  }
  checkHeadings(spec, report);
  checkRequirements(spec, report);
  checkScenarios(spec, report);
  checkCode(spec, report);
  return [...spec.findings, ...report.findings];
}

const requiredSections = [
  { kind: 'overview', heading: '## Overview' },
  { kind: 'requirements', heading: '## Requirements' },
  { kind: 'criteria', heading: '## Acceptance Criteria' },
] as const;

/** A spec that only takes away needs neither requirements nor scenarios. */
function onlyTakesAway({ requirements, removed, renamed }: Spec): boolean {
  return requirements.length === 0 && removed.length + renamed.length > 0;
}

function checkHeadings(spec: Spec, report: Reporter): void {
  const missing: string[] = [];
  const title = spec.headings.find(({ level }) => level === 1);
  if (!title) missing.push('# title');
  for (const { kind, heading } of requiredSections) {
    if (kind !== 'overview' && onlyTakesAway(spec)) continue;
    if (!spec.sections.some((section) => section.kind === kind)) missing.push(heading);
  }
  for (const heading of missing)
    report.high('missing-heading', 1, `"${heading}" is missing`, `add the heading "${heading}"`);
  reportUndecided(report, title?.line ?? 1, 'the title', title?.text ?? spec.title);
}

function checkRequirements(spec: Spec, report: Reporter): void {
  if (spec.requirements.length === 0 && !onlyTakesAway(spec)) {
    const fix = 'add at least one "### R1: title" under "## Requirements"';
    report.high('no-requirements', 1, 'the spec has no requirement', fix);
  }
  const first = new Map<string, Requirement>();
  const gone = new Set([...spec.removed, ...spec.renamed.map(({ from }) => from)]);
  for (const requirement of spec.requirements) {
    const { id, title, line } = requirement;
    const before = first.get(id);
    if (before) {
      const message = `${id} is already defined in line ${before.line}`;
      report.high('duplicate-requirement', line, message, 'give every requirement an id of its own');
    } else first.set(id, requirement);
    if (gone.has(id)) {
      const message = `${id} is removed or renamed, and defined in the same spec`;
      report.high('removed-and-kept', line, message, 'keep one of the two');
    }
    if (title === '') report.medium('missing-title', line, `${id} has no title`, `write "### ${id}: title"`);
    reportUndecided(report, line, `requirement ${id}`, title);
  }
}

function checkScenarios(spec: Spec, report: Reporter): void {
  if (spec.scenarios.length === 0 && !onlyTakesAway(spec)) {
    const fix = 'add at least one "### Scenario: name" under "## Acceptance Criteria"';
    report.high('no-scenarios', 1, 'the spec has no scenario', fix);
  }
  const names = new Set<string>();
  for (const scenario of spec.scenarios) {
    checkSteps(scenario, report);
    const { name, line } = scenario;
    if (names.has(name)) {
      const message = `there are two scenarios "${name}"`;
      report.medium('duplicate-scenario', line, message, 'give every scenario a name of its own');
    }
    reportUndecided(report, line, 'scenario', name);
    names.add(name);
  }
}

function checkSteps({ name, when, then, line }: Scenario, report: Reporter): void {
  for (const [word, steps] of [
    ['WHEN', when],
    ['THEN', then],
  ] as const) {
    if (steps.some((step) => step !== '')) continue;
    const code = `scenario-without-${word.toLowerCase()}`;
    report.high(code, line, `the scenario "${name}" has no ${word}`, `add a line "- **${word}** …"`);
  }
}

const programmingLanguages = new Set(
  (
    'javascript js jsx typescript ts tsx python py ruby rb go golang rust rs java kotlin kt scala swift c cpp c++ cc csharp cs c# ' +
    'objc objective-c php perl lua elixir ex erlang haskell hs ocaml clojure dart r julia zig nim groovy vue svelte bash sh shell zsh powershell ps1'
  ).split(' '),
);

function checkCode({ codeBlocks }: Spec, report: Reporter): void {
  for (const { language, start } of codeBlocks) {
    if (!programmingLanguages.has(language)) continue;
    const message = `a spec holds no implementation code (${language})`;
    const fix = 'say what it must do, or show the interface as a table or schema';
    report.medium('implementation-code', start + 1, message, fix);
  }
}
