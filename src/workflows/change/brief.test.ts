import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, WorkItem } from '../../engine/snapshot.ts';
import type { Brief } from '../workflow.ts';
import { brief, values } from './dispatching.ts';
import { ChangeFixture, plannedChange, type Setting } from './change.fixture.ts';
import { machine } from './transition-table.ts';
import { mergedSpecPath, mergeReviewPath, reviewPath, tasksPath } from './change-paths.ts';
import { fillTemplate, placeholder } from '../prompt-template.ts';
import { tools } from './dispatching.ts';

const id = 'add-login';
const spec: WorkItem = { id: 'tokens', after: [] };
const group: WorkItem = { id: 'all', after: [], data: { tasks: ['2.1', '1.1'] } };
const conflict: WorkItem = { id: 'tokens', after: [], data: { reasons: ['R1 was changed on both sides'] } };

const dispatches = Object.entries(machine.states).flatMap(([step, state]) =>
  state.kind === 'dispatch' ? [{ step, role: state.role }] : [],
);
const steps = dispatches.map(({ step }) => step);
const items: Readonly<Record<string, WorkItem>> = { specify: spec, implement: group, merge_by_hand: conflict };

function setting(step: string, more: Partial<Setting> = {}): Setting {
  const item = items[step];
  return { step, ...(item && { item }), ...more };
}

function briefed(step: string, change: ChangeFixture = plannedChange(), more: Partial<Setting> = {}): Brief {
  const result = brief(change.context(setting(step, more)));
  if ('signal' in result) throw new Error(`skipped: ${result.why}`);
  return result;
}

const promptFile = (step: string): string => `${step.replaceAll('_', '-')}.md`;

describe('every dispatch state', () => {
  test('has a prompt of its own', () => {
    const files = readdirSync(new URL('prompts', import.meta.url));
    expect(files.toSorted()).toEqual(steps.map(promptFile).toSorted());
  });

  test.each(steps)('%s: every placeholder is filled, with and without a hint', (step) => {
    for (const more of [{}, { hint: 'Mind the {{gap}}.' }]) {
      const { prompt } = briefed(step, plannedChange(), more);
      expect(prompt.replace('{{gap}}', '')).not.toMatch(/\{\{|\}\}|undefined|\[object/);
      expect(prompt).toContain(`change \`${id}\``);
      expect(prompt).not.toMatch(/\n{3}/);
    }
  });

  test.each(dispatches)(
    '[change/tools/prompts-name-tools-of-the-role] $step names only tools its role has',
    ({ step, role }) => {
      const named = Object.entries(tools).filter(([name]) => briefed(step).prompt.includes(`\`${name}\``));
      expect(named.length).toBeGreaterThan(0);
      for (const [, tool] of named) expect(tool.roles).toContain(role);
    },
  );

  test.each(steps)('%s works where there is nothing but the change itself', (step) => {
    const change = new ChangeFixture({ [tasksPath(id)]: plannedChange().read(tasksPath(id)) });
    expect(briefed(step, change).prompt).toContain('There are no instructions for this project yet.');
  });

  test('names the tool whose report ends the matter, and says what happens without it', () => {
    const closing = Object.fromEntries(steps.map((step) => [step, briefed(step).closedBy]));
    expect(closing).toEqual({
      propose: 'create_proposal',
      specify: 'create_spec',
      list_tasks: 'create_tasks',
      repair: undefined,
      challenge: 'append_review',
      revise: undefined,
      implement: undefined,
      review: 'create_review',
      fix: undefined,
      merge_by_hand: 'write_main_spec',
      review_merge: 'create_review',
    });
    for (const [step, tool] of Object.entries(closing)) {
      if (tool === undefined) continue;
      expect(briefed(step).prompt).toContain(`Call \`${tool}\``);
      expect(briefed(step).prompt).toContain('Without the call this dispatch has failed and is repeated.');
    }
  });

  test("a person's hint comes last", () => {
    expect(briefed('fix', plannedChange(), { hint: ' Use the old parser. ' }).prompt).toMatch(
      /\n\n## A person adds\n\nUse the old parser\.\n$/,
    );
    expect(briefed('fix').prompt).not.toContain('A person adds');
  });

  test('[change/prompts/by-path] project files are named by path where they exist, and never quoted', () => {
    const paths = [
      'agentd/project.md',
      'AGENTS.md',
      'CLAUDE.md',
      'GEMINI.md',
      '.github/copilot-instructions.md',
      `agentd/changes/${id}/clarifications.md`,
      `agentd/changes/${id}/CHALLENGE.md`,
    ];
    const change = plannedChange(Object.fromEntries(paths.map((path) => [path, `secret content of ${path}`])));
    for (const step of steps) {
      const { prompt } = briefed(step, change);
      for (const path of paths) expect(prompt).toContain(`- \`${path}\``);
      expect(prompt).not.toContain('secret content');
      expect(prompt).not.toContain('Passwords are sent');
    }
    for (const path of paths) expect(briefed('challenge').prompt).not.toContain(`\`${path}\``);
  });

  test('throws for an unknown step', () => {
    expect(() => brief(plannedChange().context({ step: 'constructor' }))).toThrow('no dispatch step "constructor"');
  });
});

describe('single steps', () => {
  test('propose carries what the person asked for, untouched', () => {
    const description = 'Log in with {{change}} and $& tokens';
    expect(briefed('propose', new ChangeFixture(), { data: { description } }).prompt).toContain(
      `## Request\n\n${description}\n`,
    );
  });

  test('specify names its spec and the main spec', () => {
    expect(briefed('specify').prompt).toContain('Write one spec: `tokens`');
    expect(briefed('specify').prompt).toContain('`agentd/specs/tokens.md`');
  });

  test('repair lists the blocking findings', () => {
    const change = plannedChange();
    change.files.set(tasksPath(id), change.read(tasksPath(id)).replace('tokens:R1', 'tokens:R9'));
    expect(briefed('repair', change).prompt).toMatch(
      /## Findings that block\n\n- High, agentd\/changes\/add-login\/tasks\.md:\d+: .*R9/,
    );
  });

  test('[change/challenge/looks-for] challenge asks for gaps, conflicts with the codebase and edge cases', () => {
    for (const word of [
      'Gaps',
      'Conflicts with the codebase',
      'Edge cases',
      'severity',
      'category',
      'description',
      'location',
      'recommendation',
    ]) {
      expect(briefed('challenge').prompt).toContain(word);
    }
  });

  test('[change/review/looks-for] review asks for logic, edge cases, security, best practice and missing tests', () => {
    for (const word of [
      'Logic',
      'Edge cases',
      'Security',
      'Best practice',
      'Missing tests',
      'severity',
      'category',
      'description',
      'location',
      'recommendation',
    ]) {
      expect(briefed('review').prompt).toContain(word);
    }
  });

  test('[change/checks/output-by-path] review and fix get the checks with the path of their output', () => {
    const results: Json = [
      { name: 'test', status: 'failed', required: true, log: '/logs/test.txt' },
      { name: 'audit', status: 'failed', required: false, log: '/logs/audit.txt' },
      { name: 'lint', status: 'not available', required: true, log: null },
    ];
    for (const step of ['review', 'fix']) {
      expect(briefed(step, plannedChange(), { data: { checks: { results } } }).prompt).toContain(
        [
          '  - test: failed (required: no approval), output in `/logs/test.txt`',
          '  - audit: failed, output in `/logs/audit.txt`',
          '  - lint: not available',
        ].join('\n'),
      );
      expect(briefed(step).prompt).toContain('none were found for this project');
    }
  });

  test('review names the review before it, fix the review to work from', () => {
    const change = plannedChange();
    expect(briefed('review', change).prompt).not.toContain(reviewPath(id));
    change.callExample('create_review', {}, { step: 'review' });
    expect(briefed('review', change).prompt).toContain(`The review before this one is \`${reviewPath(id)}\``);
    expect(briefed('fix', change).prompt).toContain(`The review: \`${reviewPath(id)}\``);
  });

  test('merge_by_hand names the conflicts, and on a second attempt the findings about the first', () => {
    const change = plannedChange();
    expect(briefed('merge_by_hand', change).prompt).toContain('## Conflicts\n\n- R1 was changed on both sides\n');
    expect(briefed('merge_by_hand', change).prompt).not.toContain(mergeReviewPath(id));
    change.files.set(mergedSpecPath(id, 'tokens'), 'x');
    change.files.set(mergeReviewPath(id), 'y');
    expect(briefed('merge_by_hand', change).prompt).toContain(
      `- The reviewer's findings about it: \`${mergeReviewPath(id)}\``,
    );
    const merges = briefed('review_merge', change).prompt.match(/^- merged .*$/gm);
    expect(merges).toEqual([
      '- merged `agentd/changes/add-login/merged/tokens.md`, main `agentd/specs/tokens.md`, change `agentd/changes/add-login/specs/tokens.md`',
    ]);
  });

  test('reviewers and planners are told not to write, implementers and authors not to touch the plan', () => {
    for (const { step, role } of dispatches) {
      const { prompt } = briefed(step);
      if (role === 'implementer' || role === 'author') expect(prompt).toContain('Do not touch `agentd/`');
      else expect(prompt).toContain('Do not create, edit or delete files');
    }
  });
});

describe('[change/implement/continues-with-the-next-task] implement', () => {
  test("names the group's open tasks in the group's order", () => {
    const change = plannedChange();
    expect(briefed('implement', change).prompt).toContain('in this order: 2.1, 1.1.');
    change.call('update_task', { task_id: '2.1', status: 'completed' }, { step: 'fix' });
    expect(briefed('implement', change).prompt).toContain('in this order: 1.1.');
    change.call('update_task', { task_id: '1.1', status: 'in_progress' }, { step: 'fix' });
    expect(briefed('implement', change).prompt).toContain('in this order: 1.1.');
  });

  test('is skipped when nothing is left of the group', () => {
    const change = plannedChange();
    for (const task of ['1.1', '2.1'])
      change.call('update_task', { task_id: task, status: 'completed' }, { step: 'fix' });
    expect(brief(change.context(setting('implement')))).toEqual({
      signal: { name: 'reported' },
      why: 'nothing left to do in this group',
    });
  });
});

test('[change/config/complexity] complexity follows from spec files and tasks', () => {
  const change = plannedChange();
  expect(briefed('challenge', change).complexity).toBe('low');
  change.files.set(`agentd/changes/${id}/specs/third.md`, '');
  expect(briefed('challenge', change).complexity).toBe('medium');
  expect(briefed('propose', new ChangeFixture()).complexity).toBe('low');
});

describe('templates', () => {
  test('are filled in one pass', () => {
    expect(fillTemplate('{{a}} {{b}}', (name) => (name === 'a' ? '{{b}}' : '$1'))).toBe('{{b}} $1\n');
  });

  test('a placeholder without value throws', () => {
    expect(() => fillTemplate('{{a}}', () => undefined)).toThrow('no value for {{a}}');
  });

  test('every value is used by one of them', () => {
    const texts = steps.map((step) => readFileSync(new URL(`prompts/${promptFile(step)}`, import.meta.url), 'utf8'));
    const named = new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name)));
    expect([...named].toSorted()).toEqual(Object.keys(values).toSorted());
  });

  test('are plain text in the sources', () => {
    for (const step of steps) {
      const text = readFileSync(new URL(`prompts/${promptFile(step)}`, import.meta.url), 'utf8');
      expect(text.endsWith('{{person}}\n')).toBe(true);
    }
  });
});
