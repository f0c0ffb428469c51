/**
 * Workflows a project defines itself, by the names of their files in pawl.toml.
 *
 * A file in TypeScript is code of the repository: it runs when its workflow is asked for by name, never in passing.
 */

import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DocumentError, lineAt } from '../documents/document-error.ts';
import { isRecord } from '../schema/values.ts';
import { nearest } from '../schema/nearest.ts';
import type { Path } from '../schema/schema.ts';
import { inFile } from '../documents/read-document.ts';
import { readYamlLines } from '../documents/yaml.ts';
import { artifactPath } from '../workflows/defined/declared-artifacts.ts';
import { nameOfFile } from '../workflows/defined/config.ts';
import type { WorkflowDefinition } from '../workflows/defined/definition.ts';
import { definedWorkflow } from '../workflows/defined/defined-workflow.ts';
import { placeholdersOf, unknownPlaceholders } from '../workflows/defined/brief.ts';
import { definitionProblem } from '../workflows/defined/definition-problem.ts';
import { lineIn } from '../workflows/defined/own-check.ts';
import { readDefinition } from '../workflows/defined/read-definition.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { orElse, readText } from '../workspace/files.ts';
import { pathMatcher } from '../workspace/globs.ts';

/** `file` is relative to `root`. Code of a repository that nobody trusts is not run: `requireTrust` throws. */
export async function loadDefined(root: string, file: string, requireTrust = (): void => {}): Promise<Workflow> {
  const path = insideOf(root, file);
  if (!isYaml(file)) requireTrust();
  const { value, locate } = isYaml(file) ? readYaml(path, file) : await importModule(path, file);
  const { definition, hints } = readDefinition(value, locate);
  const problem = definitionProblem(definition) ?? misnamed(definition, file) ?? unwritable(definition);
  if (problem) {
    throw new DocumentError(locate(problem.path), `${problem.path.join('.')}: ${problem.problem}`, problem.expected);
  }
  const prompts = readPrompts(definition, root, file);
  const files = [file, ...Object.keys(prompts).map((prompt) => join(dirname(file), prompt))];
  return { ...definedWorkflow(definition, prompts, files), hints: [...hints, ...deadEnds(definition)] };
}

export function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

function readYaml(path: string, file: string) {
  const text = readText(path);
  if (text === undefined) throw missing(file);
  const lines = readYamlLines(text, file);
  return { value: lines.value, locate: inFile(file, (path) => lines.lineOf(path)) };
}

async function importModule(path: string, file: string) {
  const { register } = await import('node:module');
  register(new URL('./module-hooks.js', import.meta.url));
  let module: unknown;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (cause) {
    const expected =
      'a module that can be imported, with erasable types only (no enums, namespaces or parameter properties)';
    const text = isRecord(cause) && typeof cause['message'] === 'string' ? cause['message'] : String(cause);
    throw new DocumentError({ file, line: lineIn(cause, file) }, text.split('\n')[0] ?? '', expected, { cause });
  }
  const value = isRecord(module) ? module['default'] : undefined;
  if (value === undefined)
    throw new DocumentError({ file, line: null }, 'there is no default export', 'export default defineWorkflow({ … })');
  return { value, locate: inFile(file, linesOfModule(readText(path) ?? '')) };
}

/** Where the keys of a path stand one below the other; null for a definition that is put together from parts. */
function linesOfModule(text: string): (path: Path) => number | null {
  return (path) => {
    let offset = 0;
    for (const key of path.filter((each) => typeof each === 'string')) {
      const found = new RegExp(`(?<![\\w.])['"]?${key}['"]?\\s*[:(,]`).exec(text.slice(offset));
      if (!found) return offset === 0 ? null : lineAt(text, offset);
      offset += found.index + 1;
    }
    return offset === 0 ? null : lineAt(text, offset);
  };
}

/** States that a run rests in and that no command of the author leads out of. */
function deadEnds({ states }: WorkflowDefinition): readonly string[] {
  return Object.entries(states).flatMap(([name, state]) =>
    'rests' in state && Object.keys(state.on ?? {}).length === 0
      ? [`a run rests in ${name} for good: no command leads on (use ends, or on: with one of commands)`]
      : [],
  );
}

function misnamed({ name }: WorkflowDefinition, file: string): ReturnType<typeof definitionProblem> {
  const expected = nameOfFile(file);
  if (name === expected) return null;
  return { path: ['name'], problem: `the workflow calls itself "${name}"`, expected: `"${expected}", like its file` };
}

/** A state whose role may not write what the state is to make. */
function unwritable({ states, roles, artifacts = {} }: WorkflowDefinition): ReturnType<typeof definitionProblem> {
  for (const [name, state] of Object.entries(states)) {
    const artifact = 'role' in state && state.makes !== undefined ? artifacts[state.makes] : undefined;
    if (!artifact || !('role' in state)) continue;
    const path = artifactPath(artifact, 'run');
    if (mayWrite(roles[state.role]?.writes ?? [], path)) continue;
    const problem = `${state.role} makes ${artifact.path}, which its writes do not allow`;
    const expected = `"${artifact.path}" among the writes of ${state.role}`;
    return { path: ['states', name, 'makes'], problem, expected };
  }
  return null;
}

/** A folder may be written where some glob leads into it. */
function mayWrite(globs: readonly string[], path: string): boolean {
  if (!path.endsWith('/')) return pathMatcher(globs)(path);
  const starts = globs.filter((glob) => !glob.startsWith('!')).map((glob) => glob.split(/[*?{]/)[0] ?? '');
  return starts.some((start) => path.startsWith(start) || start.startsWith(path));
}

/** Every prompt a state names; all placeholders in it are known. */
function readPrompts(definition: WorkflowDefinition, root: string, file: string): Record<string, string> {
  const prompts: Record<string, string> = {};
  const states = Object.values(definition.states).filter((state) => 'role' in state);
  const paths = states.flatMap(({ prompt, beside }) => [prompt, beside?.prompt ?? []].flat());
  for (const path of new Set(paths)) {
    const prompt = join(dirname(file), path);
    const text = readText(insideOf(root, prompt));
    if (text === undefined) throw missing(prompt);
    const [unknown] = unknownPlaceholders(definition, text);
    if (unknown) {
      const known = placeholdersOf(definition);
      const near = nearest(unknown.name, known);
      const expected = near === undefined ? known.map((name) => `{{${name}}}`).join(', ') : `{{${near}}}`;
      throw new DocumentError(
        { file: prompt, line: unknown.line },
        `unknown placeholder {{${unknown.name}}}`,
        expected,
      );
    }
    prompts[path] = text;
  }
  return prompts;
}

/** A link may not lead out of the repository. */
function insideOf(root: string, file: string): string {
  const path = join(root, file);
  const real = orElse(null, () => realpathSync(path));
  if (real === null) throw missing(file);
  if (!real.startsWith(realpathSync(root) + sep))
    throw new DocumentError({ file, line: null }, 'it leads out of the project', 'a file inside it', {
      fix: 'use the path of a file inside the project',
    });
  return path;
}

function missing(file: string): DocumentError {
  return new DocumentError({ file, line: null }, 'there is no such file', 'the path of a file inside the project', {
    fix: `create ${file}, or correct its path`,
  });
}
