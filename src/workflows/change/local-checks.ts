/** Which of the project's own tools check a change, found by the files that mark a toolchain. */

import type { FileView } from '../workflow.ts';
import { checkNames, type CheckName } from './config.ts';

export interface LocalCheck {
  readonly name: CheckName;
  readonly command: readonly string[];
  /** A failure forbids an approval. An audit does not: it also fails without a network. */
  readonly required: boolean;
}

type Commands = Partial<Record<CheckName, readonly string[]>>;

/** Configured commands win; `false` switches a check off; several toolchains in one repository are all checked. */
export function localChecks(
  files: FileView,
  configured: Readonly<Record<CheckName, readonly string[] | false | null>>,
): readonly LocalCheck[] {
  const detected = toolchains
    .filter(({ marker }) => files.read(marker) !== undefined)
    .map(({ commands }) => commands(files));
  return checkNames.flatMap((name) => {
    const own = configured[name];
    if (own === false) return [];
    const commands = own
      ? [own]
      : detected.map((toolchain) => toolchain[name]).filter((command) => command !== undefined);
    return commands.map((command) => ({ name, command, required: name !== 'audit' }));
  });
}

const toolchains: readonly { readonly marker: string; readonly commands: (files: FileView) => Commands }[] = [
  { marker: 'package.json', commands: nodeCommands },
  {
    marker: 'pyproject.toml',
    commands: (files) => ({
      test: ['pytest', '-q'],
      audit: ['pip-audit'],
      lint: ['ruff', 'check', '.'],
      ...(files.read('pyproject.toml')?.includes('[tool.mypy') && { typecheck: ['mypy', '.'] }),
    }),
  },
  {
    marker: 'Cargo.toml',
    commands: () => ({
      test: ['cargo', 'test'],
      audit: ['cargo-audit', 'audit'],
      typecheck: ['cargo', 'check'],
    }),
  },
  {
    marker: 'go.mod',
    commands: () => ({
      test: ['go', 'test', './...'],
      audit: ['govulncheck', './...'],
      typecheck: ['go', 'vet', './...'],
    }),
  },
  { marker: 'pom.xml', commands: () => ({ test: ['mvn', '-q', 'test'] }) },
  { marker: 'gradlew', commands: () => ({ test: ['./gradlew', 'test'] }) },
];

function nodeCommands(files: FileView): Commands {
  const scripts = scriptsOf(files.read('package.json') ?? '');
  return {
    ...(scripts.has('test') && { test: ['npm', 'test'] }),
    ...(files.read('package-lock.json') !== undefined && { audit: ['npm', 'audit'] }),
    ...(scripts.has('typecheck') && { typecheck: ['npm', 'run', 'typecheck'] }),
    ...(scripts.has('lint') && { lint: ['npm', 'run', 'lint'] }),
  };
}

/** A package.json that cannot be read has no scripts; its own tools will say so. */
function scriptsOf(text: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('scripts' in value)) return new Set();
    return new Set(Object.keys(value.scripts ?? {}));
  } catch {
    return new Set();
  }
}
