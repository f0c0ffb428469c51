/** The bundled rehearsal: a feature in standard mode through all its phases, played without a script of one's own. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-tree.ts';
import { FeatureRepository, folder, run } from './played-feature.ts';

test('[feature/rehearsal] [feature/phases/artifacts] [feature/mode/standard] all phases, with every kind of end', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin();
  const play = (target: string, ...args: readonly string[]) =>
    repository.feature([target, '--agent', 'scripted', ...args]);
  const actions: (readonly unknown[])[] = [];
  const note = ({ code, json }: Awaited<ReturnType<typeof play>>): void => {
    actions.push([code, json['action'], json['phase']]);
  };
  for (const target of ['brainstorm', 'specify', 'design', 'create-plan']) note(await play(target));
  // Cut off by a limit of the vendor, and left.
  note(await play('create-tasks'));
  note(await play('create-tasks', ...repository.answers({ partial: 'continue' })));
  note(await play('implement', ...repository.answers({ findings: 'address' })));
  note(await play('verify'));
  expect(actions).toEqual([
    [0, 'completed', 'brainstorm'],
    [0, 'completed', 'specify'],
    [0, 'completed', 'design'],
    [0, 'completed_with_concerns', 'create-plan'],
    [75, expect.any(String), 'create-plan'],
    [0, 'completed', 'create-tasks'],
    [0, 'completed', 'implement'],
    [0, 'completed', 'verify'],
  ]);
  const { phases } = repository.meta;
  const iterations = Object.entries<Record<string, unknown>>(phases).map(([name, record]) => [
    name,
    record['iterations'],
  ]);
  expect(iterations).toEqual([
    ['brainstorm', 1],
    ['specify', 2],
    ['design', 1],
    ['create-plan', 3],
    ['create-tasks', 1],
    ['implement', 2],
    ['verify', 1],
  ]);
  expect(phases['create-plan'].reviewerNotes).toHaveLength(1);
  expect(phases.verify.verified).toBe(true);
  const files = readdirSync(join(repository.worktree, folder)).toSorted();
  expect(files).toEqual(['brainstorm.md', 'design.md', 'plan.md', 'spec.md', 'tasks.md', 'verification.md']);
  expect(readFileSync(join(repository.worktree, folder, 'tasks.md'), 'utf8')).not.toContain('[ ]');

  repository.commit();
  const end = await repository.feature(['finish', run, ...repository.answers({ finish: 'merge' })]);
  expect([end.code, end.json['action'], repository.meta['status']]).toEqual([0, 'finished', 'completed']);
  expect(existsSync(repository.worktree)).toBe(false);
  expect(repository.read('slug/limit.mjs')).toContain('end > 0 ? end : limit');
});

test('[feature/size] the folder of the workflow has at most 2,500 lines of code', () => {
  const sources = readdirSync(join(root, 'src/workflows/feature')).filter(
    (name) => name.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(name),
  );
  const lines = sources.flatMap((name) => readFileSync(join(root, 'src/workflows/feature', name), 'utf8').split('\n'));
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line));
  expect(code.length).toBeLessThanOrEqual(2_500);
});
