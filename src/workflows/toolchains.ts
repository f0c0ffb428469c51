/** Programs that test and check a project, found by the files that mark a toolchain. */

import { splitCommand } from '../documents/command-line.ts';
import type { TestFormat } from '../documents/test-results.ts';
import { isRecord } from '../schema/values.ts';
import type { CheckContext, FileView } from './workflow.ts';

/** Null: the project has a place for it, with nothing in it. */
export type Command = readonly string[] | null;
export type Purpose = 'test' | 'typecheck' | 'lint';

/** What is left of a project's tests where the runner that most projects have is not installed. */
export const otherTests: ReadonlyMap<string, readonly string[]> = new Map([
  ['pytest', ['python3', '-m', 'unittest', 'discover']],
]);

/** A run of tests that reports each of them; `otherwise` where the first program is not installed. */
export interface TestRun {
  readonly command: readonly string[];
  /** Null: whatever the output happens to be. */
  readonly format: TestFormat | null;
  readonly otherwise?: TestRun;
}

/** Several toolchains in one repository are all used. Targets of make call the other tools, so they count where there are none. */
export function projectCommands(files: FileView, purpose: Purpose): readonly Command[] {
  const found = toolchainsIn(files).flatMap(({ commands }) => {
    const command = commands(files)[purpose];
    return command === undefined ? [] : [command];
  });
  return found.length > 0 ? found : makeTarget(files, purpose);
}

/** All tests of the project. A toolchain whose runner has no format we read is asked for its tests only. */
export function testRuns(files: FileView): TestRun[] {
  const found = toolchainsIn(files).flatMap(({ commands, tests }): TestRun[] => {
    const { test } = commands(files);
    if (!test) return [];
    return [tests?.(files, test) ?? { command: test, format: null }];
  });
  if (found.length > 0) return found;
  return makeTarget(files, 'test').map((command) => ({ command, format: null }));
}

/** Compiles or type-checks without running anything; empty where a language has no such step. */
export function buildCommands(files: FileView): readonly string[][] {
  const checks = projectCommands(files, 'typecheck').flatMap((command) => (command ? [[...command]] : []));
  const isTypeScript = files.exists('tsconfig.json') && !checks.some(([program]) => program === 'npm');
  return isTypeScript ? [...checks, ['npx', '--no-install', '--offline', 'tsc', '--noEmit']] : checks;
}

export interface FoundCommand {
  readonly command: string;
  /** What it runs, where the file that it is found by says so. */
  readonly runs: string | null;
}

/** What Pawl runs because of files that it finds, without being told to: tests, linters, compilers. */
export function foundCommands(files: FileView): readonly FoundCommand[] {
  const named = [...projectCommands(files, 'test'), ...projectCommands(files, 'lint'), ...buildCommands(files)];
  const scripts = scriptsOf(files);
  const found = named.flatMap((words): [string, FoundCommand][] => {
    if (words === null) return [];
    const command = [...devShell(files), ...words].join(' ');
    const script = words[0] === 'npm' ? scripts[words.at(-1) ?? ''] : undefined;
    return [[command, { command, runs: typeof script === 'string' ? script : null }]];
  });
  return [...new Map(found).values()];
}

/** Where the project's flake has a development shell, its tools may be installed nowhere else. */
export function devShell(files: Pick<FileView, 'read'>): readonly string[] {
  const code = (files.read('flake.nix') ?? '').replaceAll(/#.*|\/\*[^]*?\*\//g, '');
  return /\bdevShells?\b/.test(code) ? ['nix', 'develop', '-c'] : [];
}

/** The command in the development shell, if there is one that starts and has the program; else the command itself. */
export async function inDevShell({ exec, files }: Shell, command: readonly string[], minutes: number) {
  const shell = devShell(files);
  const [program = ''] = command;
  if (shell.length === 0) return command;
  const probe = await exec([...shell, 'sh', '-c', 'command -v "$0"', program], { timeoutMs: minutes * 60_000 });
  return probe.exitCode === 0 ? [...shell, ...command] : command;
}

type Shell = Pick<CheckContext, 'exec' | 'files'>;

/** Beginnings of what somebody may run who works with these toolchains and nothing else: no git, network or installing. */
export function toolCommands(files: FileView, kind: 'test' | 'build'): readonly string[] {
  const found = toolchainsIn(files).flatMap(({ tools }) => [...tools.test, ...(kind === 'build' ? tools.build : [])]);
  const make = makeTarget(files, 'test').length > 0 ? ['make'] : [];
  const commands = [...new Set([...found, ...make])];
  const shell = devShell(files).join(' ');
  return shell === '' ? commands : [...commands, ...commands.map((command) => `${shell} ${command}`)];
}

interface Toolchain {
  /** Beginnings of its commands: its test runners, and what else builds and checks. */
  readonly tools: { readonly test: readonly string[]; readonly build: readonly string[] };
  readonly marker: RegExp;
  readonly commands: (files: FileView) => Partial<Record<Purpose, Command>>;
  /** How its runner is told to report each test; undefined where it cannot be. */
  readonly tests?: (files: FileView, test: readonly string[]) => TestRun | undefined;
}

/** A toolchain is found once, however many of its markers there are. */
const toolchains: readonly Toolchain[] = [
  {
    marker: /^package\.json$/,
    commands: npm,
    tests: npmTests,
    tools: { test: ['npm test', 'node --test', 'npx vitest', 'npx jest'], build: ['npm run', 'npx tsc'] },
  },
  {
    marker: /^(?:pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt)$/,
    commands: python,
    tests: pythonTests,
    tools: { test: ['pytest', 'python3 -m pytest', 'python3 -m unittest'], build: ['mypy', 'ruff check'] },
  },
  {
    marker: /^Cargo\.toml$/,
    commands: () => ({ test: ['cargo', 'test'], typecheck: ['cargo', 'check'] }),
    tests: () => ({ command: ['cargo', 'test', '--no-fail-fast'], format: 'cargo' }),
    tools: { test: ['cargo test'], build: ['cargo check', 'cargo build', 'cargo clippy', 'cargo fmt'] },
  },
  {
    marker: /^go\.mod$/,
    commands: () => ({ test: ['go', 'test', './...'], typecheck: ['go', 'vet', './...'] }),
    tools: { test: ['go test'], build: ['go vet', 'go build', 'gofmt'] },
  },
  {
    marker: /^pom\.xml$/,
    commands: () => ({ test: ['mvn', '-q', 'test'] }),
    tools: { test: ['mvn -q test', 'mvn test'], build: ['mvn compile'] },
  },
  {
    marker: /^(?:gradlew|build\.gradle|build\.gradle\.kts)$/,
    commands: gradle,
    tools: { test: ['./gradlew test', 'gradle test'], build: ['./gradlew build', 'gradle build'] },
  },
  {
    marker: /^Gemfile$/,
    commands: ruby,
    tools: { test: ['bundle exec rspec', 'bundle exec rake'], build: ['bundle exec rubocop'] },
  },
  {
    marker: /\.(?:sln|slnx|csproj|fsproj|vbproj)$/,
    commands: () => ({ test: ['dotnet', 'test'] }),
    tools: { test: ['dotnet test'], build: ['dotnet build'] },
  },
];

function toolchainsIn(files: FileView): Toolchain[] {
  const names = files.list('.', 'shallow');
  return toolchains.filter(({ marker }) => names.some((name) => marker.test(name)));
}

function npm(files: FileView): Partial<Record<Purpose, Command>> {
  const scripts = scriptsOf(files);
  const script = (name: Purpose, command: Command) => (name in scripts ? { [name]: command } : {});
  // The script that `npm init` writes.
  const isDefault = /^echo "Error: no test specified" && exit 1$/.test(String(scripts['test']).trim());
  return {
    ...script('test', isDefault ? null : ['npm', 'test']),
    ...script('typecheck', ['npm', 'run', 'typecheck']),
    ...script('lint', ['npm', 'run', 'lint']),
  };
}

/** A package.json that cannot be read has no scripts; its own tools will say so. */
function scriptsOf(files: FileView): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(files.read('package.json') ?? '');
    return isRecord(value) && isRecord(value['scripts']) ? value['scripts'] : {};
  } catch {
    return {};
  }
}

/** Only a script of one command can be given further options; Node's runner takes them before the names of files. */
function npmTests(files: FileView, test: readonly string[]): TestRun | undefined {
  const split = splitCommand(String(scriptsOf(files)['test']));
  if (!('argv' in split)) return undefined;
  const [program, ...words] = split.argv;
  const added = (...options: readonly string[]) => [...test, '--silent', '--', ...options];
  if (program === 'vitest') return { command: added('--run', '--reporter=junit'), format: 'junit' };
  if (program === 'jest') return { command: added('--json'), format: 'jest' };
  if (program !== 'node' || !words.includes('--test')) return undefined;
  // A shell expands these.
  const isPlain = !words.some((word) => /[*?[{]|--test-reporter/.test(word));
  return { command: isPlain ? ['node', '--test-reporter=tap', ...words] : test, format: 'node' };
}

/** Linter and type checker only where the project is set up for them: their defaults are nobody's rules. */
function python(files: FileView): Partial<Record<Purpose, Command>> {
  const settings = ['pyproject.toml', 'setup.cfg'].map((path) => files.read(path) ?? '').join('\n');
  const usesRuff = /^\[tool\.ruff/m.test(settings) || files.exists('ruff.toml') || files.exists('.ruff.toml');
  const usesMypy = /^\[(?:tool\.)?mypy/m.test(settings) || files.exists('mypy.ini');
  return {
    test: ['pytest', '-q'],
    ...(usesRuff && { lint: ['ruff', 'check', '.'] }),
    ...(usesMypy && { typecheck: ['mypy', '.'] }),
  };
}

/** Twice verbose: messages are not cut to the width of a terminal. */
function pythonTests(): TestRun {
  const pytest = ['pytest', '-vv', '-rA', '--tb=short', '--color=no', '--continue-on-collection-errors'];
  const unittest = [...(otherTests.get('pytest') ?? []), '-v', '-b'];
  return { command: pytest, format: 'pytest', otherwise: { command: unittest, format: 'unittest' } };
}

function gradle(files: FileView): Partial<Record<Purpose, Command>> {
  return { test: [files.exists('gradlew') ? './gradlew' : 'gradle', 'test'] };
}

function ruby(files: FileView): Partial<Record<Purpose, Command>> {
  const bundled = (...words: readonly string[]): Command => ['bundle', 'exec', ...words];
  const usesRspec = files.exists('.rspec') || files.exists('spec');
  return {
    ...((usesRspec || files.exists('Rakefile')) && { test: usesRspec ? bundled('rspec') : bundled('rake', 'test') }),
    ...(files.exists('.rubocop.yml') && { lint: bundled('rubocop') }),
  };
}

/** The target named like the purpose; `check` is the usual other name for `test`. */
function makeTarget(files: FileView, purpose: Purpose): (readonly string[])[] {
  const names = files.list('.', 'shallow');
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((each) => names.includes(each));
  const text = file === undefined ? '' : (files.read(file) ?? '');
  const targets = new Set([...text.matchAll(/^([\w.-]+)[ \t]*:(?!=)/gm)].map(([, target]) => target));
  const target = [purpose, ...(purpose === 'test' ? ['check'] : [])].find((each) => targets.has(each));
  return target === undefined ? [] : [['make', target]];
}
