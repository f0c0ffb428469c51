/** The bundled rehearsals, and the example of an own workflow, as lives on a simulated computer. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { loadDefined } from '../../src/project/load-workflow.ts';
import type { SimulatedCommand, SimulatedLife } from './simulated-run.ts';
import { change } from '../../src/workflows/change/change.ts';
import { feature } from '../../src/workflows/feature/feature.ts';
import { issue } from '../../src/workflows/issue/issue.ts';
import { renderIssue } from '../../src/workflows/issue/files/issue-file.ts';
import { session } from '../../src/workflows/session/session.ts';
import { loadAdvised, simplify } from '../own/advised.ts';

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
    { name: 'lean build', does: 'resume' },
    answered('UD-RUN-COMMANDS', 'run'),
    { name: 'lean end', does: 'resume' },
  ],
};

/** A split, tests that are designed again, a fix after the review, and three commits; no tests are run. */
export const issueLife: SimulatedLife = {
  workflow: issue,
  run: 'GAL-1',
  files: {
    'README.md': '# Pages\n',
    'TODO/README.md': '# Issues\n\n## Inbox\n\n- [ ] [GAL-1](GAL-1.md) — Short slugs\n',
    'TODO/GAL-1.md': renderIssue({
      id: 'GAL-1',
      title: 'Short slugs',
      parent: null,
      labels: [],
      dependsOn: [],
      text: 'Slugs get a maximum length.',
      criteria: ['A slug has at most 60 characters.'],
      sections: [],
    }),
  },
  script: text('src/workflows/issue/rehearsal.yaml'),
  commands: [{ name: 'run', does: { begin: 'run' } }],
};

const turn = (role: string, step: string, tool: string, args: object) => ({ role, step, call: [{ tool, args }] });
const written = (content: string) => turn('executor', 'produce', 'write_document', { content });
const judged = (step: string, ...issues: readonly object[]) =>
  turn('reviewer', step, 'file_review', { approved: issues.length === 0, summary: 'Read it.', issues });
const made = (step: string, text: string) => ({
  ...turn('executor', step, 'report_work', { summary: 'Did it.' }),
  write: { 'limit.mjs': text },
});
const compared = (...findings: readonly object[]) =>
  turn('auditor', 'final_review', 'file_final_review', {
    approved: findings.length === 0,
    summary: 'Compared.',
    findings,
    evidence: findings.length === 0 ? [{ requirement: 'R1', place: 'limit.mjs:1' }] : [],
  });
const blocker = { severity: 'blocker', description: 'R1 has no limit.', cites: 'E1' };
const finding = { category: 'missing', requirement: 'R1', place: 'limit.mjs:1', description: 'Not cut.' };

/**
 * Quick, in the checkout: a spec after a revision, tasks that are completed at the limit, code that a person has
 * corrected after the final review, going back with later phases stale, and the end.
 */
export const featureLife: SimulatedLife = {
  workflow: feature,
  run: '001-short-slugs',
  files: { 'README.md': '# Pages\n' },
  script: stringify([
    written('# Spec\n\n- R1: Short.\n'),
    judged('review', blocker),
    written('# Spec\n\n- R1: At most 60 characters.\n'),
    judged('review'),
    written('# Tasks\n\n- [ ] Write it\n- [ ] Test it\n'),
    judged('review', blocker),
    written('# Tasks\n\n- [ ] Write the limit\n- [ ] Test the limit\n'),
    judged('review', blocker),
    made('implement_task', 'one\n'),
    made('implement_task', 'two\n'),
    judged('review_code', blocker),
    made('revise', 'three\n'),
    judged('review_code'),
    compared(finding),
    made('revise', 'four\n'),
    judged('review_code'),
    compared(),
    written('# Spec\n\n- R1: At most 50 characters.\n'),
    judged('review'),
  ]),
  commands: [
    { name: 'create', does: { begin: 'create_quick', args: { description: 'Short slugs', mode: 'quick' } } },
    { name: 'specify', does: { command: 'specify', args: { phase: 'specify' }, times: 1 } },
    { name: 'create-tasks', does: { command: 'create_tasks', args: { phase: 'create-tasks' }, times: 1 } },
    { name: 'implement', does: { command: 'implement', args: { phase: 'implement' }, times: 1 } },
    answered('findings', 'address'),
    { name: 'address', does: 'resume' },
    { name: 'finish', does: { command: 'finish', times: 1 } },
    answered('finish', 'discard'),
    { name: 'ask for the name', does: 'resume' },
    answered('discard', '001-short-slugs'),
    { name: 'discard', does: 'resume' },
    {
      name: 'back',
      from: 'address',
      does: { command: 'specify', args: { phase: 'specify', confirmed: 'yes' }, times: 2 },
    },
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

/** The same with an advisor beside the reviewer: both are heard in every review. */
export async function advisedLife(): Promise<SimulatedLife> {
  const life = await ownLife();
  const advice = [simplify('complex'), simplify('simple')];
  return { ...life, workflow: await loadAdvised(), script: `${life.script}\n${stringify(advice)}` };
}
