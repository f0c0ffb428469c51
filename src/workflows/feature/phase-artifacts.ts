/** What can be said of an artifact without an agent, and the tasks in tasks.md. */

import { checksIn, outermost, setChecks, type Check } from '../../documents/checklist.ts';
import { readHeadings } from '../../documents/markdown.ts';
import type { Snapshot, WorkItem } from '../../engine/snapshot.ts';
import { verbatim } from '../../schema/simple.ts';
import { itemData } from '../data-slots.ts';
import { digestOf } from '../digest.ts';
import type { FileView } from '../workflow.ts';
import { artifactPath, modes, phaseRules, phases, phasesBefore, type Mode, type Phase } from './phases.ts';
import { citations, type FinalFinding, type Issue } from '../../documents/review-issues.ts';
import { recordOf, type PhaseRecords } from './meta-file.ts';
import { data } from './run-data.ts';

const charsMax = 1_000_000;

/** Blockers; a reviewer is not asked where there is one. */
export function formatIssues(files: FileView, run: string, phase: Phase): readonly Issue[] {
  const { artifact } = phaseRules[phase];
  if (artifact === null) return [];
  const text = files.read(artifactPath(run, phase));
  const problem = text === undefined ? `${artifact} is missing` : formatProblem(text, phase, artifact);
  return problem === null ? [] : [{ severity: 'blocker', description: problem, location: artifact, cites: 'format' }];
}

function formatProblem(text: string, phase: Phase, artifact: string): string | null {
  if (text.trim() === '') return `${artifact} is empty`;
  if (text.includes('\0')) return `${artifact} is not a text`;
  if (text.length > charsMax) return `${artifact} has more than ${charsMax.toLocaleString('en')} characters`;
  if (readHeadings(text).length === 0) return `${artifact} has no heading: it is to be Markdown with sections`;
  if (text.split('\n').every((line) => line.trim() === '' || /^\s*#/.test(line)))
    return `${artifact} has headings and no text`;
  if (phase === 'create-tasks' && tasksIn(text).length === 0)
    return `${artifact} has no task: write each as "- [ ] <task>" with its criteria below`;
  return null;
}

/** The artifact that a phase builds on: the nearest one that is there. */
export function previousArtifact(files: FileView, run: string, phase: Phase): string | null {
  const before = phasesBefore(phase).filter((each) => phaseRules[each].artifact !== null);
  const found = before.map((each) => artifactPath(run, each)).find((path) => (files.read(path) ?? '').trim() !== '');
  return found ?? null;
}

/** A phase in front that was completed, belongs to the mode, and whose artifact is gone. */
export function missingPrevious(
  files: FileView,
  run: string,
  { phase, mode, records }: { readonly phase: Phase; readonly mode: Mode; readonly records: PhaseRecords },
): string | null {
  const nearest = phasesBefore(phase).find(
    (each) =>
      phaseRules[each].artifact !== null &&
      modes[mode].phases.includes(each) &&
      recordOf(records, each).completed !== null,
  );
  if (nearest === undefined) return null;
  const path = artifactPath(run, nearest);
  return (files.read(path) ?? '').trim() === '' ? path : null;
}

/** Checkboxes, of which those below a task are its criteria; in a file without any, headings that begin with "Task". */
export function tasksIn(text: string): readonly Check[] {
  const checks = checksIn(text);
  if (checks.length > 0) return outermost(checks, text);
  return readHeadings(text)
    .filter(({ text: heading }) => /^task\b/i.test(heading))
    .map(({ text: heading, line }) => ({ text: heading, done: false, line }));
}

export function allTasks(files: FileView, run: string): readonly Check[] {
  return tasksIn(files.read(artifactPath(run, 'create-tasks')) ?? '');
}

export function openTasks(files: FileView, run: string): readonly Check[] {
  return allTasks(files, run).filter(({ done }) => !done);
}

/** What `implement` works through; without tasks it is one piece of work. */
export function workItems(files: FileView, run: string, phase: Phase, description: string): readonly WorkItem[] {
  if (phase !== 'implement') return [itemOf(phase, '')];
  if (allTasks(files, run).length === 0) return [itemOf(phase, description)];
  const open = openTasks(files, run).map(({ text }, index) => itemOf(`T${index + 1}`, text));
  return open.length > 0 ? open : [itemOf(phase, 'Every task of tasks.md is ticked. Complete what is missing.')];
}

function itemOf(id: string, text: string): WorkItem {
  return { id, after: [], data: text };
}

export function taskOf(item: WorkItem | undefined): string {
  return itemData(verbatim(), item);
}

/** tasks.md with the task ticked; null where it has no such box. */
export function tickedTasks(files: FileView, run: string, task: string): string | null {
  const text = files.read(artifactPath(run, 'create-tasks')) ?? '';
  const isChecklist = checksIn(text).length > 0;
  const open = isChecklist ? tasksIn(text).find((each) => each.text === task && !each.done) : undefined;
  return open ? setChecks(text, [open], true) : null;
}

/** tasks.md with no task ticked; null where none is. */
export function untickedTasks(files: FileView, run: string): string | null {
  const ticked = allTasks(files, run).filter(({ done }) => done);
  return ticked.length === 0 ? null : setChecks(files.read(artifactPath(run, 'create-tasks')) ?? '', ticked, false);
}

/** Of all documents of a feature, for what is approved with them. */
export function documentsDigest(files: FileView, run: string): string {
  const paths = phases.filter((phase) => phaseRules[phase].artifact !== null).map((phase) => artifactPath(run, phase));
  return digestOf(paths.map((path) => [path, files.read(path) ?? null]));
}

/** What an issue may cite; `description` stands for the spec of a feature that has none. */
export function citationsFor(files: FileView, run: string, phase: Phase, description: string) {
  const textOf = (each: Phase): string =>
    phaseRules[each].artifact === null ? '' : (files.read(artifactPath(run, each)) ?? '');
  const quotable = [...phasesBefore(phase).map(textOf), description];
  return citations(phaseRules[phase].expectations, { known: [textOf(phase)], quotable });
}

/** Whether a finding of the final reviewer is about the feature. What nobody asked for has no requirement to cite. */
export function countsFor(files: FileView, run: string, snapshot: Pick<Snapshot, 'data'>) {
  // A hotfix without a spec is compared with its description, which has no parts to cite.
  const hasSpec = data.mode.of(snapshot) !== 'hotfix' || files.exists(artifactPath(run, 'specify'));
  const isCited = hasSpec ? citationsFor(files, run, 'implement', data.description.of(snapshot)) : () => true;
  return ({ category, requirement }: FinalFinding): boolean => category === 'extra' || isCited(requirement);
}
