/** The checks of a phase: entering it, what can be judged without an agent, completing it. */

import { changesIn } from '../../documents/changed-files.ts';
import { bullets } from '../../documents/review-text.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { stopWith } from '../define-workflow.ts';
import { runProjectChecks } from '../project-checks.ts';
import { patch } from '../data-slots.ts';
import type { CheckContext, CheckResult, FileView, Write } from '../workflow.ts';
import {
  allTasks,
  documentsDigest,
  formatIssues,
  missingPrevious,
  openTasks,
  untickedTasks,
  workItems,
} from './phase-artifacts.ts';
import { entry } from './conclude.ts';
import { readConfig } from './config.ts';
import { findingLine, issueText, type Issue } from '../../documents/review-issues.ts';
import { isPartial, recordOf } from './meta-file.ts';
import { data, recordIn, phaseRecords } from './run-data.ts';
import { validateTransition, type Artifacts } from './validate-transition.ts';
import {
  artifactPath,
  branchOf,
  commandOf,
  folderOf,
  historyPath,
  metaPath,
  phases,
  type Phase,
  type Target,
} from './phases.ts';

type Check = (context: CheckContext) => CheckResult | Promise<CheckResult>;

/** Of the files as they are; `verified` as the machine has it. */
export function artifactsOf(files: FileView, run: string, { flags }: Pick<Snapshot, 'flags'>): Artifacts {
  const has = (phase: Phase): boolean => (files.read(artifactPath(run, phase)) ?? '').trim() !== '';
  return {
    spec: has('specify'),
    design: has('design'),
    plan: has('create-plan'),
    tasks: has('create-tasks'),
    verified: flags['verify'] === 'approved',
  };
}

function verdictOn({ files, run, snapshot }: CheckContext, target: Target) {
  const current = data.currentPhase.of(snapshot);
  return validateTransition(current, target, artifactsOf(files, run, snapshot), data.mode.of(snapshot));
}

/** Notes where the feature works, and the branch it comes back to. */
const open: Check = ({ git, at, run }) => {
  const { workTree, mainWorkTree } = git;
  const isOwn = workTree !== mainWorkTree;
  // Worktrees are made beside the main work tree.
  const worktree = isOwn ? `../${workTree.slice(workTree.lastIndexOf('/') + 1)}` : null;
  const known = patch(data.worktree.set(worktree), data.branch.set(isOwn ? branchOf(run) : null), data.created.set(at));
  return { signal: { name: 'opened', data: { ...known, ...data.base.set(isOwn ? git.mainBranch() : null) } } };
};

/** What `implement` and `create-tasks` cannot do without; the other phases need nothing. */
const find_input: Check = (context) => {
  const { files, run, snapshot } = context;
  const target = data.target.of(snapshot);
  const wanted = target === 'implement' ? 'specify' : target === 'create-tasks' ? 'create-plan' : null;
  if (wanted === null || (files.read(artifactPath(run, wanted)) ?? '').trim() !== '')
    return { signal: { name: 'found' } };
  const { type, message } = verdictOn(context, target);
  if (type !== 'blocked') return { signal: { name: 'missing' } };
  return stopWith('missing', message ?? '', { code: 'PhaseBlocked', fix: `pawl feature ${wanted} ${run}` });
};

const admit: Check = (context) => {
  const { snapshot } = context;
  const { type, message } = verdictOn(context, data.target.of(snapshot));
  if (type === 'blocked') throw new Error(`a blocked phase was admitted: ${message}`);
  const isAsked = type === 'warning' && !data.confirmed.of(snapshot);
  const notes = message === null ? [] : [`warning: ${message}`];
  return { signal: { name: isAsked ? 'warned' : 'proceed', data: data.warning.set(message ?? '') }, notes };
};

/** Marks the phase as started, and the later ones as stale. A phase that a person left is asked about. */
const start: Check = async ({ files, run, snapshot, at, git }) => {
  const phase = data.target.of(snapshot);
  const records = phaseRecords(snapshot);
  const gone = missingPrevious(files, run, { phase, mode: data.mode.of(snapshot), records });
  if (gone !== null) {
    const message = `${gone} is missing: ${phase} builds on it`;
    return stopWith('missing', message, { code: 'PreviousArtifactMissing', fix: `pawl restore ${run}` });
  }
  const before = recordOf(records, phase);
  const wasLeft = isPartial(before);
  const later = phases.slice(phases.indexOf(phase) + 1).filter((each) => recordOf(records, each).completed !== null);
  const isDone = phase === 'implement' && allTasks(files, run).length > 0 && openTasks(files, run).length === 0;
  const tree = await git.snapshot();
  return {
    signal: {
      name: wasLeft ? 'partial' : isDone ? 'tasks_done' : 'begun',
      items: workItems(files, run, phase, data.description.of(snapshot)),
      data: patch(
        data.phase.set(phase, { ...before, started: at, completed: null, verified: false }),
        ...later.map((each) => data.phase.set(each, { ...recordOf(records, each), stale: true, verified: false })),
        fresh,
        data.startTree.set(wasLeft ? (data.startTree.of(snapshot) ?? tree) : tree),
      ),
    },
    notes: later.length === 0 ? [] : [`stale from now on: ${later.join(', ')}`],
  };
};

const fresh = patch(
  data.iteration.set(0),
  data.reviewTree.set(null),
  data.reviewDigest.set(null),
  data.reviewedTree.set(null),
  data.issues.set([]),
  data.feedback.set(''),
  data.summary.set(''),
  data.approved.set(false),
  data.findings.set([]),
  data.evidence.set([]),
  data.proceeded.set(false),
);

/** Starts fresh: the document is put aside, code goes back to what it was when the phase was first started. */
const set_aside: Check = async ({ files, run, snapshot, git }) => {
  const phase = data.target.of(snapshot);
  const path = artifactPath(run, phase);
  const isCode = phase === 'implement';
  if (!isCode) {
    const writes: Write[] = files.exists(path) ? [{ path, moveTo: freePlace(files, run, phase) }] : [];
    const notes = writes.map(({ path: from }) => `put aside: ${from}`);
    return { signal: { name: 'begun', items: workItems(files, run, phase, '') }, writes, notes };
  }
  await git.rewind(data.startTree.of(snapshot), { except: [folderOf(run)], onlyOwn: true });
  const tasks = artifactPath(run, 'create-tasks');
  const unticked = untickedTasks(files, run);
  const read = (each: string): string | undefined =>
    each === tasks && unticked !== null ? unticked : files.read(each);
  const items = workItems({ ...files, read }, run, phase, data.description.of(snapshot));
  return { signal: { name: 'begun', items }, writes: unticked === null ? [] : [{ path: tasks, content: unticked }] };
};

function freePlace(files: FileView, run: string, phase: Phase): string {
  for (let number = 1; ; number += 1) {
    const place = `${folderOf(run)}/.set-aside/${phase}-${number}.md`;
    if (!files.exists(place)) return place;
  }
}

/** One iteration: what needs no reviewer, and what changed since the last one. Documents and code alike. */
const inspect: Check = async (context) => {
  const { files, run, snapshot, git, at } = context;
  const phase = data.target.of(snapshot);
  const isCode = phase === 'implement';
  const suite = isCode || phase === 'verify' ? await runProjectChecks(context, readConfig(files).config.checks) : null;
  const failed =
    suite?.results.filter(({ required, status }) => required && (status === 'failed' || status === 'timed out')) ?? [];
  const red = failed.map(({ name, status, log }): Issue => ({
    severity: 'blocker',
    description: `the check "${name}" ${status}`,
    ...(log !== null && { location: log }),
    cites: isCode ? 'E2' : 'E1',
  }));
  const format = formatIssues(files, run, phase);
  const issues = [...format, ...red];
  const tree = await git.snapshot();
  const before = data.reviewedTree.of(snapshot);
  // Without a worktree they are in the same tree, and change with every step.
  const except = [metaPath(run), historyPath(run)];
  const digest = await judgedDigest(context);
  // What is looked at again without a change, after an interruption, is the same iteration.
  const isSame = data.reviewDigest.of(snapshot) === digest && data.reviewTree.of(snapshot) !== before;
  const known = patch(
    data.iteration.set(data.iteration.of(snapshot) + (isSame ? 0 : 1)),
    data.reviewTree.set(tree),
    data.reviewDigest.set(digest),
    data.changes.set(before === null ? '- first version' : changesIn(await git.diff(before, tree, { except }))),
    data.suite.set(suite?.notes ?? []),
  );
  const notes = [...(suite?.notes ?? []), ...issues.map(issueText)];
  if (data.noReview.of(snapshot) && format.length === 0)
    return { signal: { name: 'skipped', data: { ...known, ...data.issues.set(issues) } }, notes };
  if (issues.length === 0) return { signal: { name: 'sound', data: known }, notes };
  const view = { run, files, at, snapshot: { ...snapshot, data: { ...snapshot.data, ...known } } };
  const summary = 'Not reviewed: it has to be corrected first.';
  const problem = {
    code: 'ArtifactUnsound',
    message: `${phase} is not completed: ${issues.map(({ description }) => description).join('; ')}`,
    fix: `pawl retry ${run} --hint "<what to do>"`,
  };
  return {
    signal: {
      name: 'unsound',
      problem,
      data: {
        ...known,
        ...data.issues.set(issues),
        ...data.feedback.set(bullets(issues.map(issueText))),
        ...data.reviewedTree.set(tree),
      },
    },
    writes: [entry(view, { summary, issues, dropped: [], corrected: null })],
    notes,
  };
};

/** The final review is about the code that the chain's reviewer saw. */
const same_code: Check = async (context) => {
  const isSame = (await judgedDigest(context)) === data.reviewDigest.of(context.snapshot);
  return { signal: { name: isSame ? 'same' : 'changed' } };
};

const complete: Check = async (context) => {
  const { snapshot, at } = context;
  const phase = data.target.of(snapshot);
  const skipped = data.noReview.of(snapshot);
  const approved = !skipped && data.approved.of(snapshot);
  const findings = data.findings.of(snapshot);
  const open = [...(approved ? [] : data.issues.of(snapshot).map(noteOf)), ...findings.map(findingLine)];
  const record = {
    ...recordIn(snapshot, phase),
    completed: at,
    iterations: data.iteration.of(snapshot),
    reviewerNotes: open,
    summary: data.summary.of(snapshot) || null,
    reviewSkipped: skipped,
    verified: phase === 'verify' && approved,
    stale: false,
  };
  const verified = phase === 'verify' && approved ? await judgedDigest(context) : null;
  return {
    signal: {
      name: commandOf(phase),
      data: patch(
        data.phase.set(phase, record),
        data.currentPhase.set(phase),
        data.verifiedTree.set(verified),
        ...(phase === 'implement' ? [data.proceeded.set(findings.length > 0)] : []),
      ),
    },
  };
};

/** Where output lies on this computer is nobody else's business. */
function noteOf({ location, ...issue }: Issue): string {
  return issueText(location?.startsWith('/') ? issue : { ...issue, ...(location !== undefined && { location }) });
}

/** Code and documents: all that a reviewer looks at. */
export async function judgedDigest(context: CheckContext): Promise<string> {
  return `${await context.treeDigest()} ${documentsDigest(context.files, context.run)}`;
}

export const phaseChecks = { open, find_input, admit, start, set_aside, inspect, same_code, complete };
