import { describe, expect, test } from 'vitest';
import type { Json, WorkItem } from '../../engine/snapshot.ts';
import type { Conclusion, FiledReport } from '../workflow.ts';
import { plannedChange, type ChangeFixture, type Setting } from './change.fixture.ts';
import { conclude } from './dispatching.ts';
import { planDigest } from './documents.ts';
import { machine } from './transition-table.ts';
import { proposalPath } from './change-paths.ts';
import { toolArguments, type ToolName } from './tool-arguments.ts';

const id = 'add-login';
const issue = toolArguments.append_review.example.issues[0];
const report = (tool: string, args: Readonly<Record<string, Json>> = {}): FiledReport => ({ tool, args });
const reported: Conclusion = { signal: { name: 'reported' }, writes: [] };

/** Calls the tool as the agent would, then concludes from what it staged. */
function file(
  change: ChangeFixture,
  tool: ToolName,
  args: Readonly<Record<string, Json>>,
  setting: Setting,
): Conclusion {
  const answer = change.call(tool, args, setting);
  if ('error' in answer) throw new Error(answer.error);
  return conclude(change.context(setting), [report(tool, args)]);
}

function signalOf(conclusion: Conclusion) {
  if ('insufficient' in conclusion) throw new Error(conclusion.insufficient);
  return conclusion.signal;
}

describe('planning steps need their report', () => {
  const item: WorkItem = { id: 'tokens', after: [] };
  test.each<[string, string, Readonly<Record<string, Json>>, string]>([
    ['propose', 'create_proposal', {}, 'create_proposal was not called'],
    ['specify', 'create_spec', { spec_id: 'tokens' }, 'create_spec was not called for "tokens"'],
    ['list_tasks', 'create_tasks', {}, 'create_tasks was not called'],
    ['merge_by_hand', 'write_main_spec', { spec_id: 'tokens' }, 'write_main_spec was not called for "tokens"'],
    ['repair', 'create_tasks', {}, 'none of create_proposal, create_spec, create_tasks was called'],
    ['revise', 'create_spec', {}, 'none of create_proposal, create_spec, create_tasks was called'],
  ])('%s', (step, tool, args, problem) => {
    const context = plannedChange().context({ step, item });
    expect(conclude(context, [report(tool, args)])).toEqual(reported);
    expect(conclude(context, [])).toEqual({ insufficient: problem });
    expect(conclude(context, [report('create_clarifications')])).toEqual({ insufficient: problem });
  });

  test('C2: the spec of another item does not count', () => {
    const context = plannedChange().context({ step: 'specify', item });
    expect(conclude(context, [report('create_spec', { spec_id: 'login' })])).toHaveProperty('insufficient');
  });
});

describe('challenge', () => {
  const challenge: Setting = { step: 'challenge', role: 'challenger' };
  const verdict = (args: Readonly<Record<string, Json>>, change = plannedChange()) =>
    signalOf(file(change, 'append_review', args, challenge));

  test('[change/approval/bound-to-plan] approved: bound to the plan as it is', () => {
    const change = plannedChange();
    const digest = planDigest(change.view, id);
    expect(verdict({ status: 'approved', content: 'Good.' }, change)).toEqual({
      name: 'approved',
      data: {
        planReviews: 1,
        verdict: 'APPROVED',
        openIssues: [],
        judgedPlan: digest,
        approvedPlan: { digest, by: 'challenger', whole: expect.stringMatching(/^sha256:/) },
      },
    });
  });

  test('[change/challenge/high-issue-decides] needs_revision with a High finding', () => {
    expect(verdict({ status: 'needs_revision', summary: 's', issues: [{ ...issue, severity: 'Low' }, issue] })).toEqual(
      {
        name: 'needs_revision',
        data: {
          planReviews: 1,
          verdict: 'NEEDS_REVISION',
          openIssues: [
            { severity: 'Low', title: issue.title },
            { severity: 'High', title: issue.title },
          ],
          judgedPlan: planDigest(plannedChange().view, id),
        },
      },
    );
  });

  test('needs_revision without a High finding is minor', () => {
    expect(verdict({ status: 'needs_revision', summary: 's', issues: [{ ...issue, severity: 'Medium' }] }).name).toBe(
      'needs_minor_revision',
    );
  });

  test('[change/rejected/compares-checksums] rejected: remembers which plan', () => {
    const change = plannedChange();
    const rejectedPlan = planDigest(change.view, id);
    expect(verdict({ status: 'rejected', content: 'No.' }, change)).toEqual({
      name: 'rejected',
      data: {
        planReviews: 1,
        verdict: 'REJECTED',
        openIssues: [],
        judgedPlan: rejectedPlan,
        rejectedPlan,
        rejection: 'No.',
      },
    });
  });

  test('[change/documents/status-attribute-is-the-verdict] C1: the last review counts, by its status and not its prose', () => {
    const change = plannedChange();
    verdict({ status: 'rejected', content: 'REJECTED' }, change);
    expect(verdict({ status: 'approved', content: 'I still say REJECTED' }, change)).toMatchObject({
      name: 'approved',
      data: { planReviews: 2 },
    });
  });

  test('without a report there is no verdict, whatever earlier reviews say', () => {
    const change = plannedChange();
    verdict({ status: 'approved', content: 'x' }, change);
    expect(conclude(change.context(challenge), [])).toEqual({ insufficient: 'append_review was not called' });
    change.files.set(proposalPath(id), 'no review here');
    expect(conclude(change.context(challenge), [report('append_review')])).toHaveProperty('insufficient');
  });
});

describe('implement', () => {
  const item: WorkItem = { id: 'all', after: [], data: { tasks: ['1.1', '2.1'] } };
  const implement: Setting = { step: 'implement', role: 'implementer', item };
  const built = { 'src/token.ts': 'export {}', 'src/login.ts': 'export {}' };

  function after(
    statuses: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = built,
  ): Conclusion {
    const change = plannedChange(files);
    const reports = Object.entries(statuses).map(([task_id, status]) =>
      report('update_task', { task_id, status, note: 'no key' }),
    );
    for (const { args } of reports) change.call('update_task', args, implement);
    return conclude(change.context(implement), reports);
  }

  test('all tasks completed', () => {
    expect(after({ '1.1': 'completed', '2.1': 'completed' })).toEqual(reported);
  });

  test('[change/implement/every-task-reported] a task neither completed nor blocked is named', () => {
    const partly = (message: string) => ({
      signal: { name: 'partly', problem: { code: 'partly', message } },
      writes: [],
    });
    expect(after({ '1.1': 'completed' })).toEqual(partly('neither completed nor blocked: 2.1'));
    expect(after({ '1.1': 'in_progress', '2.1': 'completed' })).toEqual(partly('neither completed nor blocked: 1.1'));
    expect(after({})).toEqual({ insufficient: 'neither completed nor blocked: 1.1, 2.1' });
    expect(after({ '1.1': 'in_progress' })).toEqual({ insufficient: 'neither completed nor blocked: 1.1, 2.1' });
  });

  test('counts a task that is missing from the list as not done', () => {
    const change = plannedChange(built);
    const context = change.context({ ...implement, item: { ...item, data: { tasks: ['9.9'] } } });
    expect(conclude(context, [])).toEqual({ insufficient: 'neither completed nor blocked: 9.9' });
  });

  test('[change/implement/blocked-needs-a-person] a blocked task decides, with its note', () => {
    const blocked = {
      signal: {
        name: 'blocked',
        data: { blockedBy: { '2.1': 'no key' } },
        problem: { code: 'blocked', message: 'blocked: 2.1 Log in (no key)' },
      },
      writes: [],
    };
    expect(after({ '1.1': 'completed', '2.1': 'blocked' })).toEqual(blocked);
    // D15: one that waits for the blocked one need not be reported.
    expect(after({ '2.1': 'blocked' })).toEqual(blocked);
  });

  test('[change/implement/artifacts-are-there] completed but the file is not there', () => {
    expect(after({ '1.1': 'completed', '2.1': 'completed' }, { 'src/login.ts': '' })).toEqual({
      insufficient: 'task 1.1 is completed, but src/token.ts does not exist',
    });
  });

  test.each([
    ['DELETE', { 'src/x': 'still' }, 'task 1.1 is completed, but src/x still exists'],
    ['DELETE', {}, null],
    ['CREATE', { 'src/x/a.ts': 'a folder counts' }, null],
    ['RENAME', {}, null],
    ['MODIFY', {}, 'task 1.1 is completed, but src/x does not exist'],
  ])('%s with %j', (action, files, problem) => {
    const change = plannedChange({ ...files });
    change.callExample('create_tasks', {
      tasks: [{ ...toolArguments.create_tasks.example.tasks[0], action, file: 'src/x' }],
    });
    const setting: Setting = { ...implement, item: { id: 'all', after: [], data: { tasks: ['1.1'] } } };
    const conclusion = file(change, 'update_task', { task_id: '1.1', status: 'completed' }, setting);
    expect(conclusion).toEqual(problem === null ? reported : { insufficient: problem });
  });
});

describe('review', () => {
  const review: Setting = { step: 'review', role: 'reviewer' };

  test.each([
    ['APPROVED', 'approved'],
    ['NEEDS_FIX', 'needs_fix'],
    ['needs_changes', 'needs_fix'],
    ['MAJOR_ISSUES', 'major_issues'],
  ])('[change/review/verdicts] %s → %s', (verdict, name) => {
    const args = { verdict, summary: 's', issues: verdict === 'APPROVED' ? [] : [issue] };
    expect(signalOf(file(plannedChange(), 'create_review', args, review)).name).toBe(name);
  });

  test('records verdict and counts', () => {
    const issues = ['High', 'Low', 'Low'].map((severity) => ({ ...issue, severity }));
    const setting = { ...review, data: { codeReview: { verdict: 'NEEDS_FIX', iteration: 1 } } };
    expect(
      signalOf(file(plannedChange(), 'create_review', { verdict: 'NEEDS_FIX', summary: 's', issues }, setting)).data,
    ).toEqual({
      codeReview: { verdict: 'NEEDS_FIX', iteration: 2, high: 1, medium: 0, low: 2 },
    });
  });

  test('an old REVIEW.md is no report', () => {
    const change = plannedChange();
    file(change, 'create_review', { verdict: 'APPROVED', summary: 's' }, review);
    expect(conclude(change.context(review), [])).toEqual({ insufficient: 'create_review was not called' });
  });

  test.each([
    ['APPROVED', 'approved'],
    ['NEEDS_FIX', 'needs_fix'],
    ['MAJOR_ISSUES', 'needs_fix'],
  ])('of a merge: %s → %s, counted for itself', (verdict, name) => {
    const setting = {
      step: 'review_merge',
      role: 'reviewer',
      data: { codeReview: { verdict: 'APPROVED', iteration: 4 } },
    };
    const issues = verdict === 'APPROVED' ? [] : [{ ...issue, severity: 'Low' }];
    expect(signalOf(file(plannedChange(), 'create_review', { verdict, summary: 's', issues }, setting))).toEqual({
      name,
      data: {
        mergeReview: { verdict, iteration: 1, high: 0, medium: 0, low: issues.length },
        judgedMerge: expect.stringMatching(/^sha256:/),
      },
      ...(name === 'needs_fix' && {
        problem: { code: 'needs_fix', message: expect.stringMatching(`${verdict}; read .*/merged/REVIEW.md`) },
      }),
    });
  });
});

test('a fix needs no report: the next review judges it', () => {
  expect(conclude(plannedChange().context({ step: 'fix' }), [])).toMatchObject(reported);
});

test('every dispatch state of the machine is concluded', () => {
  for (const [step, state] of Object.entries(machine.states)) {
    const context = plannedChange().context({ step, item: { id: 'tokens', after: [] } });
    if (state.kind === 'dispatch') expect(() => conclude(context, [])).not.toThrow();
    else expect(() => conclude(context, [])).toThrow('no dispatch step');
  }
});
