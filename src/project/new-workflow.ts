/** The files of a new workflow: a small complete one, with prompts, a rehearsal and tests. */

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
  const entry = JSON.stringify(file);
  if (config === undefined || config.trim() === '') return `workflows = [${entry}]\n`;
  const list = /^workflows[ \t]*=[ \t]*\[([^\]#]*)\]/m.exec(config);
  if (!list) return /^[ \t]*["']?workflows\b/m.test(config) ? undefined : `workflows = [${entry}]\n\n${config}`;
  const [whole, inner = ''] = list;
  const items = inner.trim().replace(/,$/, '');
  const multiline = inner.includes('\n');
  const added = items === '' ? entry : multiline ? `${items},\n  ${entry}` : `${items}, ${entry}`;
  const next = multiline ? `workflows = [\n  ${added.trimStart()},\n]` : `workflows = [${added}]`;
  return config.slice(0, list.index) + next + config.slice(list.index + whole.length);
}
