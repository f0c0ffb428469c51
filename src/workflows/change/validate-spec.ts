import type { Requirement, Scenario, Spec } from '../../documents/spec.ts';
import { UNDECIDED, undecided, type Finding } from './finding.ts';

type Report = (line: number, finding: Omit<Finding, 'file' | 'line'>) => void;

export function validateSpec(spec: Spec, file: string): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (line, finding) => void findings.push({ ...finding, file, line });
  const fileId = file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/, '');
  if (spec.id !== fileId) {
    report(1, {
      severity: 'Medium',
      code: 'spec-id-mismatch',
      message: `the spec's id is "${spec.id}", but the file is ${fileId}.md`,
      fix: `set id to ${fileId}`,
    });
  }
  for (const { line, ...problem } of spec.problems) report(line, { severity: 'High', ...problem });
  for (const message of spec.warnings)
    report(lineIn(message), {
      severity: 'Low',
      code: 'spec-structure',
      message,
      fix: 'move it under "## Requirements"',
    });
  checkHeadings(spec, report);
  checkRequirements(spec, report);
  checkScenarios(spec, report);
  checkCode(spec, report);
  return findings;
}

/** Warnings of documents name their line first. */
export function lineIn(warning: string): number {
  return Number(/^line (\d+):/.exec(warning)?.[1] ?? 1);
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

function checkHeadings(spec: Spec, report: Report): void {
  const missing: string[] = [];
  const title = spec.headings.find(({ level }) => level === 1);
  if (!title) missing.push('# title');
  for (const { kind, heading } of requiredSections) {
    if (kind !== 'overview' && onlyTakesAway(spec)) continue;
    if (!spec.sections.some((section) => section.kind === kind)) missing.push(heading);
  }
  for (const heading of missing) {
    report(1, {
      severity: 'High',
      code: 'missing-heading',
      message: `"${heading}" is missing`,
      fix: `add the heading "${heading}"`,
    });
  }
  if (UNDECIDED.test(title?.text ?? spec.title))
    report(title?.line ?? 1, undecided('the title', title?.text ?? spec.title));
}

function checkRequirements(spec: Spec, report: Report): void {
  if (spec.requirements.length === 0 && !onlyTakesAway(spec)) {
    report(1, {
      severity: 'High',
      code: 'no-requirements',
      message: 'the spec has no requirement',
      fix: 'add at least one "### R1: title" under "## Requirements"',
    });
  }
  const first = new Map<string, Requirement>();
  const gone = new Set([...spec.removed, ...spec.renamed.map(({ from }) => from)]);
  for (const requirement of spec.requirements) {
    const { id, title, line } = requirement;
    const before = first.get(id);
    if (before)
      report(line, {
        severity: 'High',
        code: 'duplicate-requirement',
        message: `${id} is already defined in line ${before.line}`,
        fix: 'give every requirement an id of its own',
      });
    else first.set(id, requirement);
    if (gone.has(id))
      report(line, {
        severity: 'High',
        code: 'removed-and-kept',
        message: `${id} is removed or renamed, and defined in the same spec`,
        fix: 'keep one of the two',
      });
    if (title === '')
      report(line, {
        severity: 'Medium',
        code: 'missing-title',
        message: `${id} has no title`,
        fix: `write "### ${id}: title"`,
      });
    if (UNDECIDED.test(title)) report(line, undecided(`requirement ${id}`, title));
  }
}

function checkScenarios(spec: Spec, report: Report): void {
  if (spec.scenarios.length === 0 && !onlyTakesAway(spec)) {
    report(1, {
      severity: 'High',
      code: 'no-scenarios',
      message: 'the spec has no scenario',
      fix: 'add at least one "### Scenario: name" under "## Acceptance Criteria"',
    });
  }
  const names = new Set<string>();
  for (const scenario of spec.scenarios) {
    checkSteps(scenario, report);
    const { name, line } = scenario;
    if (names.has(name))
      report(line, {
        severity: 'Medium',
        code: 'duplicate-scenario',
        message: `there are two scenarios "${name}"`,
        fix: 'give every scenario a name of its own',
      });
    if (UNDECIDED.test(name)) report(line, undecided('scenario', name));
    names.add(name);
  }
}

function checkSteps({ name, when, then, line }: Scenario, report: Report): void {
  for (const [word, steps] of [
    ['WHEN', when],
    ['THEN', then],
  ] as const) {
    if (steps.some((step) => step !== '')) continue;
    report(line, {
      severity: 'High',
      code: `scenario-without-${word.toLowerCase()}`,
      message: `the scenario "${name}" has no ${word}`,
      fix: `add a line "- **${word}** …"`,
    });
  }
}

const programmingLanguages = new Set(
  (
    'javascript js jsx typescript ts tsx python py ruby rb go golang rust rs java kotlin kt scala swift c cpp c++ cc csharp cs c# ' +
    'objc objective-c php perl lua elixir ex erlang haskell hs ocaml clojure dart r julia zig nim groovy vue svelte bash sh shell zsh powershell ps1'
  ).split(' '),
);

function checkCode({ codeBlocks }: Spec, report: Report): void {
  for (const { language, start } of codeBlocks) {
    if (!programmingLanguages.has(language)) continue;
    report(start + 1, {
      severity: 'Medium',
      code: 'implementation-code',
      message: `a spec holds no implementation code (${language})`,
      fix: 'say what it must do, or show the interface as a table or schema',
    });
  }
}
