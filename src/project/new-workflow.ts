/** The files of a new workflow: a small complete one, with prompts, a rehearsal and tests. */

import { DocumentError } from '../documents/document-error.ts';
import { parseToml } from '../documents/toml.ts';
import { configPath } from '../workflows/workflow-config.ts';
import rehearsal from './template/rehearsal.yaml';
import review from './template/review.md';
import test from './template/test.mjs.md';
import typescript from './template/workflow.ts.md';
import yaml from './template/workflow.yaml';
import write from './template/write.md';

export interface NewFile {
  readonly path: string;
  readonly content: string;
}

export function newWorkflow(name: string, language: 'yaml' | 'ts'): readonly NewFile[] {
  const file = `${name}.${language}`;
  const filled = (text: string): string => text.replaceAll('NAME', name).replaceAll('FILE', file);
  return [
    { path: `workflows/${file}`, content: filled(language === 'yaml' ? yaml : typescript) },
    { path: `workflows/prompts/${name}-write.md`, content: write },
    { path: `workflows/prompts/${name}-review.md`, content: review },
    { path: `workflows/${name}.rehearsal.yaml`, content: filled(rehearsal) },
    { path: `workflows/${name}.test.mjs`, content: filled(test) },
  ];
}

/** pawl.toml with one more workflow; undefined when its list is written in a way that cannot be added to safely. */
export function withWorkflow(config: string | undefined, file: string): string | undefined {
  const before = config ?? '';
  const known = listOf(before);
  if (known?.includes(file)) return before;
  const after = added(before, JSON.stringify(file));
  // Text is edited, not values, so that comments stay: the values tell whether the edit did what it should.
  return after !== undefined && isSameBut(before, after, [...(known ?? []), file]) ? after : undefined;
}

function added(config: string, entry: string): string | undefined {
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

function isSameBut(before: string, after: string, workflows: readonly unknown[]): boolean {
  const { workflows: _, ...others } = parseToml(before, configPath);
  try {
    const { workflows: listed, ...rest } = parseToml(after, configPath);
    return JSON.stringify([listed, rest]) === JSON.stringify([workflows, others]);
  } catch (error) {
    if (error instanceof DocumentError) return false;
    throw error;
  }
}

function listOf(config: string): readonly unknown[] | undefined {
  const { workflows } = parseToml(config, configPath);
  return Array.isArray(workflows) ? workflows : undefined;
}
