/** The bundled rehearsals, and the example of an own workflow, as lives on a simulated computer. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadDefined } from '../../src/project/load-workflow.ts';
import type { SimulatedCommand, SimulatedLife } from './simulated-run.ts';
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

const answered = (decision: string, answer: string): SimulatedCommand => ({
  name: `answer ${decision}: ${answer}`,
  does: { decision, answer },
});
const correction = 'changes-requested(Architect): say where a long slug is cut';

/** It ends where a person decides; with prepared answers it goes on past decisions. */
export const fullSession: SimulatedLife = {
  workflow: session,
  run: '2026-01-01_short-slugs',
  files: { 'README.md': '# Pages\n' },
  script: text('src/workflows/session/rehearsal-full.yaml'),
  commands: [
    { name: 'design', does: { begin: 'start', args: { goal: 'Shorter and unique slugs' } } },
    {
      name: 'design corrected and approved in one go',
      does: 'resume',
      prepared: { 'UD-APPROVE-DESIGN': [correction, 'looks good'] },
    },
    { ...answered('UD-APPROVE-DESIGN', correction), from: 'design' },
    { name: 'correction', does: 'resume' },
    answered('UD-APPROVE-DESIGN', 'approved'),
    { name: 'plan', does: 'resume' },
    answered('UD-REVIEW-STRATEGY', 'per-batch'),
    { name: 'first task', does: 'resume' },
    answered('UD-1', 'fix-later'),
    { name: 'second task', does: 'resume' },
    answered('UD-2', 'none'),
    { name: 'build', does: 'resume' },
    answered('UD-3', 'met: read three of them aloud'),
    { name: 'release', does: 'resume' },
    {
      name: 'release in one go',
      from: 'build',
      does: 'resume',
      prepared: { 'UD-3': ['met: read three of them aloud'] },
    },
  ],
};

export const leanSession: SimulatedLife = {
  workflow: session,
  run: '2026-01-01_trim-slugs',
  files: { 'README.md': '# Pages\n' },
  script: text('src/workflows/session/rehearsal-lean.yaml'),
  commands: [
    { name: 'lean task', does: { begin: 'start_lean', args: { goal: 'Trim slugs at the end' } } },
    answered('UD-1', 'at both ends'),
    { name: 'lean end', does: 'resume' },
  ],
};

const example = fileURLToPath(new URL('../../examples/docs-review/', import.meta.url));

/** A first version that fails its check, a review that wants more, and a second round that a person asks for. */
export async function ownLife(): Promise<SimulatedLife> {
  return {
    workflow: await loadDefined(example, 'workflows/docs-review.yaml'),
    run: 'install',
    files: { 'README.md': '# Docs\n', 'pawl.toml': text('examples/docs-review/pawl.toml') },
    script: text('examples/docs-review/rehearsal.yaml'),
    commands: [
      { name: 'start', does: { begin: 'start', args: { description: 'How to install it' } } },
      { name: 'publish', does: { decision: 'accept', answer: 'publish' } },
    ],
  };
}
