/** `finish`: brings the work of a run that is over home. */

import { findRun } from '../runs/find.ts';
import { finishRun, finishWays, type FinishOrder, type FinishPlan, type FinishWay } from '../runs/finish-run.ts';
import { landedText } from '../runs/landed-text.ts';
import { refusal, type Refusal } from '../runs/refusal.ts';
import type { Person } from '../runtime/host.ts';
import type { CommandInput, Flags } from '../workflows/surface.ts';
import { isAttended } from './calling-agent.ts';
import { compose } from './compose.ts';
import type { CommandFunction } from './context.ts';
import { accepted, usageError } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { print } from './show/screen.ts';
import { plainText, wrapped } from './show/text.ts';
import { terminalPerson } from './terminal-person.ts';
import { refusedUntrusted } from './trusting.ts';

export const finish: CommandFunction = async (given, context) => {
  const presenter = presenterFor({ json: given.flags['json'] === true });
  const person = isAttended(given) ? terminalPerson(presenter) : null;
  const order = orderIn(given);
  const repository = context.repository();
  const key = accepted(findRun(repository, given.words[0] ?? ''));
  const interrupted = new AbortController().signal;
  const host = compose({ surfaces: [], person, observe: (event) => presenter.observe(event), interrupted });
  try {
    const caller = { host, untrusted: (place: typeof repository) => refusedUntrusted(place, person) };
    const choose = (plan: FinishPlan) => (order.how ? { ...order, how: order.how } : chosen(plan, order, person));
    const { landed, notes } = accepted(await finishRun(repository, key, caller, choose));
    const lines = [`${key.run} is finished: ${landedText(landed)}`, ...notes.map((note) => `  ${note}`)];
    return print(given.flags, { ...key, action: 'finished', ...landed, notes }, plainText(lines.join('\n')));
  } finally {
    presenter.close();
    await host.close();
  }
};

type Given = Partial<FinishOrder>;

function orderIn({ words, flags }: CommandInput): Given {
  const named = finishWays.filter((way) => flags[flagOf(way)] !== undefined);
  const [how, other] = named;
  if (other !== undefined)
    throw usageError(`${named.map((way) => `--${flagOf(way)}`).join(' and ')} exclude each other`, 'leave one out');
  const textOf = (name: keyof Flags): string | undefined => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [message, into, confirmed] = [textOf('message'), textOf('into'), textOf('discard')];
  if (message?.trim() === '') throw usageError('the message is empty', `pawl finish ${words[0]} --message "<text>"`);
  return {
    ...(how && { how }),
    ...(message !== undefined && { message }),
    ...(into !== undefined && { into }),
    ...(confirmed !== undefined && { confirmed }),
  };
}

const flagOf = (way: FinishWay): string => way.replace('_', '-');

async function chosen(plan: FinishPlan, given: Given, person: Person | null): Promise<FinishOrder | Refusal> {
  const { run, ways } = plan;
  const usual = ways.includes('merge') ? 'merge' : (ways[0] ?? 'keep');
  const needed = (): Refusal => {
    const flags = ways.map((way) => `--${flagOf(way)}${way === 'discard' ? ` ${run}` : ''}`).join(', ');
    const message = `nothing was done: say what becomes of the work of ${run} with ${flags}`;
    const example = `pawl finish ${run} --${flagOf(usual)}`;
    return refusal('PersonNeeded', message, { outcome: 'needs_person', fix: example });
  };
  if (person === null) return needed();
  const answers = Object.fromEntries(ways.map((way) => [way, words[way](plan)]));
  const answer = await person.ask({
    title: `What becomes of the work of ${run}?`,
    detail: detailOf(plan, given),
    answers,
    paths: [],
    root: plan.workspace,
  });
  const how = ways.find((way) => way === answer);
  if (how === undefined) return needed();
  if (how !== 'discard') return { ...given, how };
  const title = `Discard ${run}? Its worktree and its branch are removed.`;
  const detail = `Type ${run} to confirm.`;
  const typed = await person.ask({ title, detail, answers: {}, paths: [], freeText: true, ownWords: true });
  return { ...given, how, confirmed: (typed ?? '').trim() };
}

const words: Readonly<Record<FinishWay, (plan: FinishPlan) => string>> = {
  commit: ({ branch, into }) => `commit it on ${branch ?? into ?? 'this commit'}`,
  merge: ({ into }) => `commit it, merge it into ${into ?? 'your branch'}, remove the worktree`,
  pull_request: () => 'commit it, push the branch, open a pull request',
  keep: () => 'leave everything as it is',
  discard: () => 'remove the worktree and the branch, with all of it',
};

const namedMax = 10;

function detailOf({ workspace, branch, uncommitted, shared, message }: FinishPlan, given: Given): string {
  const place = branch === null ? 'It is in your checkout' : `It is in ${workspace}, on the branch ${branch}`;
  if (uncommitted.length === 0) return `${place}; all of it is committed.`;
  const more = uncommitted.length > namedMax ? [`  and ${uncommitted.length - namedMax} more`] : [];
  return [
    `${place}. Not committed:`,
    ...uncommitted.slice(0, namedMax).map((path) => `  ${path}`),
    ...more,
    ...(shared.length > 0 ? [`Changed by others too: ${shared.join(', ')}`] : []),
    `The commit's message: ${(given.message ?? message).split('\n')[0]}`,
  ]
    .flatMap((line) => wrapped(line, 100))
    .join('\n');
}
