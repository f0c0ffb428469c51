/**
 * The intent of `run`, and phase 1: what must be true before anything is written.
 *
 * I1. A run that failed is not continued (ADR-14): another one is begun, from a clean tree.
 */

import { findingText } from '../../documents/finding.ts';
import { mergeLines } from '../../documents/line-merge.ts';
import { abandoned } from '../../engine/transition.ts';
import { didYouMean } from '../../schema/nearest.ts';
import type { Admission, CommandInput, GitState, Intent, Objection, Traces } from '../surface.ts';
import type { FileView, UsageProblem } from '../workflow.ts';
import { blockedBy, cycleIn, linkIn, nextIssues, readBacklog, waitingIssues } from './files/backlog.ts';
import { compareIds, indexPath, issuePath, todoFolder } from './files/ids.ts';

const over = ['done', 'failed', abandoned];

export function run({ words: [id, base], flags }: CommandInput): Intent | UsageProblem {
  if (flags['all'])
    return id === undefined ? all(flags) : usage('UsageError', '--all takes no id', 'leave one of them out');
  const alone = ['jobs', 'limit'].find((flag) => flags[flag] !== undefined);
  if (alone !== undefined) return usage('UsageError', `--${alone} is for --all`, `add --all, or leave --${alone} out`);
  if (id === undefined)
    return usage('UsageError', 'which issue?', 'name an id, or use --all; pawl issue next shows what can be run');
  if (flags['resume']) {
    if (base === undefined) return { kind: 'continue', word: id, admit: admitResume };
    return usage('UsageError', 'a run keeps the base branch it was begun with', 'leave it out');
  }
  const inWorktree = flags['worktree'] === true;
  return {
    kind: 'command',
    run: id,
    command: 'run',
    args: base === undefined ? {} : { base },
    begins: inWorktree ? 'in-worktree' : 'anywhere',
    admit: (traces) => admitRun(traces, base, inWorktree),
  };
}

const runsUsual = 20;

function all({ jobs: givenJobs, limit }: CommandInput['flags']): Intent | UsageProblem {
  const jobs = givenJobs === undefined ? 1 : Number(givenJobs);
  const runs = limit === undefined ? runsUsual : Number(limit);
  const isCount = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 1000;
  if (!isCount(jobs)) return usage('UsageError', `--jobs is "${String(givenJobs)}"`, 'use a whole number from 1');
  if (!isCount(runs)) return usage('UsageError', `--limit is "${String(limit)}"`, 'use a whole number from 1');
  return {
    kind: 'batch',
    jobs,
    runs,
    problem: (files) => noTracker(files) ?? cycleIn(readBacklog(files))?.finding ?? null,
    problems: (files) => readBacklog(files).findings.map(findingText),
    // Issues that were there before those that a run files meanwhile.
    ready: (files) =>
      nextIssues(readBacklog(files))
        .map(({ id }) => id)
        .toSorted(compareIds),
    waiting: (files) => waitingIssues(readBacklog(files)).map(({ id, why }) => ({ run: id, why })),
    // Every line of an index, a checklist or a list of comments stands for itself.
    merge: (path, { base, ours, theirs }) =>
      path.startsWith(`${todoFolder}/`) ? mergeLines(base, ours, theirs) : null,
    begin: (id, base) => ['run', id, base, '--worktree'],
    resume: (id) => ['run', id, '--resume'],
  };
}

/** I1. A run that is done has nothing left but to be written down, which a kill may have kept it from. */
function admitResume(traces: Traces): Admission {
  const { run: id, begun } = traces;
  if (!begun) return 'unknown';
  const found = traces.state() ?? '';
  if (found === 'done' || !over.includes(found)) return null;
  const message =
    found === 'failed'
      ? `the run of ${id} failed, and a failed run is not continued; what to do is in its summary`
      : `the run of ${id} is ${found}`;
  return { code: 'RunOver', message, fix: `pawl issue status ${id}`, outcome: 'not_ready' };
}

async function admitRun(traces: Traces, base: string | undefined, inWorktree: boolean): Promise<Admission> {
  const { run: id, begun, files } = traces;
  if (begun && !over.includes(traces.state() ?? '')) {
    const message = `a run of ${id} is in progress, or was interrupted`;
    return { code: 'RunUnfinished', message, fix: `pawl issue run ${id} --resume`, outcome: 'not_ready' };
  }
  const problem = issueProblem(files, id) ?? gitProblem(await traces.git(), { given: base, inWorktree, id });
  // I1. What an earlier run left in its folder is not taken up either.
  return problem ?? 'anew';
}

function usage(code: string, message: string, fix: string, more: Partial<Objection> = {}): Objection {
  return { code, message, fix, ...more };
}

function noTracker(files: FileView, id?: string): (UsageProblem & { readonly path: string }) | null {
  const link = linkIn(files, id);
  if (link) return link;
  const message = `there is no folder ${todoFolder}/ in this checkout`;
  return files.exists(todoFolder)
    ? null
    : { code: 'NoTracker', message, fix: 'pawl issue new "<title>"', path: todoFolder };
}

function issueProblem(files: FileView, id: string): Objection | null {
  const untracked = noTracker(files, id);
  if (untracked) return untracked;
  if (!files.exists(indexPath))
    return usage('NoIndex', `there is no ${indexPath}`, `create ${indexPath} with a category: "## Inbox"`);
  const path = issuePath(id);
  const backlog = readBacklog(files);
  const issue = backlog.issues.get(id);
  const needed = [id, issue?.parent ?? '', ...(issue?.dependsOn ?? [])];
  const [malformed] = needed.flatMap((each) => backlog.malformed.get(each) ?? []);
  if (malformed)
    return usage('IssueMalformed', malformed.message, `correct ${malformed.file}`, { target: malformed.file });
  if (!issue) {
    const known = [...backlog.issues.keys()];
    return usage('IssueNotFound', `there is no issue ${id} (${path})${didYouMean(id, known)}`, 'pawl issue list');
  }
  const { finding } = cycleIn(backlog, id) ?? {};
  if (finding) return usage('DependencyCycle', finding.message, finding.fix, { target: finding.path });
  const notReady = { outcome: 'not_ready' } as const;
  if (issue.status === 'Done') return usage('IssueDone', `${id} is Done already`, 'pawl issue next', notReady);
  const open = blockedBy(backlog, id).map((each) => `${each.id} (${each.status ?? 'missing'})`);
  if (open.length === 0) return null;
  return usage('IssueBlocked', `${id} depends on ${open.join(', ')}, which is not Done`, 'pawl issue next', notReady);
}

/** ADR-20. A worktree is made of the last commit, so what counts there is that the issue is committed. */
function gitProblem(
  git: GitState,
  { given, inWorktree, id }: { readonly given: string | undefined; readonly inWorktree: boolean; readonly id: string },
): Objection | null {
  const { branch, branches, dirty } = git;
  const base = given ?? ['main', 'master'].find((name) => branches.includes(name));
  if (base === undefined)
    return usage('NoBaseBranch', 'there is neither a branch main nor master', 'name the base branch behind the id');
  if (!branches.includes(base))
    return usage('NoBaseBranch', `there is no branch "${base}"${didYouMean(base, branches)}`, 'name a local branch');
  const uncommitted = dirty.filter((line) => !inWorktree || line.slice(3) === issuePath(id));
  if (uncommitted.length > 0)
    return usage(
      'DirtyTree',
      'Working tree must be clean. Commit or stash uncommitted changes before running the workflow.',
      'git status',
    );
  if (inWorktree) return null;
  if (branch === null)
    return usage('DetachedHead', 'HEAD is detached: there is no branch to commit to', 'git switch -c <branch>');
  if (branch === base)
    return usage('OnBaseBranch', `${branch} is the base branch itself`, 'git switch -c <branch>, or add --worktree');
  return null;
}
