/** `pawl demo`: a whole change on a sample repository, by the same commands a person would type. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { styleText } from 'node:util';
import type { CommandFunction } from './commands.ts';
import { aliasOfPawl, shellWord } from './demo/calling-pawl.ts';
import { makeSampleRepository } from './demo/sample-repository.ts';
import { exitCodes } from './exit-codes.ts';

const change = 'limit-slugs';

const steps: readonly (readonly string[])[] = [
  ['change', 'plan', change, 'Slugs get a maximum length and stay unique', '--agent', 'scripted'],
  ['change', 'impl', change, '--agent', 'scripted'],
  ['change', 'archive', change, '--agent', 'scripted'],
];

export const demo: CommandFunction = async ({ words, flags }) => {
  const json = flags['json'] === true;
  const show: Show = { json, say: (text) => void (json ? process.stderr : process.stdout).write(`${text}\n`) };
  const folder = await makeSampleRepository(words[0]);
  show.say(opening(folder));
  const exitCode = await playAll(folder, show);
  if (exitCode === exitCodes.done) show.say(closing(folder));
  if (json) process.stdout.write(`${JSON.stringify({ exitCode, folder, run: change })}\n`);
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

async function playAll(folder: string, show: Show): Promise<number> {
  for (const step of steps) {
    const line = ['pawl', ...step].map(shellWord).join(' ');
    show.say(`\n${heading(`$ ${line}`)}`);
    const exitCode = await runPawl([...step, '--no-input'], folder, show);
    if (exitCode === exitCodes.done) continue;
    show.say(`\nThe demo stops here: \`${line}\` ended with exit code ${exitCode}. ${stay(folder)}`);
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

function stay(folder: string): string {
  const lines = [...entering(folder).flat(), `pawl change status ${change}`];
  return `Everything it did is still there:\n${indented(lines)}`;
}

function closing(folder: string): string {
  const archive = `agentd/archive/${change}`;
  const files: Row[] = [
    [`${archive}/proposal.md`, 'the plan, and behind it both reviews of the challenger'],
    [`${archive}/REVIEW.md`, 'the last review of the code'],
    [`${archive}/STATE.yaml`, 'phase and verdict, and what every dispatch used'],
    ['agentd/specs/slug.md', 'the permanent spec: R3 modified, R4 added'],
    ['agentd/specs/CHANGELOG.md', 'which change brought what'],
    ['slug/', 'the code and its tests'],
  ];
  const commands: Row[] = [
    ...entering(folder),
    [`pawl log ${change}`, 'everything that happened, record by record'],
    [`pawl show ${change}`, 'its way through the workflow, and how often it went each way'],
    [`pawl diff ${change}`, 'what the run did to the code'],
    ['git diff agentd/specs', 'what became of the permanent spec'],
    ['pawl runs', 'all runs of this repository'],
    ['pawl verify change', 'the proofs that no run can get around its gates'],
    ['npm test', "the sample's own tests"],
  ];
  const killing: Row[] = [
    ['pawl change plan once-more "The same again" --agent scripted'],
    ['pawl change plan once-more', 'goes on where it was; nothing finished is done again'],
  ];
  return [
    '\nDone: the plan was challenged and revised, the code reviewed and fixed, the specs merged.',
    `\nWorth opening in ${folder}`,
    indented(columns(files)),
    '\nTry next',
    indented(columns(commands, '# ')),
    '\nStop it in the middle, with Ctrl-C or kill -9 at any moment, and go on',
    indented(columns(killing, '# ')),
    '\nWith a real agent',
    indented([
      'Leave out --agent scripted: the agents on your PATH share the roles, or [roles] in pawl.toml says who does what.',
      'pawl doctor shows which agents are installed here, and which would play which role.',
    ]),
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

type Row = readonly [what: string, about?: string];

const columnCharsMax = 44;

/** What to open or type, and what it is for, as far as the first column is short enough to line up. */
function columns(rows: readonly Row[], mark = ''): string[] {
  const explained = rows.filter(([what, about]) => about !== undefined && what.length <= columnCharsMax);
  const width = Math.max(0, ...explained.map(([what]) => what.length));
  return rows.map(([what, about]) => (about === undefined ? what : `${what.padEnd(width)}  ${mark}${about}`));
}
