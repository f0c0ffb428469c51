/**
 * The project's own tests, type check, linter and audit, found by the files that mark a toolchain.
 *
 * L1. A check that cannot say anything (its program is missing, there are no tests) is not available, never failed.
 * L2. What uses the network, such as an audit, runs only when it is configured.
 */

import { isRecord } from '../../../schema/values.ts';
import { runProgram } from '../../define-workflow.ts';
import type { CheckContext, CheckResult, CommandRun, FileView } from '../../workflow.ts';
import { checkNames, readConfig, type CheckName } from '../config.ts';
import type { DataPatch } from '../../data-slots.ts';
import { planDigest } from '../documents.ts';
import { data, type CheckRun } from '../run-data.ts';

/** Their output goes to files the reviewer is pointed to. */
export async function runChecks(context: CheckContext): Promise<CheckResult> {
  const { config } = readConfig(context.files);
  const results: CheckRun[] = [];
  const notes: string[] = [];
  for (const check of localChecks(context.files, config.checks.commands)) {
    const { why, ...result } = await runCheck(context, check, config.checks.timeoutMinutes);
    results.push(result);
    notes.push(`${result.name}: ${result.status}${why === '' ? '' : ` (${why})`}`);
  }
  const changed = data.changedFiles.set(await context.changedFiles());
  return {
    signal: { name: 'ran', data: { ...data.checks.set({ results }), ...changed, ...acceptedPlan(context) } },
    notes: notes.length > 0 ? notes : ['no checks were found; set them under [checks] in pawl.toml'],
  };
}

/** A review of a complete change may come with accepted edits of its plan. */
function acceptedPlan({ files, run, snapshot }: CheckContext): DataPatch {
  if (!data.acceptEdits.of(snapshot)) return {};
  const approved = data.approvedPlan.set({ digest: planDigest(files, run), by: 'person' });
  return { ...approved, ...data.acceptEdits.set(false) };
}

async function runCheck(context: CheckContext, { name, command, required }: LocalCheck, minutes: number) {
  if (command === null) return { ...noTests, name, required, log: null };
  const run = await runProgram(context, command, minutes);
  const { end, words, outputFile: log } = run;
  const shared = { name, required, log };
  const told = `${command.join(' ')} ${words}`;
  if (end === 'passed') return { ...shared, status: 'passed', why: '' } as const;
  if (end === 'missing') return { ...shared, status: 'not available', why: told, log: null } as const;
  if (end === 'timed_out') {
    const why = `${command.join(' ')} was stopped after ${minutes} minutes; see [checks] timeout_minutes`;
    return { ...shared, status: 'timed out', why } as const;
  }
  if (foundNoTests(run)) return { ...shared, ...noTests };
  return { ...shared, status: 'failed', why: told } as const;
}

const noTests = { status: 'not available', why: 'there are no tests' } as const;

/** L1. Test runners that take an empty set of tests for a failure, by their exit code or a whole line of theirs. */
function foundNoTests({ command, exitCode, output }: CommandRun): boolean {
  if (command.some((word) => /(?:^|\/)pytest$/.test(word)) && exitCode === 5) return true;
  return /^(?:No tests found|No test files found), exiting with code 1\r?$|^Error: No test files found(?:: .*)?\r?$/m.test(
    output,
  );
}

type Commands = Partial<Record<CheckName, Command>>;
/** Null: the project has a place for it, with nothing in it. */
type Command = readonly string[] | null;
type Configured = Readonly<Record<CheckName, readonly string[] | false | null>>;

interface LocalCheck {
  readonly name: CheckName;
  readonly command: Command;
  readonly required: boolean;
}

/**
 * Several toolchains in one repository are all used. Targets of make call the other tools, so they count where there are none.
 * Configured commands win, `false` switches a check off. A failed audit forbids no approval: it also fails without a network.
 */
export function localChecks(files: FileView, configured: Configured): LocalCheck[] {
  const names = files.list('.', 'shallow');
  const found = toolchains.flatMap(({ marker, checks }) =>
    names.some((name) => marker.test(name)) ? [checks(files)] : [],
  );
  const make = makeTargets(files, names);
  return checkNames.flatMap((name) => {
    const own = configured[name];
    if (own === false) return [];
    const detected = found.flatMap((each): Command[] => (each[name] === undefined ? [] : [each[name]]));
    const commands = own ? [own] : detected.length > 0 ? detected : make(name);
    return commands.map((command) => ({ name, command, required: name !== 'audit' }));
  });
}

interface Toolchain {
  readonly marker: RegExp;
  readonly checks: (files: FileView) => Commands;
}

/** A toolchain is found once, however many of its markers there are. */
const toolchains: readonly Toolchain[] = [
  { marker: /^package\.json$/, checks: npm },
  { marker: /^(?:pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt)$/, checks: python },
  { marker: /^Cargo\.toml$/, checks: () => ({ test: ['cargo', 'test'], typecheck: ['cargo', 'check'] }) },
  { marker: /^go\.mod$/, checks: () => ({ test: ['go', 'test', './...'], typecheck: ['go', 'vet', './...'] }) },
  { marker: /^pom\.xml$/, checks: () => ({ test: ['mvn', '-q', 'test'] }) },
  { marker: /^(?:gradlew|build\.gradle|build\.gradle\.kts)$/, checks: gradle },
  { marker: /^Gemfile$/, checks: ruby },
  { marker: /\.(?:sln|slnx|csproj|fsproj|vbproj)$/, checks: () => ({ test: ['dotnet', 'test'] }) },
];

function npm(files: FileView): Commands {
  const scripts = scriptsOf(files.read('package.json') ?? '');
  const script = (name: string, command: Command): Commands => (name in scripts ? { [name]: command } : {});
  // The script that `npm init` writes.
  const isDefault = /^echo "Error: no test specified" && exit 1$/.test(String(scripts['test']).trim());
  return {
    ...script('test', isDefault ? null : ['npm', 'test']),
    ...script('typecheck', ['npm', 'run', 'typecheck']),
    ...script('lint', ['npm', 'run', 'lint']),
  };
}

/** A package.json that cannot be read has no scripts; its own tools will say so. */
function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isRecord(value['scripts']) ? value['scripts'] : {};
  } catch {
    return {};
  }
}

/** Linter and type checker only where the project is set up for them: their defaults are nobody's rules. */
function python(files: FileView): Commands {
  const settings = ['pyproject.toml', 'setup.cfg'].map((path) => files.read(path) ?? '').join('\n');
  const usesRuff = /^\[tool\.ruff/m.test(settings) || files.exists('ruff.toml') || files.exists('.ruff.toml');
  const usesMypy = /^\[(?:tool\.)?mypy/m.test(settings) || files.exists('mypy.ini');
  return {
    test: ['pytest', '-q'],
    ...(usesRuff && { lint: ['ruff', 'check', '.'] }),
    ...(usesMypy && { typecheck: ['mypy', '.'] }),
  };
}

function gradle(files: FileView): Commands {
  return { test: [files.exists('gradlew') ? './gradlew' : 'gradle', 'test'] };
}

function ruby(files: FileView): Commands {
  const bundled = (...words: readonly string[]): Command => ['bundle', 'exec', ...words];
  const usesRspec = files.exists('.rspec') || files.exists('spec');
  return {
    ...((usesRspec || files.exists('Rakefile')) && { test: usesRspec ? bundled('rspec') : bundled('rake', 'test') }),
    ...(files.exists('.rubocop.yml') && { lint: bundled('rubocop') }),
  };
}

/** The targets named like checks; `check` is the usual other name for `test`. */
function makeTargets(files: FileView, names: readonly string[]): (name: CheckName) => Command[] {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((each) => names.includes(each));
  const text = file === undefined ? '' : (files.read(file) ?? '');
  const targets = new Set([...text.matchAll(/^([\w.-]+)[ \t]*:(?!=)/gm)].map(([, target]) => target));
  return (name) => {
    const target = [name, ...(name === 'test' ? ['check'] : [])].find((each) => targets.has(each));
    // L2.
    return target === undefined || name === 'audit' ? [] : [['make', target]];
  };
}
