import { describe, expect, test } from 'vitest';
import type { CommandRun } from '../workflow.ts';
import { definedWorkflow } from './defined-workflow.ts';
import { checkContextOf, dispatched, goodPage, page, viewOf } from './page.fixture.ts';

const prompts = { 'prompts/draft.md': 'Write: {{ description }}', 'prompts/review.md': 'Review.' };
const workflow = definedWorkflow(page, prompts);
const approved = { [`docs/install.md`]: goodPage };

test('takes names, folders and roles from the definition', () => {
  expect(workflow).toMatchObject({ name: 'page', controlFolder: '.pawl/page' });
  expect(workflow.configPaths).toContain('pawl.toml');
  expect(workflow.roles).toEqual({
    writer: { mayWrite: ['docs/**'], defaultAgent: 'claude' },
    reviewer: { mayWrite: [], defaultAgent: 'codex' },
  });
  expect(Object.keys(workflow.checks)).toEqual(['list', 'same']);
  expect(Object.keys(workflow.questions)).toEqual(['accept']);
});

describe('a program', () => {
  const list = async (ran: Partial<CommandRun>) => workflow.checks['list']?.(checkContextOf(viewOf(), ran));

  test('passes with its lines as items, each once', async () => {
    expect(await list({ output: 'a\n b \n\na\r\n' })).toEqual({
      signal: {
        name: 'passed',
        items: [
          { id: 'a', after: [] },
          { id: 'b', after: [] },
        ],
        data: {},
      },
      notes: ['node list.mjs: passed'],
    });
  });

  test('signals empty without lines', async () => {
    expect(await list({ output: ' \n' })).toMatchObject({ signal: { name: 'empty' } });
  });

  test.each<[Partial<CommandRun>, string]>([
    [{ exitCode: 3 }, 'exited with status 3'],
    [{ exitCode: null, timedOut: true }, 'took too long'],
    [{ exitCode: null, missing: true }, 'is not installed'],
  ])('fails: %j', async (ran, words) => {
    expect(await list(ran)).toEqual({
      signal: {
        name: 'failed',
        problem: { code: 'check_failed', message: `node list.mjs ${words}; see /runs/checks/1-node.log` },
        data: {},
      },
      notes: [`node list.mjs: ${words}`],
    });
  });

  test('a state that loads nothing has no items', async () => {
    const states = { ...page.states, list: { run: ['true'], on: { passed: 'idle', failed: 'idle' } } };
    const other = definedWorkflow({ ...page, states }, prompts);
    const result = await other.checks['list']?.(checkContextOf(viewOf(), { output: 'a\n' }));
    expect(result?.signal).toEqual({ name: 'passed', data: {} });
  });
});

test('runs a check function, and records an approval that passes a gate', async () => {
  const gates = { out: { of: 'page', guards: ['published'], passedBy: ['list.fine'] } };
  const check = () => ({ signal: { name: 'fine', data: { found: 3 } } });
  const states = { ...page.states, list: { check, signals: ['fine'], on: { fine: 'idle' } } };
  const other = definedWorkflow({ ...page, gates, states }, prompts);
  const result = await other.checks['list']?.(checkContextOf(viewOf({}, approved)));
  expect(result?.signal.data).toEqual({ found: 3, 'approved.page': expect.stringMatching(/^sha256:/) });
});

describe('an approval', () => {
  const question = (files: Record<string, string>) =>
    workflow.questions['accept']?.(viewOf({}, files, [dispatched('review', 'reviewer', 'approved')]));

  test('names its subject in the question', () => {
    expect(question(approved)).toMatchObject({
      title: 'Is it good?',
      detail: 'Last report: approved (reviewer)',
      answers: { good: 'it is', bad: 'it is not' },
      withdrawn: null,
      paths: ['docs/install.md'],
      data: { good: { 'approved.page': expect.stringMatching(/^sha256:/) }, bad: {} },
    });
    expect(question({})?.about).not.toBe(question(approved)?.about);
    expect(question({})?.paths).toEqual([]);
  });

  test('holds until the approved artifact changes', async () => {
    const data = question(approved)?.data?.['good'] ?? {};
    const same = async (files: Record<string, string>) =>
      (await workflow.checks['same']?.(checkContextOf(viewOf({ data }, files))))?.signal.name;
    expect(await same(approved)).toBe('yes');
    expect(await same({ 'docs/install.md': `${goodPage}\n` })).toBe('no');
  });
});

describe('commands', () => {
  const enter = (command: string, args: Record<string, string> = {}, view = viewOf()) =>
    workflow.enter(command, args, view);

  test('start needs a description where a prompt does', () => {
    expect(enter('start')).toEqual({
      code: 'DescriptionMissing',
      message: '"install" has no description, and its prompts need one',
      fix: 'pawl page start install "what it is about"',
    });
    expect(enter('start', { description: ' \n' })).toMatchObject({ code: 'DescriptionMissing' });
    expect(enter('start', { description: ' how ' })).toMatchObject({ name: 'start', data: { description: 'how' } });
    expect(enter('start', {}, viewOf({ data: { description: 'known' } }))).toMatchObject({ name: 'start' });
    const plain = definedWorkflow(page, { 'prompts/draft.md': 'Write.' });
    expect(plain.enter('start', {}, viewOf())).toMatchObject({ name: 'start' });
  });

  test('other commands need an existing run', () => {
    for (const command of ['publish', 'retry', 'resume'])
      expect(enter(command)).toEqual({
        code: 'RunNotFound',
        message: 'page has no run "install"',
        fix: 'pawl page start install',
      });
    expect(enter('publish', {}, viewOf({ state: 'idle' }))).toMatchObject({ name: 'publish' });
  });

  test('carry nothing but a description', () => {
    expect(enter('publish', { other: 'x' }, viewOf({ state: 'idle' }))).toEqual({ name: 'publish', data: {} });
    expect(enter('retry', {}, viewOf({ state: 'stopped' }))).toEqual({ name: 'retry', data: {} });
  });
});

test('the journal is exported when the run is over', () => {
  expect(workflow.exportTo(viewOf({ state: 'idle' }))).toBe(null);
  expect(workflow.exportTo(viewOf({ state: 'published' }))).toBe('.pawl/page/install/journal.jsonl');
  expect(workflow.undoWrites(viewOf())).toEqual([]);
});
