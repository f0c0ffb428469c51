/** `pause`, `cancel`, `undo`, `restore`, `diff` and `abandon`: short work on a run. No agent starts. */

import { abandonRun } from '../runs/abandon-run.ts';
import { findRun } from '../runs/find.ts';
import { refusal } from '../runs/refusal.ts';
import { diffRun, restoreRun, undoRun, type RestoredRun, type UndoneRun } from '../runs/quiet-work.ts';
import { withCast, type RunRepository } from '../runs/work-order.ts';
import { cancelRun, pauseRun, type Stopped } from '../runs/stop-run.ts';
import type { Host } from '../runtime/host.ts';
import { readRunState } from '../runtime/run-state.ts';
import type { RunKey } from '../store/run-store.ts';
import type { CommandInput } from '../workflows/surface.ts';
import { compose } from './compose.ts';
import type { CommandFunction } from './context.ts';
import { isAttended } from './calling-agent.ts';
import { accepted, Problem, usageError } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { printLong, screenOf, styleOf, type Style } from './show/screen.ts';
import { plainLine, plainText } from './show/text.ts';

interface ShownWork {
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly (string | null)[];
  /** The command that leads on, without the agent that was chosen. */
  readonly next?: string | null;
  /** Byte by byte for a program that reads it; a terminal is never steered. */
  readonly verbatim?: true;
  /** Another document follows: the words go to stderr. */
  readonly aside?: boolean;
}

type Work = (repository: RunRepository, key: RunKey, host: Host, given: CommandInput) => Promise<ShownWork>;

/** Recovery and warnings go to stderr. A line that is null is left out. */
export function shortWork(act: Work): CommandFunction {
  return async (given, context) => {
    const repository = context.repository();
    const { workflow, run } = accepted(findRun(repository, given.words[0] ?? ''));
    const observe: Host['observe'] = (event) => {
      if (event.type === 'recovered' || event.type === 'warning')
        screenOf(process.stderr).write(`${plainText(event.message)}\n`);
    };
    const host = compose({ surfaces: [], person: null, observe, interrupted: new AbortController().signal });
    try {
      const { document, lines, next = null, verbatim, aside } = await act(repository, { workflow, run }, host, given);
      const command = withCast(next, workflow, readRunState(repository.store, { workflow, run })?.choice);
      const shown = [...lines, command === null ? null : `Next: ${command}`];
      const text = shown.filter((line) => line !== null).join('\n');
      if (aside) {
        screenOf(process.stderr).write(`${text}\n`);
        return 0;
      }
      if (verbatim && !given.flags['json'] && !process.stdout.isTTY) {
        screenOf(process.stdout).draw(`${text}\n`);
        return 0;
      }
      return await printLong(given.flags, document, () => text);
    } finally {
      await host.close();
    }
  };
}

export const pause = shortWork(async (repository, key) => stopped(accepted(await pauseRun(repository, key))));

export const cancel = shortWork(async (repository, key, host) =>
  stopped(accepted(await cancelRun(repository, key, host))),
);

function stopped({ run, action, next }: Stopped): ShownWork {
  return { document: { run, action, next }, lines: [`${run}: ${action}`], next };
}

export const undo = shortWork(async (repository, key, host) => {
  const undone = accepted(await undoRun(repository, key, host));
  return { document: { ...undone }, lines: undoneLines(undone), next: undone.next };
});

function undoneLines({ run, restored, left, kept, phase }: UndoneRun) {
  return [
    restored.length === 0 ? `${run}: no file had to be restored` : `${run}: restored as before the run:`,
    ...restored.map((path) => `  ${plainLine(path)}`),
    left.length === 0 ? null : 'not touched, because they were changed since:',
    ...left.map((path) => `  ${plainLine(path)}`),
    `not undone: ${kept.join(', ')}`,
    `phase=${phase}`,
  ];
}

export const restore = shortWork(async (repository, key, host, { words, flags }) => {
  const dryRun = flags['dry-run'] === true;
  const found = accepted(await restoreRun(repository, key, host, { path: words[1] ?? null, dryRun }));
  return { document: { ...found, dryRun }, lines: restoredLines(found, dryRun), next: dryRun ? null : found.next };
});

function restoredLines({ run, worktree, restored, left }: RestoredRun, dryRun: boolean) {
  const done = dryRun ? 'can be restored from the journal' : 'restored from the journal';
  return [
    worktree === null ? null : `${run}: the worktree ${plainLine(worktree)} ${dryRun ? 'is missing' : 'is recreated'}`,
    restored.length === 0 ? `${run}: no document is missing` : `${run}: ${done}:`,
    ...restored.map(
      ({ path, was, copy }) => `  ${plainLine(path)} (was ${was}${copy === null ? '' : `; a copy is in ${copy}`})`,
    ),
    left.length === 0 ? null : `not restored, because they were edited (pawl restore ${run} <path> restores one):`,
    ...left.map((path) => `  ${plainLine(path)}`),
  ];
}

/** A patch byte for byte, except on a terminal. */
export const diff = shortWork(async (repository, key) => {
  const { controlFolder, ...found } = accepted(await diffRun(repository, key));
  const { shared } = found;
  if (shared.length > 0) screenOf(process.stderr).write(`changed by others too: ${plainText(shared.join(', '))}\n`);
  const none = `${key.run} has changed nothing outside ${controlFolder}/`;
  const patch = found.diff.replace(/\n$/, '');
  const shown = process.stdout.isTTY ? diffText(patch, styleOf(process.stdout)) : patch;
  return { document: found, lines: [patch === '' ? none : shown], verbatim: true };
});

/** Coloured here, because contents of files may hold colours and worse. */
function diffText(diff: string, style: Style): string {
  const { bold, cyan, green, red } = style;
  const paints = { 'diff --git ': bold, '@@ ': cyan, '+': green, '-': red };
  const shown = diff.split('\n').map((line) => {
    const paint = Object.entries(paints).find(([start]) => line.startsWith(start))?.[1];
    return paint?.(plainText(line)) ?? plainText(line);
  });
  return shown.join('\n');
}

export const abandon: CommandFunction = async (given, context) => {
  const [word = '', reason = ''] = given.words;
  if (reason.trim() === '') throw usageError('the reason is empty', `pawl abandon ${word} "<reason>"`);
  if (!given.flags['yes'] && !(await isConfirmed(word, given))) {
    const message = `nothing was done: abandoning ${word} needs a confirmation`;
    throw new Problem(
      refusal('PersonNeeded', message, { outcome: 'needs_person', fix: 'run the same command with --yes' }),
    );
  }
  return shortWork(async (repository, key, host) => {
    const done = accepted(await abandonRun(repository, key, host, reason.trim()));
    const { run, movedTo, next } = done;
    const files = movedTo === null ? 'it had no files here' : `its files are in ${movedTo}`;
    const lines = [`${run}: abandoned; ${files}, its journal is kept`];
    return { document: { ...done, action: 'abandoned' }, lines, next };
  })(given, context);
};

async function isConfirmed(run: string, given: CommandInput): Promise<boolean> {
  if (!isAttended(given)) return false;
  const { terminalPerson } = await import('./terminal-person.ts');
  const answer = await terminalPerson(presenterFor()).ask({
    title: `Abandon ${run} for good?`,
    detail:
      'It cannot be continued. Its files are moved away; what it changed in the work tree stays (pawl undo takes that back before).',
    answers: { abandon: 'give it up', stop: 'leave everything as it is' },
    paths: [],
    root: '.',
  });
  return answer === 'abandon';
}
