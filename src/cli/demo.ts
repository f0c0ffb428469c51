/** `pawl demo`: a whole run on a sample repository, by the same commands a person would type. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { styleText } from 'node:util';
import type { Demo, DemoRow } from '../workflows/surface.ts';
import { aliasOfPawl, shellWord } from './demo/calling-pawl.ts';
import { makeSampleRepository } from './demo/sample-repository.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommandFunction } from './verb.ts';

export const demo: CommandFunction = async ({ words, flags }, { workflows }) => {
  const surface = workflows.bundled.find((each) => each.demo !== undefined);
  const played = await surface?.demo?.();
  if (!surface || !played) throw new Error('no workflow has a demo');
  const steps = played.steps.map((step) => [surface.name, ...step]);
  const status = `pawl ${surface.name} status ${played.run}`;
  const json = flags['json'] === true;
  const show: Show = { json, say: (text) => void (json ? process.stderr : process.stdout).write(`${text}\n`) };
  const folder = await makeSampleRepository(played.sample, words[0]);
  show.say(opening(folder));
  const exitCode = await playAll({ steps, status, folder }, show);
  if (exitCode === exitCodes.done) show.say(closing(folder, played));
  if (json) process.stdout.write(`${JSON.stringify({ exitCode, folder, run: played.run })}\n`);
  return exitCode;
};

interface Show {
  /** Stdout is kept for one document. */
  readonly json: boolean;
  say(text: string): void;
}

function opening(folder: string): string {
  return [
    'This is a rehearsal: every agent in it is scripted. No model is called and nothing leaves this machine.',
    'The repository, the commands, the processes, the gates and the tests are real.',
    '',
    `A sample repository was made in ${folder}`,
  ].join('\n');
}

interface Play {
  readonly steps: readonly (readonly string[])[];
  /** The command that shows where the run is. */
  readonly status: string;
  readonly folder: string;
}

async function playAll({ steps, status, folder }: Play, show: Show): Promise<number> {
  for (const step of steps) {
    const line = ['pawl', ...step].map(shellWord).join(' ');
    show.say(`\n${heading(`$ ${line}`)}`);
    const exitCode = await runPawl([...step, '--no-input'], folder, show);
    if (exitCode === exitCodes.done) continue;
    show.say(`\nThe demo stops here: \`${line}\` ended with exit code ${exitCode}. ${stay(folder, status)}`);
    return exitCode;
  }
  return exitCodes.done;
}

function heading(text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText('bold', text) : text;
}

/** Runs this very program as a process of its own, on the same terminal. */
function runPawl(args: readonly string[], folder: string, { json }: Show): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [thisProgram(), ...args], {
      cwd: folder,
      stdio: ['ignore', json ? process.stderr.fd : 'inherit', 'inherit'],
    });
    let interrupted = false;
    // Ctrl-C reaches the child too: it leaves its run in order, and only then does the demo end.
    const wait = (): void => {
      interrupted = true;
    };
    const passOn = (): void => void child.kill('SIGTERM');
    process.on('SIGINT', wait);
    process.on('SIGTERM', passOn);
    const done = (): void => {
      process.off('SIGINT', wait);
      process.off('SIGTERM', passOn);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, signal) => {
      done();
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve(interrupted && exitCode === exitCodes.done ? exitCodes.interrupted : exitCode);
    });
  });
}

function thisProgram(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new Error('the demo has to be started as a program: pawl demo');
  return program;
}

function stay(folder: string, status: string): string {
  const lines = [...entering(folder).flat(), status];
  return `Everything it did is still there:\n${indented(lines)}`;
}

function closing(folder: string, { done, files, commands, killing, agents }: Demo): string {
  return [
    `\nDone: ${done}.`,
    `\nWorth opening in ${folder}`,
    indented(columns(files)),
    '\nTry next',
    indented(columns([...entering(folder), ...commands], '# ')),
    '\nStop it in the middle, with Ctrl-C or kill -9 at any moment, and go on',
    indented(columns(killing, '# ')),
    '\nWith a real agent',
    indented([agents, 'pawl doctor shows which agents are installed here, and which would play which role.']),
  ].join('\n');
}

/** What to type to stand where the demo was. */
function entering(folder: string): readonly [string][] {
  const alias = aliasOfPawl(thisProgram());
  return [[`cd ${shellWord(folder)}`], ...(alias === null ? [] : [[alias] satisfies [string]])];
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

const columnCharsMax = 44;

/** As far as the first column is short enough to line up. */
function columns(rows: readonly DemoRow[], mark = ''): string[] {
  const explained = rows.filter(([what, about]) => about !== undefined && what.length <= columnCharsMax);
  const width = Math.max(0, ...explained.map(([what]) => what.length));
  return rows.map(([what, about]) => (about === undefined ? what : `${what.padEnd(width)}  ${mark}${about}`));
}
