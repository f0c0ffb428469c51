import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseScript, turnFor } from '../../agents/scripted/scripted.ts';
import type { Turn } from '../../agents/scripted/turn.ts';
import { readCodeReview } from '../../documents/review.ts';
import { readProposal } from '../../documents/proposal.ts';
import { readTasks } from '../../documents/tasks.ts';
import type { Json, WorkItem } from '../../engine/snapshot.ts';
import type { FiledReport } from '../workflow.ts';
import { ChangeFixture, type Setting } from './change.fixture.ts';
import { conclude } from './dispatching.ts';
import { machine } from './transition-table.ts';
import { proposalPath, reviewPath, tasksPath } from './change-paths.ts';
import rehearsal from './rehearsal.yaml';
import { check } from '../../schema/schema.ts';
import { toolArguments, type ToolName } from './tool-arguments.ts';
import { validatePlan } from './validate.ts';
import { orderSpecs, taskGroups } from './read-documents.ts';

const turns = parseScript(rehearsal, 'rehearsal.yaml');

describe('the script', () => {
  test('every turn is for a dispatch step of the machine and for its role', () => {
    for (const { role, step = '' } of turns) {
      expect(machine.states).toHaveProperty(step);
      expect(Object.entries(machine.states).find(([name]) => name === step)?.[1]).toMatchObject({
        kind: 'dispatch',
        role,
      });
    }
  });

  test('every turn says something, costs something and is quick', () => {
    for (const turn of turns) {
      expect(turn.say?.length).toBeLessThan(80);
      expect(turn.usage).toEqual({
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cost_usd: expect.any(Number),
      });
      expect(turn.sleep_ms).toBeLessThanOrEqual(150);
      expect(turn.fault).toBeUndefined();
    }
  });
});

/** Plays the turns as the machine would dispatch them; the tools are the real ones. */
function play(change: ChangeFixture): { signals: string[]; answers: string[]; findings: number[] } {
  const played: { role: string; step: string }[] = [];
  const signals: string[] = [];
  const answers: string[] = [];
  const findings: number[] = [];
  const data: Record<string, Json> = {};
  for (const [role, step, item] of dispatches(change)) {
    const index = turnFor(turns, { role, step, earlier: played });
    const turn = index === null ? undefined : turns[index];
    if (!turn) throw new Error(`no turn for ${role} ${step}`);
    played.push({ role, step });
    const setting: Setting = { role, step, data: { ...data }, agent: 'scripted', ...(item && { item }) };
    for (const [path, content] of Object.entries(turn.write ?? {})) change.files.set(path, content ?? '');
    const reports = (turn.call ?? []).map(({ tool, args }): FiledReport => {
      const answer = change.call(toolName(tool), args, setting);
      answers.push('text' in answer ? answer.text : `${tool} refused: ${answer.error}`);
      return { tool, args: JSON.parse(JSON.stringify(args)) };
    });
    const conclusion = conclude(change.context(setting), reports);
    signals.push('signal' in conclusion ? `${step}: ${conclusion.signal.name}` : `${step}! ${conclusion.insufficient}`);
    if ('signal' in conclusion) Object.assign(data, conclusion.signal.data);
    if (['list_tasks', 'revise'].includes(step)) findings.push(validatePlan(change.view, change.id).findings.length);
  }
  return { signals, answers, findings };
}

function* dispatches(change: ChangeFixture): Generator<[role: string, step: string, item?: WorkItem]> {
  yield ['planner', 'propose'];
  for (const id of specOrder(change)) yield ['planner', 'specify', { id, after: [] }];
  yield ['planner', 'list_tasks'];
  yield ['challenger', 'challenge'];
  yield ['planner', 'revise'];
  yield ['challenger', 'challenge'];
  const { tasks } = readTasks(change.read(tasksPath(change.id)), { file: 'tasks.md', changeId: change.id });
  for (const group of taskGroups(tasks, specOrder(change), true)) {
    yield ['implementer', 'implement', { id: group.id, after: [], data: { tasks: group.tasks } }];
  }
  yield ['reviewer', 'review'];
  yield ['implementer', 'fix'];
  yield ['reviewer', 'review'];
}

function specOrder(change: ChangeFixture): readonly string[] {
  const order = orderSpecs(readProposal(change.read(proposalPath(change.id)), 'proposal.md').affectedSpecs);
  if (!('ok' in order)) throw new Error(JSON.stringify(order));
  return order.ok;
}

function toolName(name: string): ToolName {
  const known = (Object.keys(toolArguments) as ToolName[]).find((tool) => tool === name);
  if (!known) throw new Error(`there is no tool ${name}`);
  return known;
}

describe('played against the real tools', () => {
  const change = new ChangeFixture();
  const { signals, answers, findings } = play(change);

  test('one revision, one fix, two specs and two groups of tasks, and every turn is used', () => {
    expect(signals).toEqual([
      'propose: reported',
      'specify: reported',
      'specify: reported',
      'list_tasks: reported',
      'challenge: needs_minor_revision',
      'revise: reported',
      'challenge: approved',
      'implement: reported',
      'implement: reported',
      'review: needs_fix',
      'fix: reported',
      'review: approved',
    ]);
    // The author of a lean change has a turn for both halves.
    expect(signals).toHaveLength(turns.filter(({ role }) => role !== 'author').length);
  });

  test('no call is refused, and the format check finds nothing at any time', () => {
    expect(answers.filter((text) => /refused|findings of the format check|Not valid/.test(text))).toEqual([]);
    expect(findings).toEqual([0, 0]);
  });

  test('the documents tell the story: reviews with issues that have a place', () => {
    const { reviews } = readProposal(change.read(proposalPath(change.id)), 'proposal.md');
    expect(reviews.map(({ status, issues }) => [status, issues.map(({ severity }) => severity)])).toEqual([
      ['needs_revision', ['Medium', 'Medium']],
      ['approved', ['Low']],
    ]);
    expect(readCodeReview(change.read(reviewPath(change.id)), 'REVIEW.md')).toMatchObject({
      verdict: 'APPROVED',
      iteration: 2,
    });
  });
});

describe('the code it writes', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-rehearsal-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  test('passes its tests before the review, and has the defect the reviewer names', () => {
    const [first, second] = turns.filter(({ step }) => step === 'implement');
    write(first);
    write(second);
    expect(testsPass()).toBe(true);
    const [issue] = reviewIssues();
    const [file = '', line = ''] = String(issue?.location).split(':');
    expect(second?.write?.[file]?.split('\n')[Number(line) - 1]).toContain('slug.slice(0, slugLengthMax');
    write(theFix(), ['slug/unique-test.mjs']);
    expect(testsPass()).toBe(false);
  });

  test('passes them after the fix, the new one included', () => {
    write(theFix());
    expect(testsPass()).toBe(true);
  });

  function write(turn: Turn | undefined, only?: readonly string[]): void {
    for (const [path, content] of Object.entries(turn?.write ?? {})) {
      if (only && !only.includes(path)) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content ?? '');
    }
  }

  function testsPass(): boolean {
    try {
      const args = ['--test', 'slug/slug-test.mjs', 'slug/unique-test.mjs'];
      execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', env: { PATH: process.env['PATH'] } });
      return true;
    } catch {
      return false;
    }
  }
});

function theFix(): Turn | undefined {
  return turns.find(({ step }) => step === 'fix');
}

function reviewIssues(): readonly { location: string }[] {
  const call = turns.find(({ step }) => step === 'review')?.call?.find(({ tool }) => tool === 'create_review');
  const read = check(toolArguments.create_review.schema, call?.args);
  if ('mistakes' in read) throw new Error('the rehearsed review does not fit');
  return read.value.issues;
}
