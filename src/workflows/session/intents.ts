/** What the verbs and commands of `session` ask for. Everything wrong with a goal is found before anything is written. */

import type { Json } from '../../engine/snapshot.ts';
import { abandoned, type Signal } from '../../engine/transition.ts';
import { didYouMean } from '../../schema/nearest.ts';
import type { Admission, CommandInput, Intent, Traces } from '../surface.ts';
import type { RunView, UsageProblem } from '../workflow.ts';
import * as paths from './files/session-paths.ts';
import { readStatus } from './files/status-file.ts';
import { projectTypes } from './session-words.ts';

export function start({ words, flags }: CommandInput, today: string): Intent | UsageProblem {
  const goal = (words[0] ?? '').trim();
  const { 'project-type': projectType, slug: given } = flags;
  const slug = typeof given === 'string' ? given : paths.slugOf(goal);
  const problem = startProblem(goal, projectType) ?? slugProblem(slug);
  if (problem) return problem;
  return {
    kind: 'command',
    run: paths.sessionId(today, slug ?? ''),
    command: flags['lean'] ? 'start_lean' : 'start',
    args: { goal, ...(projectType !== undefined && { projectType }) },
    begins: flags['worktree'] ? 'in-worktree' : 'anywhere',
    admit: (traces) => refuseTaken(traces, flags['new'] === true),
  };
}

export function resume({ words }: CommandInput): Intent {
  return { kind: 'continue', word: words[0] ?? null, admit: overWithoutJournal };
}

export function enter(
  command: string,
  { goal = '', projectType = 'mixed' }: Readonly<Record<string, Json>>,
  { snapshot, run }: RunView,
): Signal | UsageProblem {
  const begins = command === 'start' || command === 'start_lean';
  const isNew = snapshot.state === 'new';
  const message = `there is no session "${run}"`;
  if (isNew && !begins) return { code: 'SessionNotFound', message, fix: 'pawl session list' };
  const problem = isNew ? startProblem(goal, projectType) : null;
  return problem ?? { name: command, ...(begins && { data: { goal, projectType } }) };
}

function startProblem(goal: Json, projectType: Json = 'mixed'): UsageProblem | null {
  if (typeof goal !== 'string' || goal.trim() === '') {
    const fix = 'pawl session start "Export the list as CSV"';
    return { code: 'GoalMissing', message: 'a session needs a goal', fix };
  }
  if (projectTypes.some((type) => type === projectType)) return null;
  const near = typeof projectType === 'string' ? didYouMean(projectType, projectTypes) : '';
  const message = `there is no project type ${JSON.stringify(projectType)}${near}`;
  return { code: 'UsageError', message, fix: `use --project-type with one of ${projectTypes.join(', ')}` };
}

function slugProblem(slug: string | undefined): UsageProblem | null {
  if (slug !== undefined && paths.isSlug(slug)) return null;
  const none = 'cannot derive a session name from this goal: it has fewer than two significant words';
  const message = slug === undefined ? none : `${JSON.stringify(slug)} cannot be the name of a session`;
  return { code: 'UsageError', message, fix: `pass --slug with ${paths.slugExpectation}, such as csv-export` };
}

/** A session that was cut off before it began is begun by the same command. */
function refuseTaken(traces: Traces, anew: boolean): Admission {
  const { run, files } = traces;
  const found = traces.state();
  if (found === abandoned && anew) return 'anew';
  if (found === abandoned) {
    const message = `the session ${run} is abandoned; reuse its name with --new, or choose another with --slug`;
    return { code: 'SessionExists', message, fix: 'run the same command again with --new' };
  }
  if (found === 'done') {
    const fix = 'pawl session start "<goal>" --slug <slug>';
    return { code: 'SessionExists', message: `the session ${run} is finished`, fix };
  }
  const begun = found !== undefined && found !== 'new';
  const folder = paths.sessionFolder(run);
  if (!begun && !files.exists(folder)) return null;
  const exists = begun ? `the session ${run} already exists` : `${folder} already exists, without a journal`;
  const message = `${exists}; resume it, or name the new session with --slug`;
  return { code: 'SessionExists', message, fix: `${paths.resumeCommand(run)}${begun ? '' : ' --accept-state'}` };
}

/** Where there are only files, they must say where the session is. */
function overWithoutJournal({ run, begun, files }: Traces): Admission {
  if (begun) return null;
  const path = paths.statusPath(run);
  const text = files.read(path);
  if (text === undefined)
    return {
      code: 'StatusMissing',
      message: `${paths.sessionFolder(run)} has neither a journal nor a status.json`,
      fix: `write ${path} with the state it is in, such as {"current_state": "IMPLEMENT_LOOP"}, then run the same command again`,
      target: path,
    };
  const phase = readStatus(text, path).status.current_state;
  if (phase !== 'DONE') return null;
  const message = `${run} is finished; its files are read-only`;
  return { over: { action: 'finished', phase, verdict: null, message, next: null } };
}
