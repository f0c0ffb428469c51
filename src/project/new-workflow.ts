/** The files of a new workflow: a small complete one, with prompts, a rehearsal and tests. */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { parseToml } from '../documents/toml.ts';
import { configPath } from '../workflows/workflow-config.ts';
import rehearsal from './template/rehearsal.yaml';
import review from './template/review.md';
import test from './template/test.mjs.md';
import typescript from './template/workflow.ts.md';
import yaml from './template/workflow.yaml';
import write from './template/write.md';

/** `schema`: the path of the JSON Schema from the root of the repository, for editors; null where it has none. */
export function newWorkflow(
  name: string,
  language: 'yaml' | 'ts',
  schema: string | null = null,
): readonly { path: string; content: string }[] {
  const file = `${name}.${language}`;
  const filled = (text: string): string => text.replaceAll('NAME', name).replaceAll('FILE', file);
  const hint = schema === null ? '' : `# yaml-language-server: $schema=../${schema}\n`;
  return [
    { path: `workflows/${file}`, content: language === 'yaml' ? `${hint}${filled(yaml)}` : filled(typescript) },
    { path: `workflows/prompts/${name}-write.md`, content: write },
    { path: `workflows/prompts/${name}-review.md`, content: review },
    { path: `workflows/${name}.rehearsal.yaml`, content: filled(rehearsal) },
    { path: `workflows/${name}.test.mjs`, content: filled(test) },
  ];
}

/** pawl.toml with one more workflow; undefined when its list is written in a way that cannot be added to safely. */
export function withWorkflow(config: string | undefined, file: string): string | undefined {
  const before = config ?? '';
  const { workflows, ...others } = parseToml(before, configPath);
  const known: readonly unknown[] = Array.isArray(workflows) ? workflows : [];
  if (known.includes(file)) return before;
  // Text is edited, not values, so that comments stay: the values tell whether the edit did what it should.
  const after = added(before, JSON.stringify(file));
  const edited = attempt(() => parseToml(after, configPath));
  if (edited instanceof DocumentError) return undefined;
  const { workflows: listed, ...rest } = edited;
  return JSON.stringify([listed, rest]) === JSON.stringify([[...known, file], others]) ? after : undefined;
}

function added(config: string, entry: string): string {
  if (config.trim() === '') return `workflows = [${entry}]\n`;
  const list = /^[ \t]*workflows[ \t]*=[ \t]*\[([^\]#]*)\]/m.exec(config);
  if (!list) {
    const mark = config.startsWith('\uFEFF') ? 1 : 0;
    return `${config.slice(0, mark)}workflows = [${entry}]\n\n${config.slice(mark)}`;
  }
  const [whole, inner = ''] = list;
  const end = list.index + whole.length - 1;
  const items = inner.trimEnd();
  const comma = items === '' || items.endsWith(',') ? '' : ',';
  const indent = /\n([ \t]*)\S[^\n]*$/.exec(items)?.[1];
  const space = indent === undefined ? (items === '' ? '' : ' ') : `\n${indent}`;
  const tail = indent === undefined ? '' : `${items.endsWith(',') ? ',' : ''}${inner.slice(items.length)}`;
  return config.slice(0, end - inner.length) + items + comma + space + entry + tail + config.slice(end);
}
