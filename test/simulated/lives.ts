/** The bundled rehearsals, and an own workflow, as lives on a simulated computer. */

import { readFileSync } from 'node:fs';
import { loadDefined } from '../../src/project/load-workflow.ts';
import type { SimulatedLife } from '../../src/testing/simulated-run.ts';
import { change } from '../../src/workflows/change/change.ts';
import { session } from '../../src/workflows/session/session.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

export const changeLife: SimulatedLife = {
  workflow: change,
  run: 'short-slugs',
  files: { 'README.md': '# Pages\n', 'agentd/config.toml': '[checks]\ntest = ["node", "--test"]\n' },
  script: text('src/workflows/change/rehearsal.yaml'),
  commands: [
    { name: 'plan', does: { command: 'plan', args: { description: 'Slugs get a maximum length' } } },
    { name: 'impl', does: { command: 'impl' } },
    { name: 'archive', does: { command: 'archive' } },
  ],
};

const answers = {
  'UD-APPROVE-DESIGN': ['changes-requested(Architect): say where a long slug is cut', 'looks good'],
  'UD-REVIEW-STRATEGY': ['per-batch'],
  'UD-1': ['fix-later'],
  'UD-2': ['none'],
  'UD-3': ['met: read three of them aloud'],
};

export const fullSession: SimulatedLife = {
  workflow: session,
  run: '2026-01-01_short-slugs',
  files: { 'README.md': '# Pages\n' },
  script: text('src/workflows/session/rehearsal-full.yaml'),
  commands: [{ name: 'all', does: { begin: 'start', args: { goal: 'Shorter and unique slugs' } }, prepared: answers }],
};

export const leanSession: SimulatedLife = {
  workflow: session,
  run: '2026-01-01_trim-slugs',
  files: { 'README.md': '# Pages\n' },
  script: text('src/workflows/session/rehearsal-lean.yaml'),
  commands: [
    {
      name: 'all',
      does: { begin: 'start_lean', args: { goal: 'Trim slugs at the end' } },
      prepared: { 'UD-1': ['at both ends'] },
    },
  ],
};

const folder = new URL('../../examples/docs-review/', import.meta.url).pathname;

export async function ownLife(): Promise<SimulatedLife> {
  return {
    workflow: await loadDefined(folder, 'workflows/docs-review.yaml'),
    run: 'install',
    files: { 'README.md': '# Docs\n', 'pawl.toml': text('examples/docs-review/pawl.toml') },
    script: text('examples/docs-review/rehearsal.yaml'),
    commands: [
      { name: 'start', does: { begin: 'start', args: { description: 'How to install it' } } },
      { name: 'publish', does: { decision: 'accept', answer: 'publish' } },
    ],
  };
}
