/**
 * The lives of a full and a lean session as crash scenarios: each command from the state an earlier one left.
 * They end where a person decides, so commands are killed on both sides of every decision; with `--answers` a command
 * goes on past decisions, so it is killed between an answer and all that follows from it, too.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '../../src/store/read-journal.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import { answerIn } from '../../src/runtime/answering.ts';
import {
  crashAt,
  runUndisturbed,
  type CrashScenario,
  type Instant,
  type Undisturbed,
} from '../../src/testing/crash-kit.ts';
import { stratifiedSample } from './samples.ts';
import { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { program } from '../change/scripts.ts';

const root = new URL('../../', import.meta.url).pathname;
const hook = join(root, 'dist/crash-hook.js');
const { day, zone } = dayFarFromMidnight(new Date());
const run = `${day}_short-slugs`;

/** Pinned exit codes of commands. */
const done = 0;
const usage = 2;
const needsPerson = 3;
const notReady = 4;

type Answers = Readonly<Record<string, readonly string[]>>;

interface Command {
  readonly name: string;
  /** The command whose end it begins from; else that of the one before it. */
  readonly from?: string;
  readonly exitCode: number;
  readonly args: readonly string[];
  /** Has so many dispatches that the inner ones are sampled. */
  readonly isLong?: true;
}

const scripted = ['--agent', 'scripted', '--script', '../script.yaml', '--no-input'];
const correction = 'changes-requested(Architect): say where a long slug is cut';

const start = ['session', 'start', 'Shorter slugs', '--slug', 'short-slugs', ...scripted];
const resume = ['session', 'resume', run, ...scripted];
const given = (name: string): readonly string[] => ['--answers', `../${name}.json`];

const answered = (decision: string, words: string): Command => ({
  name: `answer ${decision}: ${words}`,
  exitCode: done,
  args: ['answer', run, decision, words],
});

const full = {
  rehearsal: 'full',
  answers: {
    correction: { 'UD-APPROVE-DESIGN': [correction] },
    design: { 'UD-APPROVE-DESIGN': [correction, 'looks good'] },
    security: { 'UD-1': ['fix-later'] },
    manual: { 'UD-3': ['met: read three of them aloud'] },
  },
  commands: [
    { name: 'design', exitCode: needsPerson, args: start },
    { name: 'design corrected and approved in one go', exitCode: needsPerson, args: [...resume, ...given('design')] },
    { ...answered('UD-APPROVE-DESIGN', correction), from: 'design' },
    { name: 'correction', exitCode: needsPerson, args: resume },
    answered('UD-APPROVE-DESIGN', 'approved'),
    { name: 'plan', exitCode: needsPerson, args: resume },
    answered('UD-REVIEW-STRATEGY', 'per-batch'),
    { name: 'first task', exitCode: needsPerson, args: resume, isLong: true },
    answered('UD-1', 'fix-later'),
    { name: 'second task', exitCode: needsPerson, args: resume, isLong: true },
    answered('UD-2', 'none'),
    { name: 'build', exitCode: needsPerson, args: resume, isLong: true },
    answered('UD-3', 'met: read three of them aloud'),
    { name: 'release', exitCode: done, args: resume, isLong: true },
    { name: 'release in one go', from: 'build', exitCode: done, args: [...resume, ...given('manual')], isLong: true },
  ],
} as const satisfies Life;

const lean = {
  rehearsal: 'lean',
  answers: { question: { 'UD-1': ['at both ends'], 'UD-RUN-COMMANDS': ['run'] } },
  commands: [
    { name: 'lean task', exitCode: needsPerson, args: [...start, '--lean'] },
    answered('UD-1', 'at both ends'),
    { name: 'lean build', exitCode: needsPerson, args: resume, isLong: true },
    answered('UD-RUN-COMMANDS', 'run'),
    { name: 'lean end', exitCode: done, args: resume },
    {
      name: 'lean in one go',
      from: '',
      exitCode: done,
      args: [...start, '--lean', ...given('question')],
      isLong: true,
    },
  ],
} as const satisfies Life;

export const lives = { full, lean };

interface Life {
  readonly rehearsal: 'full' | 'lean';
  /** By the name of the file beside the repository that holds them. */
  readonly answers: Readonly<Record<string, Answers>>;
  readonly commands: readonly Command[];
}

export interface SessionStep extends Command {
  readonly scenario: CrashScenario;
  readonly undisturbed: Undisturbed;
  readonly facts: Facts;
}

export async function sessionLife(life: Life) {
  const beginning = ScratchRepository.create(program, {});
  const script = readFileSync(join(root, `src/workflows/session/rehearsal-${life.rehearsal}.yaml`), 'utf8');
  writeFileSync(join(beginning.folder, 'script.yaml'), script.replaceAll(/^ *sleep_ms:.*\n/gm, ''));
  for (const [name, answers] of Object.entries(life.answers)) {
    writeFileSync(join(beginning.folder, `${name}.json`), JSON.stringify(answers));
  }
  const steps: SessionStep[] = [];
  for (const command of life.commands) steps.push(await stepFrom(beginning, steps, command));
  return {
    steps,
    remove: () => [beginning, ...steps.map((step) => step.undisturbed.after)].map((each) => each.remove()),
  };
}

async function stepFrom(
  beginning: ScratchRepository,
  steps: readonly SessionStep[],
  command: Command,
): Promise<SessionStep> {
  const { args, from = steps.at(-1)?.name } = command;
  const checkpoint = steps.find(({ name }) => name === from)?.undisturbed.after ?? beginning;
  // Whoever begins a session again is told to go on with it.
  const goOn = { afterExit: usage, args: [...resume, ...args.slice(start.length).filter((arg) => arg !== '--lean')] };
  const begins = args[1] === 'start';
  const scenario = { checkpoint, args, workflow: 'session', run, hook, env: { TZ: zone }, ...(begins && { goOn }) };
  const undisturbed = await runUndisturbed(scenario);
  const records = readJournal(undisturbed.after.runFolder('session', run)) ?? [];
  return { ...command, scenario, undisturbed, facts: factsOf(records) };
}

/** What has come on record, which no kill may change. */
interface Facts {
  /** Every answer, in the order they were given. */
  readonly answers: readonly string[];
  readonly corrections: { readonly requested: number; readonly made: number };
}

function factsOf(records: readonly JournalRecord[]): Facts {
  const moved = records.filter((record) => record.type === 'moved');
  const answers = records.map(answerIn).filter((answer) => answer !== null);
  return {
    answers: answers.map(({ decision, answer }) => `${decision}: ${answer}`),
    corrections: {
      requested: answers.filter(({ answer }) => answer?.startsWith('changes-requested')).length,
      made: moved.filter(({ from, signal }) => from.startsWith('correct_') && signal === 'reported').length,
    },
  };
}

/** Kills the command, runs it again, and says what is not as it would have been undisturbed. */
export async function disturbed({ exitCode, scenario, undisturbed, facts }: SessionStep, instant: Instant) {
  const { remains, repeated, alive, records, said } = await crashAt(scenario, instant);
  // An answer that was on record before the kill is not asked for again.
  const isKnown = scenario.args[0] === 'answer' && remains.exitCode === notReady;
  return {
    said,
    found: { remains: { ...remains, ...(isKnown && { exitCode }) }, facts: factsOf(records), repeated, alive },
    wanted: { remains: undisturbed.remains, facts, repeated: [], alive: [] },
  };
}

/** How many instants of each kind are taken of a long command. */
const longPerKind = 1;

/**
 * All of a command; of a long one what is around its ends, where decisions are, but for processes, and of all the rest
 * every kind of instant.
 */
export function casesOf({ isLong, undisturbed: { instants } }: SessionStep): readonly Instant[] {
  if (!isLong) return instants;
  const first = instants.findIndex(({ what }) => what === 'before-record report.filed');
  const last = instants.findLastIndex(({ what }) => what === 'before-record report.filed');
  const ends = instants.filter(({ what }, index) => (index < first || index >= last) && !what.includes('spawn'));
  return [...new Set([...ends, ...stratifiedSample(instants, longPerKind)])];
}

/** A session is named after the day: one that lasts for hours, wherever the clock stands now. */
function dayFarFromMidnight(now: Date): { day: string; zone: string } {
  const hoursToNoon = 12 - now.getUTCHours();
  const zone = `TEST${hoursToNoon > 0 ? '-' : '+'}${Math.abs(hoursToNoon)}`;
  return { day: new Date(now.getTime() + hoursToNoon * 3_600_000).toISOString().slice(0, 10), zone };
}
