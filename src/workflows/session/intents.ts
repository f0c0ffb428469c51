/** What the verbs of `session` ask for. Everything that can be wrong with a goal is found before anything is written. */

import { nearest } from '../../schema/nearest.ts';
import type { Admission, Given, Intent, Traces } from '../surface.ts';
import type { UsageProblem } from '../workflow.ts';
import { projectTypes } from './files/checklists.ts';
import { isSlug, sessionFolder, sessionId, slugExpectation, slugOf, statusPath } from './files/paths.ts';
import { readStatus } from './files/read-status.ts';

export function start({ words, flags }: Given, today: string): Intent | UsageProblem {
  const goal = (words[0] ?? '').trim();
  if (goal === '') {
    const fix = 'say what shall be reached: pawl session start "Export the list as CSV"';
    return { code: 'GoalMissing', message: 'a session needs a goal', fix };
  }
  const projectType = flags['project-type'];
  if (projectType !== undefined && !projectTypes.some((type) => type === projectType))
    return unknownType(String(projectType));
  const slug = slugFor(goal, flags['slug']);
  if (typeof slug !== 'string') return slug;
  return {
    kind: 'command',
    run: sessionId(today, slug),
    command: flags['lean'] ? 'start_lean' : 'start',
    args: { goal, ...(projectType !== undefined && { projectType }) },
    begins: flags['worktree'] ? 'in-worktree' : 'anywhere',
    admit: refuseTaken,
  };
}

export function resume({ words }: Given): Intent {
  return { kind: 'continue', word: words[0] ?? null, admit: overWithoutJournal };
}

function unknownType(said: string): UsageProblem {
  const near = nearest(said, projectTypes);
  return {
    code: 'UsageError',
    message: `there is no project type "${said}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: `--project-type takes one of ${projectTypes.join(', ')}`,
  };
}

function slugFor(goal: string, said: string | true | undefined): string | UsageProblem {
  if (typeof said === 'string' && !isSlug(said))
    return {
      code: 'UsageError',
      message: `${JSON.stringify(said)} cannot be the name of a session`,
      fix: `--slug takes ${slugExpectation}, such as csv-export`,
    };
  const slug = typeof said === 'string' ? said : slugOf(goal);
  return (
    slug ?? {
      code: 'UsageError',
      message: 'no name can be made of this goal: it has fewer than two telling words',
      fix: `name the session yourself with --slug: ${slugExpectation}, such as csv-export`,
    }
  );
}

/** A session that was cut off before it began is begun by the same command. */
function refuseTaken(traces: Traces): Admission {
  const { run, files } = traces;
  const found = traces.state();
  const begun = found !== undefined && found !== 'new';
  const folder = sessionFolder(run);
  if (!begun && !files.exists(folder)) return null;
  const resume = `pawl session resume ${run}${begun ? '' : ' --accept-state'}`;
  return {
    code: 'SessionExists',
    message: begun ? `there is a session ${run} already` : `${folder} is there already, without a journal`,
    fix: `go on with it: ${resume}; or name the new one otherwise with --slug`,
  };
}

/** Where there are only files, they must say where the session is. */
function overWithoutJournal({ run, begun, files }: Traces): Admission {
  if (begun) return null;
  const path = statusPath(run);
  const text = files.read(path);
  if (text === undefined)
    return {
      code: 'StatusMissing',
      message: `${sessionFolder(run)} has neither a journal nor a status.json`,
      fix: `write ${path} with the state it is in, such as {"current_state": "IMPLEMENT_LOOP"}, and run this again`,
      target: path,
    };
  const phase = readStatus(text, path).status.current_state;
  if (phase !== 'DONE') return null;
  const message = `${run} is finished; its files are read-only`;
  return { over: { action: 'finished', phase, verdict: null, message, next: null } };
}
