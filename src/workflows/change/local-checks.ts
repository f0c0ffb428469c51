/** Which of the project's own tools check a change, found by the files that mark a toolchain. */

import { isRecord } from '../../schema/values.ts';
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
  const detected = Object.entries(toolchains).flatMap(([marker, commands]) =>
    files.read(marker) === undefined ? [] : [commands(files)],
  );
  return checkNames.flatMap((name) => {
    const own = configured[name];
    if (own === false) return [];
    const commands = own ? [own] : detected.flatMap((toolchain) => (toolchain[name] ? [toolchain[name]] : []));
    return commands.map((command) => ({ name, command, required: name !== 'audit' }));
  });
}

const toolchains: Readonly<Record<string, (files: FileView) => Commands>> = {
  'package.json': (files) => {
    const scripts = scriptsOf(files.read('package.json') ?? '');
    return {
      ...(scripts.has('test') && { test: ['npm', 'test'] }),
      ...(files.read('package-lock.json') !== undefined && { audit: ['npm', 'audit'] }),
      ...(scripts.has('typecheck') && { typecheck: ['npm', 'run', 'typecheck'] }),
      ...(scripts.has('lint') && { lint: ['npm', 'run', 'lint'] }),
    };
  },
  'pyproject.toml': (files) => ({
    test: ['pytest', '-q'],
    audit: ['pip-audit'],
    lint: ['ruff', 'check', '.'],
    ...(files.read('pyproject.toml')?.includes('[tool.mypy') && { typecheck: ['mypy', '.'] }),
  }),
  'Cargo.toml': () => ({ test: ['cargo', 'test'], audit: ['cargo-audit', 'audit'], typecheck: ['cargo', 'check'] }),
  'go.mod': () => ({
    test: ['go', 'test', './...'],
    audit: ['govulncheck', './...'],
    typecheck: ['go', 'vet', './...'],
  }),
  'pom.xml': () => ({ test: ['mvn', '-q', 'test'] }),
  gradlew: () => ({ test: ['./gradlew', 'test'] }),
};

/** A package.json that cannot be read has no scripts; its own tools will say so. */
function scriptsOf(text: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(text);
    return new Set(isRecord(value) && isRecord(value['scripts']) ? Object.keys(value['scripts']) : []);
  } catch {
    return new Set();
  }
}
