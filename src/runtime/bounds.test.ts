/** Bounds that a workflow decides for each dispatch, and objections to changes within them (B4, B5). */

import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { CrashSimulation, everyKill } from '../../test/simulated/crash-simulation.ts';
import {
  carryOut,
  computerOn,
  freshDisk,
  outsideOf,
  recordsOn,
  workspaceRoot,
  type SimulatedLife,
} from '../../test/simulated/simulated-run.ts';
import { definedWorkflow } from '../workflows/defined/defined-workflow.ts';
import type { FileChange, Role, Workflow } from '../workflows/workflow.ts';

const defined = definedWorkflow(
  {
    name: 'tasks',
    about: 'Does one task.',
    begin: 'make',
    roles: { maker: { writes: ['**'] } },
    artifacts: { code: { path: 'src/a.ts' } },
    retries: 1,
    states: { make: { role: 'maker', prompt: 'make.md', makes: 'code', on: { done: 'good' } }, good: { ends: 'done' } },
  },
  { 'make.md': 'Do it.' },
);

/** The maker may write the files that the task names, and the task. */
const named: Role = {
  defaultAgent: 'claude',
  mayWrite: ({ files }) => ['task.txt', ...(files.read('task.txt') ?? '').split('\n').filter(Boolean)],
};

const workflowWith = (maker: Role): Workflow => ({ ...defined, roles: { maker } });

const reported = [{ tool: 'report', args: { verdict: 'done', summary: 'Done.' } }];
const turn = (write: Readonly<Record<string, string | null>>) => ({ role: 'maker', write, call: reported });

function lifeOf(maker: Role, turns: readonly ReturnType<typeof turn>[]): SimulatedLife {
  return {
    workflow: workflowWith(maker),
    run: 'first',
    files: { 'task.txt': 'src/a.ts\nsrc/old.ts\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'src/old.ts': 'old\n' },
    script: stringify(turns),
    commands: [{ name: 'start', does: { begin: 'start' } }],
  };
}

async function played(life: SimulatedLife) {
  const simulation = new CrashSimulation(life);
  const [step] = await simulation.undisturbed();
  if (!step) throw new Error('nothing was played');
  const moves = step.records.filter((record) => record.type === 'moved' && record.dispatch !== undefined);
  const problems = moves.map((record) => (record.type === 'moved' ? record.dispatch?.problem : undefined));
  return { simulation, step, problems, files: step.remains.files };
}

test('the globs of a function are on record before the dispatch, and the agent does not widen them (B4)', async () => {
  const widened = { 'task.txt': 'src/a.ts\nsrc/b.ts\n', 'src/a.ts': 'a2\n', 'src/b.ts': 'b2\n' };
  const { step, problems, files } = await played(lifeOf(named, [turn(widened), turn({ 'src/a.ts': 'a3\n' })]));
  const started = step.records.filter((record) => record.type === 'dispatch.started');
  expect(started).toMatchObject([
    { mayWrite: ['task.txt', 'src/a.ts', 'src/old.ts'] },
    { mayWrite: ['task.txt', 'src/a.ts', 'src/b.ts'] },
  ]);
  expect(problems).toEqual(['the maker may not write src/b.ts, put back; its report does not count', undefined]);
  expect(files).toMatchObject({ 'src/a.ts': 'a3\n', 'src/b.ts': 'b\n' });
});

test('a role whose globs are a function counts as one that writes', async () => {
  const { defineWorkflow } = await import('../workflows/define-workflow.ts');
  const { writers: _, ...parts } = workflowWith({ ...named, mayWrite: () => [] });
  const words = { refusals: {}, rests: {}, next: () => null, verdict: () => null };
  expect(defineWorkflow({ ...parts, words, journalPath: () => '' }).writers).toEqual(['maker']);
});

const deletion = 'it is deleted';

/** As the role saw it: every change, and the task that was there. */
function withObjection(seen: unknown[] = []): Role {
  return {
    ...named,
    objection: (change: FileChange, { files, role, step }) => {
      seen.push({ ...change, task: files.read('task.txt'), role, step });
      return Promise.resolve(change.after === null ? deletion : null);
    },
  };
}

const forbidden = turn({ 'task.txt': 'src/a.ts\n', 'src/a.ts': 'a2\n', 'src/old.ts': null, 'src/b.ts': null });

test('a change that the role objects to is put back and told with the reason (B5)', async () => {
  const seen: unknown[] = [];
  const { problems, files } = await played(lifeOf(withObjection(seen), [forbidden, turn({ 'src/a.ts': 'a3\n' })]));
  expect(problems).toEqual([
    'the maker may not write src/b.ts, src/old.ts (it is deleted), put back; its report does not count',
    undefined,
  ]);
  expect(files).toMatchObject({ 'src/a.ts': 'a3\n', 'src/b.ts': 'b\n', 'src/old.ts': 'old\n' });
  const before = { task: 'src/a.ts\nsrc/old.ts\n', role: 'maker', step: 'make' };
  expect(seen.slice(0, 3)).toEqual([
    { path: 'src/a.ts', before: 'a\n', after: 'a2\n', ...before },
    { path: 'src/old.ts', before: 'old\n', after: null, ...before },
    { path: 'task.txt', before: before.task, after: 'src/a.ts\n', ...before },
  ]);
});

test('killed at every instant, the same is put back and the same is left', async () => {
  const { simulation, step } = await played(lifeOf(withObjection(), [forbidden, turn({ 'src/a.ts': 'a3\n' })]));
  expect(await simulation.problemsAfter(step, everyKill(step, 1))).toEqual([]);
});

test('after an interruption, what is objected to is put back and the rest stays (X5)', async () => {
  const life = lifeOf(withObjection(), [forbidden]);
  const [command] = life.commands;
  if (!command) throw new Error('there is no command');
  let ms = Date.UTC(2026, 0, 1);
  const now = () => (ms += 1);
  const disk = freshDisk(life, now);
  const computer = computerOn(disk, life, outsideOf(life));
  const interrupt = new AbortController();
  const launch: typeof computer.launch = async (options) => {
    const ended = await computer.launch(options);
    interrupt.abort();
    return ended;
  };
  const process = { pid: 1, boot: 'boot', computer: { ...computer, launch }, now, interrupted: interrupt.signal };
  expect(await carryOut(life, command, process)).toMatchObject({ outcome: 'interrupted' });
  expect(recordsOn(disk, life).at(-1)).toMatchObject({ type: 'dispatch.abandoned' });
  const read = (path: string): string => disk.readFile(`${workspaceRoot}/${path}`).toString();
  expect(read('src/a.ts')).toBe('a2\n');
  expect(read('src/old.ts')).toBe('old\n');
  expect(read('src/b.ts')).toBe('b\n');
});
