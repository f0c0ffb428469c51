/**
 * The documents of a change: where each is, what it is to its readers, who writes it, what approvals are bound to.
 *
 * G1. Review blocks, task status and line ends do not change a plan's digest; anything else a reader could see does.
 */

import { proposalWithoutReviews } from '../../documents/proposal-blocks.ts';
import { readProposal, type Proposal } from '../../documents/proposal.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { readTasks, tasksWithoutStatus, type TaskList } from '../../documents/tasks.ts';
import { digestOf, plainText } from '../digest.ts';
import type { FileView, RunView } from '../workflow.ts';
import { orderSpecs } from './order.ts';
import * as paths from './paths.ts';

export interface ChangeDocument {
  /** The file; for specs the folder with one file for each. */
  readonly path: (run: string) => string;
  readonly many?: true;
  /** What it is, for those who are sent to it. */
  readonly about?: string;
  /** The tool that writes it, for documents of the plan. */
  readonly tool?: string;
  /** The text a judgement of the plan is bound to: without what a review or the work itself changes. */
  readonly judged?: (text: string) => string;
}

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
  spec: { path: paths.specsFolder, many: true, tool: 'create_spec', judged: (text) => text },
  tasks: { path: paths.tasksPath, tool: 'create_tasks', judged: tasksWithoutStatus },
  review: { path: paths.reviewPath },
  state: { path: paths.statePath },
  'main-spec': { path: () => paths.mainSpecsFolder, many: true },
  merged: { path: paths.mergedFolder, many: true },
};

const plan = Object.values(documents).filter(({ judged }) => judged !== undefined);

export const planTools: readonly string[] = plan.flatMap(({ tool }) => tool ?? []);

type Change = Pick<RunView, 'files' | 'run'>;

/** The files of the plan; proposal and tasks also where they are missing. */
export function planFiles(change: Change): readonly string[] {
  return plan.flatMap((document) => filesOf(document, change));
}

function filesOf({ path, many }: ChangeDocument, { files, run }: Change): readonly string[] {
  return many ? files.list(path(run)).filter((file) => file.endsWith('.md')) : [path(run)];
}

/** Of proposal, specs and tasks together. */
export function planDigest(files: FileView, run: string): string {
  return digestOf(canonicalDocuments(files, run));
}

/** What a judgement looks at, by path in the change's folder; null where proposal or tasks are missing. */
export function canonicalDocuments(files: FileView, run: string): ReadonlyMap<string, string | null> {
  const folder = `${paths.changeFolder(run)}/`;
  const texts = new Map<string, string | null>();
  for (const document of plan) {
    for (const path of filesOf(document, { files, run })) {
      const text = files.read(path);
      const judged = text === undefined ? null : document.judged?.(plainText(text)).trimEnd();
      texts.set(path.slice(folder.length), judged ?? null);
    }
  }
  return texts;
}

/** Undefined without the file. Throws a DocumentError where it cannot be read. */
export function proposalIn({ files, run }: Change): Proposal | undefined {
  const path = paths.proposalPath(run);
  const text = files.read(path);
  return text === undefined ? undefined : readProposal(text, path);
}

/** Undefined without the file. Throws a DocumentError where it cannot be read. */
export function tasksIn({ files, run }: Change): TaskList | undefined {
  const file = paths.tasksPath(run);
  const text = files.read(file);
  return text === undefined ? undefined : readTasks(text, { file, changeId: run });
}

export function specAt(files: FileView, path: string): Spec | undefined {
  const text = files.read(path);
  return text === undefined ? undefined : readSpec(text, path);
}

/** The specs of a folder, by their ids; changelogs and notes beside them are none. */
export function specsIn(files: FileView, folder: string): { readonly id: string; readonly path: string }[] {
  return files.list(folder).flatMap((path) => {
    const id = paths.specIdOf(path, folder);
    return id === undefined ? [] : [{ id, path }];
  });
}

/** The change's specs, each after those it depends on; empty when its proposal names no sound order. */
export function specOrder(change: Change): readonly string[] {
  const ordered = orderSpecs(proposalIn(change)?.affectedSpecs ?? []);
  return 'ok' in ordered ? ordered.ok : [];
}
