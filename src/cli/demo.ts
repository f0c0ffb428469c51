/** `pawl demo`: a whole run on a sample repository, by the same commands a person would type. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { readDocument, withoutLines } from '../documents/read-document.ts';
import { parseYaml } from '../documents/yaml.ts';
import { record } from '../schema/compound.ts';
import { verbatim } from '../schema/simple.ts';
import type { Demo, DemoRow } from '../workflows/surface.ts';
import { findRepository, git } from '../workspace/git.ts';
import { environmentOfDemo } from './calling-agent.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes, usageError } from './problem.ts';
import { screenOf, styleOf } from './show/screen.ts';
import { jsonText, wrapped } from './show/text.ts';
import { shellWord } from '../documents/shell-word.ts';
import { trustOwn } from './trusting.ts';

export const demo: CommandFunction = async ({ words, flags }, { workflows }) => {
  const surface = workflows.bundled.find((each) => each.demo !== undefined);
  const played = await surface?.demo?.();
  if (!surface || !played) throw new Error('no workflow has a demo');
  const json = flags['json'] === true;
  const say = (text: string): void => screenOf(json ? process.stderr : process.stdout).write(`${text}\n`);
  const folder = await makeSampleRepository(played.sample, words[0]);
  say(opening(folder));
  for (const words of played.steps) {
    const step = [surface.name, ...words];
    const line = ['pawl', ...step].map(shellWord).join(' ');
    say(`\n${styleOf(process.stdout).bold(`$ ${line}`)}`);
    const exitCode = await runPawl([...step, '--no-input'], folder, json);
    if (exitCode === exitCodes.done) continue;
    const stay = [...entering(folder).flat(), `pawl ${surface.name} status ${played.run}`];
    say(`\nThe demo stops here: \`${line}\` ended with exit code ${exitCode}. Its files are kept:\n${indented(stay)}`);
    return report(exitCode);
  }
  say(closing(folder, played));
  return report(exitCodes.done);

  /** Stdout is kept for one document. */
  function report(exitCode: number): number {
    if (json) screenOf(process.stdout).write(`${jsonText({ exitCode, folder, run: played?.run })}\n`);
    return exitCode;
  }
};

export function sampleFiles(sample: string): ReadonlyMap<string, string> {
  const file = 'the sample repository';
  const values = parseYaml(sample, { file, line: 1 });
  return new Map(Object.entries(readDocument(record(verbatim()), values, withoutLines(file))));
}

/** Makes it in `folder`, or in a fresh temporary one, and returns its path. */
export async function makeSampleRepository(sample: string, folder: string | undefined): Promise<string> {
  const root = folder === undefined ? mkdtempSync(join(tmpdir(), 'pawl-demo-')) : emptyFolder(resolve(folder));
  for (const [path, content] of sampleFiles(sample)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  await git(['init', '--quiet', '--initial-branch=main'], { cwd: root });
  await git(['add', '--all'], { cwd: root });
  await git(['commit', '--quiet', '--message=Slugs'], { cwd: root, env: identity });
  trustOwn(findRepository(root), 'everything');
  return root;
}

/** Nobody's name: the user's git configuration is neither read nor written. */
const identity = {
  GIT_AUTHOR_NAME: 'Pawl Demo',
  GIT_AUTHOR_EMAIL: 'demo@pawl.invalid',
  GIT_COMMITTER_NAME: 'Pawl Demo',
  GIT_COMMITTER_EMAIL: 'demo@pawl.invalid',
};

function emptyFolder(folder: string): string {
  if (existsSync(folder)) {
    const isFolder = statSync(folder).isDirectory();
    if (isFolder && readdirSync(folder).length === 0) return folder;
    const problem = `${folder} ${isFolder ? 'is not empty' : 'is not a folder'}: the demo makes a repository of its own`;
    throw usageError(problem, 'name an empty or a new folder, or none for a temporary one', folder);
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs this very program as a process of its own, on the same terminal. */
async function runPawl(args: readonly string[], folder: string, json: boolean): Promise<number> {
  const child = spawn(process.execPath, [thisProgram(), ...args], {
    cwd: folder,
    env: environmentOfDemo(),
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
  try {
    await once(child, 'close');
  } finally {
    process.off('SIGINT', wait);
    process.off('SIGTERM', passOn);
  }
  const { signalCode } = child;
  const exitCode = child.exitCode ?? 128 + (signalCode === null ? 0 : constants.signals[signalCode]);
  return interrupted && exitCode === exitCodes.done ? exitCodes.interrupted : exitCode;
}

function thisProgram(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new Error('the demo has to be started as a program: pawl demo');
  return program;
}

function opening(folder: string): string {
  const lines = [
    'This is a rehearsal: every agent in it is scripted. No model is called and nothing leaves this machine.',
    'The repository, the commands, the processes, the gates and the tests are real.',
    '',
    `Sample repository: ${folder}`,
  ];
  return lines.flatMap((line) => wrapped(line, width())).join('\n');
}

function closing(folder: string, { done, files, commands, killing, agents }: Demo): string {
  return [
    `\nDone: ${done}.`,
    `\nFiles to read in ${folder}`,
    columns(files),
    '\nTry next',
    columns([...entering(folder), ...commands], '# '),
    '\nInterrupt a run, with Ctrl-C or kill -9 at any moment, and resume it',
    columns(killing, '# '),
    '\nWith a real agent',
    indented([agents, 'pawl doctor lists the installed agents and the role of each.']),
  ].join('\n');
}

/** The commands that lead a shell to where the demo ran. */
function entering(folder: string): readonly [string][] {
  const alias = aliasOfPawl(thisProgram());
  return [[`cd ${shellWord(folder)}`], ...(alias === null ? [] : [[alias] satisfies [string]])];
}

/** The line that makes `pawl` work in a shell; null when it already does. */
export function aliasOfPawl(program: string, searchPath = process.env['PATH'] ?? ''): string | null {
  const script = realpathSync(program);
  if (findProgram('pawl', searchPath) === script) return null;
  const node = findProgram('node', searchPath) === realpathSync(process.execPath) ? 'node' : process.execPath;
  return `alias pawl=${shellWord(`${shellWord(node)} ${shellWord(script)}`)}`;
}

/** The real file behind a command. Folders that npm and npx add for the time of one command do not count. */
function findProgram(name: string, searchPath: string): string | undefined {
  const passing = join('node_modules', '.bin');
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '' && !folder.endsWith(`${sep}${passing}`));
  const files = folders.map((folder) => join(folder, name));
  const file = files.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  return file === undefined ? undefined : realpathSync(file);
}

function width(): number {
  return screenOf(process.stdout).columns() - 1;
}

function indented(lines: readonly string[]): string {
  return lines.flatMap((line) => wrapped(`  ${line}`, width())).join('\n');
}

const columnCharsMax = 44;

/** As far as the first column is short enough to line up; what is explained in a shell's words, in its comments. */
function columns(rows: readonly DemoRow[], mark = ''): string {
  const explained = rows.filter(([what, about]) => about !== undefined && what.length <= columnCharsMax);
  const first = Math.max(0, ...explained.map(([what]) => what.length));
  const lines = rows.flatMap(([what, about]) => {
    if (about === undefined) return [what];
    const [head = '', ...more] = wrapped(about, Math.max(aboutCharsMin, width() - first - 4 - mark.length));
    return [`${what.padEnd(first)}  ${mark}${head}`, ...more.map((line) => `${' '.repeat(first)}  ${mark}${line}`)];
  });
  return lines.map((line) => `  ${line}`).join('\n');
}

const aboutCharsMin = 20;
