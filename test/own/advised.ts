/** The example with an advisor beside its reviewer, and what both are told to play. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadDefined } from '../../src/project/load-workflow.ts';
import type { Workflow } from '../../src/workflows/workflow.ts';
import type { Turn } from '../change/scripts.ts';
import { definition, definitionPath, exampleFiles } from './docs-review.ts';

const advisedDefinition = definition
  .replace('\nartifacts:', '  simplifier: { agent: gemini, reports: [simple, complex] }\n\nartifacts:')
  .replace(
    '    prompt: prompts/review.md\n',
    '    prompt: prompts/review.md\n    beside: { role: simplifier, prompt: prompts/simplify.md }\n',
  );

export const advisedFiles = {
  [definitionPath]: advisedDefinition,
  'workflows/prompts/simplify.md': 'Could {{page}} be simpler? Before: {{advice.review}}\n',
};

export const advice = (verdict: string) => ({ tool: 'report', args: { verdict, summary: `I find it ${verdict}.` } });

export const simplify = (verdict: string, more: Turn = {}): Turn => ({
  role: 'simplifier',
  step: 'review',
  call: [advice(verdict)],
  ...more,
});

export async function loadAdvised(): Promise<Workflow> {
  const root = mkdtempSync(join(tmpdir(), 'pawl-advised-'));
  try {
    for (const [path, content] of Object.entries({ ...exampleFiles, ...advisedFiles })) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return await loadDefined(root, definitionPath);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
