/**
 * The documents of a change: where each is, what it is to its readers, who writes it, what approvals are bound to.
 *
 * G1. Review blocks, task status and line ends do not change a plan's digest; anything else a reader could see does,
 *     also in documents beside the plan. What the digest of a proposal leaves out is compared and told.
 * G2. Each part is labelled with its path and length, so that no text can pass for two or move between files.
 */

import { proposalWithoutReviews } from '../../documents/proposal-blocks.ts';
import { tasksWithoutStatus } from '../../documents/task-status.ts';
import { digestOf, plainText, textDigest } from '../digest.ts';
import type { FileView, RunView } from '../workflow.ts';
import * as paths from './change-paths.ts';
import { data } from './run-data.ts';

export interface ChangeDocument {
  readonly path: (run: string) => string;
  readonly many?: true;
  readonly about?: string;
  /** The tool that writes it, for documents of the plan. */
  readonly tool?: string;
  /** The text a judgement of the plan is bound to: without what a review or the work itself changes. */
  readonly judged?: (text: string) => string;
}

const asItIs = (text: string): string => text;

/** By the name that agents ask for them by; those of the plan in the order in which they are written. */
export const documents: Readonly<Record<string, ChangeDocument>> = {
  clarifications: { path: paths.clarificationsPath, about: 'questions that were already answered' },
  proposal: {
    path: paths.proposalPath,
    about: 'the proposal, and reviews of the plan behind it',
    tool: 'create_proposal',
    judged: proposalWithoutReviews,
  },
  challenge: { path: paths.challengePath, about: 'older reviews of the plan' },
  spec: { path: paths.specsFolder, many: true, tool: 'create_spec', judged: asItIs },
  tasks: { path: paths.tasksPath, tool: 'create_tasks', judged: tasksWithoutStatus },
  review: { path: paths.reviewPath },
  state: { path: paths.statePath },
  'main-spec': { path: () => paths.mainSpecsFolder, many: true },
  merged: { path: paths.mergedFolder, many: true },
};

const plan = Object.values(documents).filter(({ judged }) => judged !== undefined);

/** Read beside the plan, where they exist; what the specs are merged against decides what of the permanent ones survives. */
const beside: readonly ChangeDocument[] = [
  { path: paths.baseFolder, many: true, judged: asItIs },
  { path: paths.clarificationsPath, judged: asItIs },
  { path: paths.challengePath, judged: asItIs },
];

export const planToolNames: readonly string[] = plan.flatMap(({ tool }) => tool ?? []);

type Change = Pick<RunView, 'files' | 'run'>;

/** The files of the plan; proposal and tasks also where they are missing. */
export function planFiles(change: Change): readonly string[] {
  return plan.flatMap((document) => filesOf(document, change));
}

/** Where the documents lie that an approval of the plan is bound to. */
export function planPlaces(run: string): readonly string[] {
  return [...plan, ...beside].map(({ path, many }) => (many ? `${path(run)}/` : path(run)));
}

/** Only those of its specs. */
export function planSpecs({ files, run }: Change): readonly string[] {
  return specFiles(files, paths.specsFolder(run));
}

function filesOf({ path, many }: ChangeDocument, { files, run }: Change): readonly string[] {
  return many ? specFiles(files, path(run)) : [path(run)];
}

function specFiles(files: FileView, folder: string): readonly string[] {
  return files.list(folder).filter((file) => file.endsWith('.md') && !paths.isSkeleton(file));
}

export function planDigest(files: FileView, run: string): string {
  return digestOf(canonicalDocuments(files, run));
}

/** Of the texts that the archivist merged; their review, which lies beside them, is none. */
export function mergeDigest({ files, run }: Pick<RunView, 'files' | 'run'>): string {
  const review = paths.mergeReviewPath(run);
  const texts = files.list(paths.mergedFolder(run)).filter((path) => path !== review);
  return digestOf(texts.map((path) => [path, files.read(path) ?? null]));
}

/** What a judgement is bound to, by path in the change's folder; null where proposal or tasks are missing. */
export function canonicalDocuments(files: FileView, run: string): ReadonlyMap<string, string | null> {
  const folder = `${paths.changeFolder(run)}/`;
  const texts = [...plan, ...beside].flatMap((document) =>
    filesOf(document, { files, run }).flatMap((path) => {
      const text = files.read(path);
      if (text === undefined && beside.includes(document)) return [];
      const judged = text === undefined ? null : document.judged?.(plainText(text)).trimEnd();
      return [[path.slice(folder.length), judged ?? null] as const];
    }),
  );
  return new Map(texts);
}

/** An approval of the plan as it is. */
export function planApproval(change: Change, by: string, digest = planDigest(change.files, change.run)) {
  return data.approvedPlan.set({ digest, by, whole: wholeProposal(change) });
}

/** G1. Null where the proposal is the same, or was approved before this was noted. */
export function uncoveredEdit(view: Change & Pick<RunView, 'snapshot'>): string | null {
  const { whole = '' } = data.approvedPlan.of(view.snapshot) ?? {};
  if (whole === '' || whole === wholeProposal(view)) return null;
  const path = paths.proposalPath(view.run);
  return `${path} was edited after its approval, in review blocks or status lines, which the approval does not cover; agents read them`;
}

function wholeProposal({ files, run }: Change): string {
  return textDigest(plainText(files.read(paths.proposalPath(run)) ?? '').trimEnd());
}

export const planEdited = 'the plan was edited after it was approved';

/** Whether the plan is another than the one that was approved. */
export function isPlanEdited({ files, run, snapshot }: Pick<RunView, 'files' | 'run' | 'snapshot'>): boolean {
  return planDigest(files, run) !== data.approvedPlan.of(snapshot)?.digest;
}
