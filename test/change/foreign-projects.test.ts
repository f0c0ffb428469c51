/** `agentd/` folders as the original agentd left them: usable as they are, and nothing of theirs is lost. */

import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { expect, test, type TestContext } from 'vitest';
import { repositoryFor, stateOf, stepsOf } from './observed.ts';
import { challenge, implemented, planned, review, type ChangeRepository, type Turn } from './scripts.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/agentd/${name}`, import.meta.url), 'utf8');

const folder = 'agentd/changes/stub-cache';
const reviewed = '# Challenge\n\nVerdict: APPROVED\n';

/** By the rule of agentd. */
const hashOf = (text: string): string =>
  `sha256:${createHash('sha256')
    .update(text.replaceAll(/[ \t]+$/gm, '').trimEnd())
    .digest('hex')}`;

/** With blanks at ends of lines and Windows' line ends, which do not count there. */
function project(context: TestContext, turns: readonly Turn[], files: Readonly<Record<string, string>> = {}) {
  const change = repositoryFor(context, turns, fixture('config.toml'));
  const state = fixture('STATE.yaml')
    .replace('hash: TASKS', `hash: ${hashOf(fixture('tasks.md'))}`)
    .replace('hash: CHALLENGE', `hash: ${hashOf(reviewed)}`);
  const documents = {
    'proposal.md': fixture('proposal.md'),
    'tasks.md': fixture('tasks.md').replace('# Tasks\n', '# Tasks  \r\n'),
    'specs/stub-cache.md': fixture('stub-cache.md'),
    'specs/_skeleton.md': '# Specification: <name>\n\n## Overview\n\nTODO\n',
    'CHALLENGE.md': `${reviewed}\n\n`,
    'STATE.yaml': state,
    ...files,
  };
  for (const [path, text] of Object.entries(documents))
    if (text !== '') change.repository.write(`${folder}/${path}`, text);
  change.repository.write('src/cache.mjs', 'export const cache = 1;\n');
  return change;
}

const made: Turn = {
  role: 'implementer',
  call: ['1.1', '4.1'].map((id) => ({ tool: 'update_task', args: { task_id: id, status: 'completed' } })),
};

const stale = async (change: ChangeRepository): Promise<unknown> =>
  (await change.pawl('change', 'status', 'stub-cache')).json['stale'];

test.concurrent('[D18] the configuration of agentd: models by its keys, and what is not used is told by doctor', async (context) => {
  const change = project(context, []);
  const { stdout } = await change.repository.pawl(['doctor']);
  const words = stdout.replaceAll(/\s+/g, ' ');
  expect(words).toContain('not used by Pawl: project_name, scripts_dir, validation, workflow.format_iterations');
  const listed = await change.repository.pawl(['change', 'list']);
  expect([listed.code, listed.stderr]).toEqual([0, '']);
});

test.concurrent('[D18] [D19] [D9] [change/folder/of-agentd] [change/state/taken-over] an approved change goes on to be implemented and archived', async (context) => {
  const change = project(context, [made, review('APPROVED')]);
  expect(await stale(change)).toEqual([]);
  const before = stateOf(change, 'stub-cache');
  const done = await change.change('impl', 'stub-cache', '--accept-state');
  expect([done.code, done.json['phase'], stepsOf(done.json)], done.stderr).toEqual([
    0,
    'complete',
    ['implement', 'review'],
  ]);
  const after = stateOf(change, 'stub-cache');
  expect(after['validations']).toEqual(before['validations']);
  expect(after['checksums']).toEqual(before['checksums']);
  expect(after['telemetry']).toMatchObject({
    total_cost_usd: 0.25,
    calls: [...before['telemetry'].calls, { step: 'implement' }, { step: 'review' }],
    totals: { calls: 4, tokens_in: 3000, tokens_out: 1200, cost_usd: 0.25 },
  });
  expect(change.repository.read(`${folder}/STATE.yaml`)).toMatch(/^# kept by hand\n/);
  expect(done.json['usage']).toMatchObject({ dispatches: 4, inputTokens: 3000, costUsd: 0.25, unknownCost: 3 });
  expect(change.repository.read(`${folder}/specs/_skeleton.md`)).toContain('TODO');
  const archived = await change.change('archive', 'stub-cache');
  expect(archived.code, archived.stdout).toBe(0);
  expect(change.repository.exists('agentd/specs/stub-cache.md')).toBe(true);
  expect(change.repository.exists('agentd/specs/_skeleton.md')).toBe(false);
});

test.concurrent('[D9] taken over without any work: iteration, last action and conversation stay', async (context) => {
  const change = project(context, [], { 'STATE.yaml': fixture('STATE.yaml').replace('challenged', 'proposed') });
  const stopped = await change.change('plan', 'stub-cache', '--accept-state');
  expect(stopped.code).not.toBe(0);
  expect(stateOf(change, 'stub-cache')).toMatchObject({ iteration: 2, session_id: 'abc-123' });
});

test.concurrent('[D9] a document that was edited since is told before anybody vouches, and shown', async (context) => {
  const change = project(context, [made, review('APPROVED')], {
    'tasks.md': fixture('tasks.md').replace('green', 'red'),
  });
  const text = 'tasks.md was edited since the plan was validated';
  const asked = await change.change('impl', 'stub-cache', '--no-input');
  expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining(text)]);
  await change.change('impl', 'stub-cache', '--accept-state');
  expect(await stale(change)).toMatchObject([{ path: 'tasks.md', what: 'edited' }]);
});

test.concurrent('[D9] spending survives a clone without the journal', async (context) => {
  const change = repositoryFor(context, [...planned, ...implemented]);
  await change.change('plan', 'greet', 'Greet by name');
  const before = (await change.pawl('change', 'status', 'greet')).json['usage'];
  rmSync(`${change.repository.root}/.git/pawl`, { recursive: true });
  const on = await change.change('impl', 'greet', '--accept-state');
  expect([on.code, on.json['usage'].dispatches], on.stderr).toEqual([0, before.dispatches + 2]);
  expect(stateOf(change, 'greet')['telemetry'].totals.calls).toBe(before.dispatches + 2);
});

test.concurrent('[D9] a lean change stays lean in a clone', async (context) => {
  const state = fixture('STATE.yaml').replace('phase: challenged', 'phase: implementing\nlean: true');
  const change = project(context, [made, review('APPROVED')], { 'STATE.yaml': state });
  const done = await change.change('impl', 'stub-cache', '--accept-state');
  expect([done.code, stateOf(change, 'stub-cache')['lean']], done.stderr).toEqual([0, true]);
});

test.concurrent('[D18] [D29] a folder without STATE.yaml is listed, planned without a description, and not implemented', async (context) => {
  const change = project(context, [challenge('approved')], { 'STATE.yaml': '' });
  const { changes } = (await change.pawl('change', 'list')).json;
  expect(changes).toMatchObject([{ id: 'stub-cache', phase: null, next: 'pawl change plan stub-cache' }]);
  expect((await change.pawl('change', 'status', 'stub-cache')).json).toMatchObject({ phase: null });
  for (const verb of ['impl', 'archive']) {
    const refused = await change.change(verb, 'stub-cache');
    const [{ message, fix }] = refused.json['diagnostics'];
    expect([refused.code, message, fix]).toEqual([
      4,
      `${folder} has no STATE.yaml: its plan was not approved`,
      'pawl change plan stub-cache',
    ]);
  }
  const challenged = await change.change('plan', 'stub-cache');
  expect([challenged.code, challenged.json['phase'], stepsOf(challenged.json)], challenged.stderr).toEqual([
    0,
    'challenged',
    ['challenge'],
  ]);
});

test.concurrent('[D18] an archived change of agentd is found by its plain id, and not begun again', async (context) => {
  const change = repositoryFor(context);
  change.repository.write('agentd/archive/20260117-fill-back/fill-back/STATE.yaml', 'phase: implementing\n');
  expect((await change.pawl('change', 'status', 'fill-back')).json).toMatchObject({ phase: 'archived', next: null });
  expect((await change.pawl('change', 'list')).json['changes']).toEqual([]);
  expect((await change.pawl('change', 'list', '--archived')).json['changes']).toMatchObject([{ id: 'fill-back' }]);
  const refused = await change.change('impl', 'fill-back');
  expect([refused.code, refused.json['diagnostics'][0].code]).toEqual([4, 'ChangeArchived']);
  expect((await change.change('plan', 'fill-back', 'Again')).json['diagnostics'][0].code).toBe('ChangeArchived');
});

test.concurrent('[change row 71] [change/state/newer-version] a STATE.yaml of a newer version is refused, and left as it is', async (context) => {
  const change = project(context, [], { 'STATE.yaml': fixture('STATE.yaml').replace("'2.0'", '"9.9"') });
  const before = change.repository.read(`${folder}/STATE.yaml`);
  const refused = await change.change('impl', 'stub-cache', '--accept-state');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/STATE\.yaml:3: schema_version is "9\.9"; expected 2 or lower: update Pawl/);
  expect(change.repository.read(`${folder}/STATE.yaml`)).toBe(before);
});
