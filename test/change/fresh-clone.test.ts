/** An archived change in a colleague's clone: its documents and exported journal are there, the git directory has none. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WarmRepository } from '../warm-repository.ts';
import { repositoryFor } from './observed.ts';
import { ChangeRepository, implemented, planned, program } from './scripts.ts';

test('[change/folder/archive] [change/commands/fresh-clone] log, status, runs and list show it there', async (context) => {
  const origin = repositoryFor(context, [...planned, ...implemented]);
  for (const verb of [
    ['plan', 'greet', 'Greet by name'],
    ['impl', 'greet'],
    ['archive', 'greet'],
  ])
    expect((await origin.change(...verb)).code, verb[0]).toBe(0);
  origin.repository.git('add', '--all');
  origin.repository.git('commit', '--quiet', '--message=archived');
  const clone = new ChangeRepository(new WarmRepository(program, join(origin.repository.folder, 'clone')));
  execFileSync('git', ['clone', '--quiet', origin.repository.root, clone.repository.root]);

  const { records } = (await origin.pawl('log', 'greet')).json;
  const logged = await clone.pawl('log', 'greet');
  expect([logged.code, logged.json['records']]).toEqual([0, records]);
  expect((await clone.pawl('log', 'change/greet')).json['records']).toEqual(records);
  const lines = (await clone.repository.pawl(['log', 'greet'])).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(records.length);
  expect(lines.join('\n')).toMatch(/ #1 started: planner/);

  const status = await clone.pawl('change', 'status', 'greet');
  expect(status.json).toMatchObject({ phase: 'archived', outcome: 'done', next: null, usage: { dispatches: 6 } });
  expect((await clone.repository.pawl(['change', 'status', 'greet'])).stdout).toContain('is merged into agentd/specs');
  const { runs } = (await clone.pawl('runs', '--all')).json;
  expect(runs).toMatchObject([{ run: 'greet', phase: 'archived', outcome: 'done', next: null }]);
  expect((await clone.pawl('change', 'list')).json['changes']).toEqual([]);
  expect((await clone.pawl('change', 'list', '--archived')).json['changes']).toHaveLength(1);

  const archive = await clone.change('archive', 'greet');
  expect([archive.code, archive.stderr]).toEqual([0, expect.stringContaining('is archived')]);
  const wrong = await clone.pawl('log', 'gret');
  expect([wrong.code, wrong.json['diagnostics'][0].code]).toEqual([2, 'RunNotFound']);
  expect(clone.repository.exists('.git/pawl')).toBe(false);
});
