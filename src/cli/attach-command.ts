/** `attach`: a run that works in another process, shown as if it worked here. */

import { findRun } from '../runs/find.ts';
import { followRun } from '../runs/follow-run.ts';
import { statusDocument, statusOf, type KnownStatus } from '../runs/status.ts';
import { withCast, type RunRepository } from '../runs/work-order.ts';
import type { RunKey } from '../store/run-store.ts';
import { isAttended } from './calling-agent.ts';
import type { CommandFunction } from './context.ts';
import { accepted, exitCodes } from './problem.ts';
import { spelled } from './program-name.ts';
import { presenterFor, type Presenter } from './show/presenter.ts';
import { decisionLines } from './show/question-lines.ts';
import { markOf } from './show/result.ts';
import { screenOf } from './show/screen.ts';
import { jsonText, plainText, wrapped } from './show/text.ts';

/** Its exit code is that of the command at work; Ctrl-C ends only the following. */
export const attach: CommandFunction = async (given, context) => {
  const repository = context.repository();
  const key = accepted(findRun(repository, given.words[0] ?? ''));
  const json = given.flags['json'] === true;
  const attended = isAttended(given);
  for (;;) {
    const presenter = presenterFor({ json });
    const end = await followHere(repository, key, { presenter, untilAsked: attended });
    if (end === 'left') {
      presenter.say(`detached: ${key.run} goes on (pawl attach ${key.run}; pawl pause ${key.run} stops it)`);
      presenter.close();
      return exitCodes.interrupted;
    }
    const known = accepted(await statusOf(repository, key));
    const asks = attended && known.pending !== null && known.pending.question.withdrawn === null;
    if (!asks) {
      for (const line of endLines(known, presenter)) presenter.say(line);
      presenter.close();
      if (json) screenOf(process.stdout).write(`${jsonText(statusDocument(known), 2)}\n`);
      return exitCodes[known.status.outcome ?? 'done'];
    }
    presenter.close();
    const { answer } = await import('./answer-command.ts');
    const code = await answer({ words: [`${key.workflow}/${key.run}`], flags: {} }, context);
    // The process that asked goes on with the answer; without one there is nothing to follow.
    if (code !== exitCodes.done || end === 'ended') return code;
  }
};

async function followHere(
  repository: RunRepository,
  key: RunKey,
  { presenter, untilAsked }: { readonly presenter: Presenter; readonly untilAsked: boolean },
) {
  const stop = new AbortController();
  const detach = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, detach);
  try {
    const observe = presenter.observe.bind(presenter);
    return await followRun(repository, key, { observe, signal: stop.signal, untilAsked });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, detach);
  }
}

function endLines({ status, pending, cast }: KnownStatus, { style }: Presenter): string[] {
  const { run, workflow, message, outcome } = status;
  const [first = '', ...more] = plainText(message)
    .split('\n')
    .flatMap((line) => wrapped(line, screenOf(process.stdout).columns() - 2));
  const next = spelled(withCast(status.next, workflow, cast));
  return [
    '',
    `${outcome === null ? style.symbols.small : markOf(outcome, style)} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...(pending?.question.withdrawn === null ? ['', ...decisionLines(run, pending, style)] : []),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}
