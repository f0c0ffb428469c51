/** The intents of the verbs of `change`. */

import { abandoned } from '../../engine/transition.ts';
import type { Admission, CommandInput, Intent, Traces } from '../surface.ts';
import type { RunView, UsageProblem } from '../workflow.ts';
import { archiveFolder, archivesFolder, changeFolder, proposalPath, statePath, undated } from './change-paths.ts';
import { nextOf } from './summary.ts';

export function plan({ words: [run = '', description], flags }: CommandInput): Intent & { kind: 'command' } {
  return {
    kind: 'command',
    run,
    command: 'plan',
    args: description === undefined ? {} : { description },
    begins: flags['worktree'] ? 'in-worktree' : 'anywhere',
    admit: (traces) => admitPlan(traces, description, flags['new'] === true),
  };
}

/** Without a challenge: that is a person's word for a small change. */
export function lean(input: CommandInput): Intent {
  return { ...plan(input), command: 'lean' };
}

export function impl({ words: [run = ''], flags }: CommandInput): Intent | UsageProblem {
  const { tasks, review } = flags;
  if (review && tasks !== undefined)
    return { code: 'UsageError', message: '--review and --tasks exclude each other', fix: 'leave one of them out' };
  const ids = typeof tasks === 'string' ? tasks.split(',').map((id) => id.trim()) : undefined;
  return {
    kind: 'command',
    run,
    command: review ? 'review' : 'impl',
    args: { ...(ids && { tasks: ids.filter(Boolean) }), ...(flags['accept-edits'] && { acceptEdits: true }) },
    admit: (traces) => admit(traces, 'not_ready'),
  };
}

export function archive({ words: [run = ''], flags }: CommandInput): Intent {
  const preview = async (view: RunView) => (await import('./checks/archiving.ts')).previewArchive(view);
  return {
    kind: 'command',
    run,
    command: 'archive',
    args: {},
    ...(flags['dry-run'] && { preview }),
    admit: (traces) => admit(traces, 'done'),
  };
}

/** A description begins a change, so an archived one of that name is in its way. */
function admitPlan(traces: Traces, description: string | undefined, anew: boolean): Admission {
  const { run, begun } = traces;
  // The state of a long run takes long to read, so it is asked for only where it matters.
  const archived = begun
    ? (anew || description !== undefined) && traces.state() === 'archived'
    : isArchivedOnly(traces);
  if (anew && (archived || traces.state() === abandoned)) return 'anew';
  if (anew && begun) {
    const message = `--new reuses the id of an archived or abandoned change, and ${run} is neither`;
    return { code: 'ChangeNotArchived', message, fix: `pawl abandon ${run} "why it is given up"` };
  }
  if (anew) {
    const message = `--new reuses the id of an archived change, and there is no change "${run}" yet`;
    return { code: 'ChangeNotArchived', message, fix: nextOf(run, null) ?? '' };
  }
  if (!archived) return null;
  if (!begun) return archivedElsewhere(run, description === undefined ? 'done' : undefined);
  return {
    code: 'ChangeArchived',
    message: `${run} is archived; choose another id, or reuse this one with --new`,
    fix: startAnew(run),
  };
}

function admit(traces: Traces, whenArchived: 'done' | 'not_ready'): Admission {
  if (traces.begun) return null;
  if (isArchivedOnly(traces)) return archivedElsewhere(traces.run, whenArchived);
  const { run, files } = traces;
  if (files.exists(statePath(run))) return null;
  const folder = changeFolder(run);
  if (files.list(folder).length === 0) return 'unknown';
  const message = `${folder} has no STATE.yaml: its plan was not approved`;
  const code = whenArchived === 'done' ? 'ChangeNotComplete' : 'ChangeNotReady';
  const fix = nextOf(run, files.exists(proposalPath(run)) ? 'proposed' : null) ?? '';
  return { code, message, fix, outcome: 'not_ready' };
}

/** An archived change of a fresh clone has no journal here, and needs none. Without an outcome it is a usage error. */
function archivedElsewhere(run: string, outcome: 'done' | 'not_ready' | undefined): Admission {
  const message = `${run} is archived; --new reuses its id`;
  return { code: 'ChangeArchived', message, fix: startAnew(run), ...(outcome && { outcome }) };
}

function startAnew(run: string): string {
  return `pawl change plan ${run} --new "what to change and why"`;
}

function isArchivedOnly({ run, files }: Traces): boolean {
  if (files.exists(changeFolder(run))) return false;
  if (files.exists(`${archiveFolder(run)}/STATE.yaml`)) return true;
  return files.list(archivesFolder).some((path) => undated(path.split('/')[2] ?? '') === run);
}
