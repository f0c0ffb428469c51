/** A run as the tools of `pawl mcp` show it: short, with what only a person may do named as such (P1). */

import { setTimeout as wait } from 'node:timers/promises';
import { findJournal, findRunOf, follow, type FoundRun } from '../runs/find.ts';
import { isRefusal, type Refusal } from '../runs/refusal.ts';
import { statusOf, type KnownStatus, type OpenDecision } from '../runs/status.ts';
import { withCast, type RunRepository } from '../runs/work-order.ts';
import type { JournalRecord } from '../store/record.ts';
import type { Calling } from './run-tools.ts';

const pollMs = 250;
const detailCharsMax = 4_000;

/** With or without a journal here. */
export function namedRun(repository: RunRepository, word: string): FoundRun | Refusal {
  const found = findJournal(repository, word);
  if (!isRefusal(found) || found.code !== 'RunNotFound') return found;
  const [first = '', second] = word.split('/');
  const surfaces = repository.workflows.bundled.filter(({ name }) => second === undefined || name === first);
  const others = surfaces.map((surface) => findRunOf(repository, surface, second ?? first));
  return others.find((each) => !isRefusal(each)) ?? found;
}

export async function statusOfNamed(repository: RunRepository, word: string): Promise<KnownStatus | Refusal> {
  const found = namedRun(repository, word);
  return isRefusal(found) ? found : statusOf(repository, found);
}

/** Once nobody works on it any more, at the latest after `waitMs`. */
export async function restedStatus(
  repository: RunRepository,
  word: string,
  { waitMs, calling }: { readonly waitMs: number; readonly calling: Calling },
): Promise<KnownStatus | Refusal> {
  const found = namedRun(repository, word);
  if (isRefusal(found)) return found;
  const over = AbortSignal.any([calling.signal, AbortSignal.timeout(waitMs)]);
  const told = new AbortController();
  const telling = waitMs > 0 && !found.foreign ? tellProgress(repository, found, calling, told.signal) : undefined;
  try {
    for (;;) {
      const known = await statusOf(repository, found);
      if (isRefusal(known) || known.status.owner === null || waitMs === 0 || over.aborted) return known;
      await wait(pollMs, undefined, { signal: over }).catch(() => undefined);
    }
  } finally {
    told.abort();
    await telling;
  }
}

async function tellProgress(repository: RunRepository, found: FoundRun, { progress }: Calling, signal: AbortSignal) {
  const before = repository.store.records(found)?.length ?? 0;
  for await (const record of follow(repository, found, signal)) {
    const message = record.seq > before ? progressText(record) : null;
    if (message !== null) progress(message);
  }
}

function progressText(record: JournalRecord): string | null {
  if (record.type === 'dispatch.started') return `${record.role} (${record.agent}) works on ${record.step}`;
  return record.type === 'moved' ? `${record.from}: ${record.signal}` : null;
}

export function shownStatus(known: KnownStatus) {
  const { workflow, run, phase, outcome, message, until, updatedAt, open, usage, budget, problems, owner, workspace } =
    known.status;
  const decisions = openDecisions(known).map(shownDecision);
  const next = withCast(known.status.next, workflow, known.cast);
  return {
    workflow,
    run,
    phase,
    outcome,
    message,
    working: owner !== null,
    next,
    ...(decisions.length > 0 && { decisions, note: askThePerson }),
    ...(open && { open }),
    ...(until !== null && { until }),
    ...(problems.length > 0 && { problems }),
    usage,
    left: budget?.remaining ?? null,
    updatedAt,
    workspace,
  };
}

const askThePerson = 'Only the person answers: show them the question and its command, and do not run it.';

function openDecisions({ status }: KnownStatus): readonly OpenDecision[] {
  return status.decisions.filter(({ withdrawn }) => withdrawn === null);
}

function shownDecision({ id, title, detail, answers, paths, answerWith }: OpenDecision) {
  return { id, title, detail: detail.slice(0, detailCharsMax), answers, paths, answerWith };
}

/** Commands that a tool takes; every other one is a person's. */
export function nextStep(known: KnownStatus) {
  const { workflow, run, message, owner } = known.status;
  if (owner !== null) {
    return {
      run,
      message,
      command: null,
      by: 'nobody',
      call: { tool: 'run_status', arguments: { run, wait_seconds: 50 } },
    };
  }
  const decisions = openDecisions(known).map(shownDecision);
  if (decisions.length > 0) return { run, message, by: 'person', decisions, note: askThePerson, call: null };
  const command = withCast(known.status.next, workflow, known.cast);
  const call = callOf(command, workflow);
  return { run, message, command, by: command === null ? 'nobody' : call === null ? 'person' : 'you', call };
}

function callOf(command: string | null, workflow: string) {
  // What is quoted or left open needs somebody who fills it in.
  const [program, first, second, ...words] = command === null || /["'<]/.test(command) ? [] : command.split(' ');
  if (program !== 'pawl' || second === undefined || words.some((word) => word.startsWith('-'))) return null;
  if (first === 'resume') return { tool: 'resume_run', arguments: { run: second } };
  return first === workflow ? { tool: 'start_run', arguments: { workflow, verb: second, words } } : null;
}
