import { describe, expect, test } from 'vitest';
import {
  documentsDigest,
  formatIssues,
  missingPrevious,
  openTasks,
  previousArtifact,
  tasksIn,
  tickedTasks,
  untickedTasks,
  workItems,
} from './phase-artifacts.ts';
import { featureFiles, run } from './feature-files.fixture.ts';
import { recordOf, type PhaseRecord } from './meta-file.ts';
import type { Mode, Phase } from './phases.ts';

const sound = '# Spec\n\n- R1: short\n';

describe('[feature/loop/unsound] an artifact is refused without a reviewer', () => {
  test.for<[string, Phase, string, string | null, string]>([
    ['missing', 'specify', 'spec.md', null, 'spec.md is missing'],
    ['empty', 'specify', 'spec.md', '', 'spec.md is empty'],
    ['blank', 'design', 'design.md', ' \n\t\r\n', 'design.md is empty'],
    ['binary', 'specify', 'spec.md', '# S\n\na\0b', 'spec.md is not a text'],
    ['far too long', 'specify', 'spec.md', `# S\n\n${'x'.repeat(1_000_000)}`, 'more than 1,000,000 characters'],
    ['without a heading', 'create-plan', 'plan.md', 'Do it.\n', 'plan.md has no heading'],
    ['with a heading in a code fence only', 'create-plan', 'plan.md', '```\n# Plan\n```\n', 'has no heading'],
    ['of headings only', 'brainstorm', 'brainstorm.md', '# A\n\n## B\n', 'brainstorm.md has headings and no text'],
    ['without a task', 'create-tasks', 'tasks.md', '# Tasks\n\nDo it.\n', 'tasks.md has no task'],
  ])('%s', ([, phase, name, text, told]) => {
    const [issue] = formatIssues(featureFiles(text === null ? {} : { [name]: text }), run, phase);
    expect(issue).toMatchObject({ severity: 'blocker', location: name });
    expect(issue?.description).toContain(told);
  });

  test('what is sound is not refused, and code has no format', () => {
    expect(formatIssues(featureFiles({ 'spec.md': sound }), run, 'specify')).toEqual([]);
    expect(formatIssues(featureFiles({ 'spec.md': sound.replaceAll('\n', '\r\n') }), run, 'specify')).toEqual([]);
    expect(formatIssues(featureFiles({ 'tasks.md': '# T\n\n- [ ] a\n' }), run, 'create-tasks')).toEqual([]);
    expect(formatIssues(featureFiles({}), run, 'implement')).toEqual([]);
  });
});

describe('[feature/back/previous] the previous artifact', () => {
  const named = (name: string): string => `docs/features/${run}/${name}`;

  test('is the nearest earlier one that is there', () => {
    const files = featureFiles({ 'brainstorm.md': sound, 'spec.md': sound, 'design.md': ' \n' });
    expect(previousArtifact(files, run, 'create-plan')).toBe(named('spec.md'));
    expect(previousArtifact(files, run, 'specify')).toBe(named('brainstorm.md'));
    expect(previousArtifact(files, run, 'brainstorm')).toBeNull();
    expect(previousArtifact(featureFiles({ 'tasks.md': sound }), run, 'verify')).toBe(named('tasks.md'));
  });

  const done: PhaseRecord = { ...recordOf({}, 'specify'), started: '1', completed: '2' };
  const missing = (files: Readonly<Record<string, string>>, phase: Phase, completed: readonly Phase[], mode: Mode) => {
    const records = Object.fromEntries(completed.map((each) => [each, done]));
    return missingPrevious(featureFiles(files), run, { phase, mode, records });
  };

  test.for<[string, Readonly<Record<string, string>>, Phase, readonly Phase[], Mode, string | null]>([
    ['gone after its phase', { 'spec.md': sound }, 'create-plan', ['specify', 'design'], 'standard', 'design.md'],
    ['emptied after its phase', { 'design.md': '' }, 'create-plan', ['design'], 'standard', 'design.md'],
    ['there', { 'design.md': sound }, 'create-plan', ['specify', 'design'], 'standard', null],
    ['its phase was skipped', { 'spec.md': sound }, 'create-plan', ['specify'], 'standard', null],
    ['its phase is left out by the mode', { 'spec.md': sound }, 'create-tasks', ['specify', 'design'], 'quick', null],
    ['nothing was completed', {}, 'specify', [], 'full', null],
    ['the tasks are gone', {}, 'verify', ['create-tasks', 'implement'], 'standard', 'tasks.md'],
  ])('is required unless skipped or left out: %s', ([, files, phase, completed, mode, gone]) => {
    expect(missing(files, phase, completed, mode)).toBe(gone === null ? null : named(gone));
  });
});

const tasksText = `# Tasks

- [ ] Write limitSlug
  in slug/limit.mjs
  - [ ] Criterion: 61 characters are cut
- [x] Test it
\`\`\`
- [ ] not a task
\`\`\`
* [ ] Document it
`;

describe('[feature/implement/tasks] tasks are the outermost boxes', () => {
  test('nested boxes are criteria, code is none', () => {
    expect(tasksIn(tasksText).map(({ text, done }) => [text, done])).toEqual([
      ['Write limitSlug in slug/limit.mjs', false],
      ['Test it', true],
      ['Document it', false],
    ]);
  });

  test('a list that is indented as a whole, or numbered, or with CRLF', () => {
    const indented = '# T\n\n  - [ ] a\n    - [ ] b\n  - [ ] c\n';
    expect(tasksIn(indented).map(({ text }) => text)).toEqual(['a', 'c']);
    expect(tasksIn('1. [ ] a\r\n2) [X] b\r\n').map(({ text, done }) => [text, done])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  test('headings are tasks only where there is no box', () => {
    const text = '# Tasks\n\n## Task 1: a\n\nDo it.\n\n## Notes\n\n## task 2\n';
    expect(tasksIn(text).map((task) => task.text)).toEqual(['Task 1: a', 'task 2']);
    expect(tasksIn(`${text}\n- [ ] box\n`).map((task) => task.text)).toEqual(['box']);
  });

  const files = featureFiles({ 'tasks.md': tasksText });

  test('the open ones are worked through, each with its text', () => {
    expect(openTasks(files, run)).toHaveLength(2);
    expect(workItems(files, run, 'implement', 'All').map(({ id, data }) => [id, data])).toEqual([
      ['T1', 'Write limitSlug in slug/limit.mjs'],
      ['T2', 'Document it'],
    ]);
    expect(workItems(featureFiles({}), run, 'implement', 'All of it')).toMatchObject([{ data: 'All of it' }]);
    const ticked = featureFiles({ 'tasks.md': '- [x] a\n' });
    expect(workItems(ticked, run, 'implement', '')).toMatchObject([{ id: 'implement' }]);
    expect(workItems(files, run, 'design', '')).toMatchObject([{ id: 'design' }]);
  });

  test('ticking changes one box, and unticking those of tasks', () => {
    expect(tickedTasks(files, run, 'Document it')).toBe(tasksText.replace('* [ ]', '* [x]'));
    expect(tickedTasks(files, run, 'Write limitSlug in slug/limit.mjs')).toBe(
      tasksText.replace('- [ ] Write', '- [x] Write'),
    );
    expect(tickedTasks(files, run, 'Test it')).toBeNull();
    expect(tickedTasks(files, run, 'not a task')).toBeNull();
    expect(untickedTasks(files, run)).toBe(tasksText.replace('[x]', '[ ]'));
    expect(untickedTasks(featureFiles({ 'tasks.md': '- [ ] a\n' }), run)).toBeNull();
  });

  test('line ends stay, and of two tasks with the same words each is ticked once', () => {
    const windows = featureFiles({ 'tasks.md': '# T\r\n\r\n- [ ] a\r\n- [ ] b\r\n' });
    expect(tickedTasks(windows, run, 'b')).toBe('# T\r\n\r\n- [ ] a\r\n- [x] b\r\n');
    const twice = tickedTasks(featureFiles({ 'tasks.md': '- [ ] a\n- [ ] a\n' }), run, 'a');
    expect(twice).toBe('- [x] a\n- [ ] a\n');
    expect(tickedTasks(featureFiles({ 'tasks.md': twice ?? '' }), run, 'a')).toBe('- [x] a\n- [x] a\n');
  });

  test('a criterion with the words of a task is not ticked in its place', () => {
    const same = featureFiles({ 'tasks.md': '- [ ] a\n  - [ ] b\n- [ ] b\n' });
    expect(tickedTasks(same, run, 'b')).toBe('- [ ] a\n  - [ ] b\n- [x] b\n');
  });
});

test('the digest of the documents differs with each of them', () => {
  const base = { 'spec.md': sound, 'tasks.md': tasksText };
  const digest = (files: Readonly<Record<string, string>>) => documentsDigest(featureFiles(files), run);
  expect(digest(base)).toBe(digest({ ...base }));
  const others = [{}, { 'spec.md': sound }, { ...base, 'design.md': 'x' }, { ...base, 'spec.md': `${sound}x` }];
  expect(new Set([base, ...others].map(digest)).size).toBe(5);
});
