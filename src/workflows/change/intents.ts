/** What the verbs of `change` ask for. */

import type { Admission, Given, Intent, Traces } from '../surface.ts';
import type { RunView, UsageProblem } from '../workflow.ts';
import { archiveFolder, changeFolder, statePath } from './paths.ts';
import { nextOf } from './summary.ts';

export function plan({ words, flags }: Given): Intent {
  const [run = '', description] = words;
  return {
    kind: 'command',
    run,
    command: 'plan',
    args: description === undefined ? {} : { description },
    begins: flags['worktree'] ? 'in-worktree' : 'anywhere',
    admit: (traces) => admitPlan(traces, description, flags['new'] === true),
  };
}

export function impl({ words, flags }: Given): Intent | UsageProblem {
  const [run = ''] = words;
  const { tasks, review } = flags;
  if (review && tasks !== undefined) {
    const message = '--review and --tasks do not go together';
    return { code: 'UsageError', message, fix: 'leave one of them out' };
  }
  const args = {
    ...(typeof tasks === 'string' && { tasks: listed(tasks) }),
    ...(flags['accept-edits'] && { acceptEdits: true }),
  };
  return {
    kind: 'command',
    run,
    command: review ? 'review' : 'impl',
    args,
    admit: (traces) => admit(traces, 'not_ready'),
  };
}

export function archive({ words, flags }: Given): Intent {
  const [run = ''] = words;
  return {
    kind: 'command',
    run,
    command: 'archive',
    args: {},
    ...(flags['dry-run'] && {
      preview: async (view: RunView) => (await import('./archive-preview.ts')).previewArchive(view),
    }),
    admit: (traces) => admit(traces, 'done'),
  };
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
}

/** A description begins a change, so an archived one of that name is in its way. */
function admitPlan(traces: Traces, description: string | undefined, anew: boolean): Admission {
  const { run, begun } = traces;
  // The state of a long run takes long to read, so it is asked for only where it matters.
  const archived = begun
    ? (anew || description !== undefined) && traces.state() === 'archived'
    : isArchivedOnly(traces);
  if (anew && archived) return 'anew';
  if (anew) {
    const message = `--new reuses the id of an archived change, and ${run} is not archived`;
    return { code: 'ChangeNotArchived', message, fix: nextOf(run, null) ?? '' };
  }
  if (!archived) return null;
  if (!begun) return archivedElsewhere(run, description === undefined ? 'done' : 'usage');
  return {
    code: 'ChangeArchived',
    message: `${run} is archived; a description begins a new change`,
    fix: `choose another id, or begin anew under this one: pawl change plan ${run} --new "…"`,
  };
}

function admit(traces: Traces, whenArchived: 'done' | 'not_ready'): Admission {
  if (traces.begun) return null;
  if (isArchivedOnly(traces)) return archivedElsewhere(traces.run, whenArchived);
  return traces.files.exists(statePath(traces.run)) ? null : 'unknown';
}

/** An archived change of a fresh clone has no journal here, and needs none. */
function archivedElsewhere(run: string, outcome: 'done' | 'not_ready' | 'usage'): Admission {
  return {
    code: 'ChangeArchived',
    message: `${run} is archived`,
    fix: `begin anew under this id: pawl change plan ${run} --new "…"`,
    ...(outcome !== 'usage' && { outcome }),
  };
}

function isArchivedOnly({ run, files }: Traces): boolean {
  return !files.exists(changeFolder(run)) && files.exists(`${archiveFolder(run)}/STATE.yaml`);
}
