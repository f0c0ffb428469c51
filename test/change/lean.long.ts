import { expect, test } from 'vitest';
import { ChangeRepository, challenge, config, fix, implement, issue, listTasks } from './scripts.ts';
import { planned, propose, review, specify } from './scripts.ts';
import type { Turn } from './scripts.ts';
import { keepTidy, killAll, slowly, startUntil } from '../durability/at-work.ts';

keepTidy();

const id = 'add-names';
const calls = (...turns: readonly Turn[]): readonly Turn[] => turns.flatMap(({ call }) => call as readonly Turn[]);
const plan = calls(propose(), specify(), listTasks());
const done = ['1.1', '1.2'].map((task) => ({ tool: 'update_task', args: { task_id: task, status: 'completed' } }));
const write = { 'src/1.1.mjs': 'export const a = 1;\n', 'src/1.2.mjs': 'export const b = 2;\n' };
const author = (more: Turn = {}): Turn => ({
  role: 'author',
  step: 'make_lean',
  write,
  call: [...plan, ...done],
  ...more,
});
const lean = (change: ChangeRepository) => change.change('lean', id, 'Greet by name');
const rolesOf = (json: Readonly<Record<string, any>>): string[] =>
  json['dispatches'].map(({ role }: { role: string }) => role);

test('[change/lean/one-author-one-reviewer] a small change is planned, implemented, reviewed, fixed and archived', async () => {
  const change = ChangeRepository.create([author(), review('NEEDS_FIX'), fix(), review('APPROVED')]);
  const { code, json } = await lean(change);
  expect([code, json['phase'], json['verdict']]).toEqual([0, 'complete', 'APPROVED']);
  expect(json['next']).toBe(`pawl change archive ${id}`);
  expect(change.repository.read(`agentd/changes/${id}/STATE.yaml`)).toContain('lean: true\n');
  const status = await change.pawl('change', 'status', id);
  expect(rolesOf(status.json)).toEqual(['author', 'reviewer', 'implementer', 'reviewer']);
  expect((await change.change('archive', id)).code).toBe(0);
  expect(change.repository.read('agentd/specs/greeting.md')).toContain('The greeting contains the name.');
});

test('[change/lean/one-author-one-reviewer] a reviewer that wants nothing of it stops the change', async () => {
  const change = ChangeRepository.create([author(), review('MAJOR_ISSUES', [{ ...issue, severity: 'High' }])]);
  const { code, json } = await lean(change);
  expect([code, json['phase'], json['verdict']]).toEqual([3, 'implementing', 'MAJOR_ISSUES']);
});

test('[change/lean/one-author-one-reviewer] lean again after a stop in review goes on like impl, edits included', async () => {
  const change = ChangeRepository.create([author(), review('MAJOR_ISSUES', [{ ...issue, severity: 'High' }])]);
  await lean(change);
  change.script([author(), review('MAJOR_ISSUES'), fix(), review('APPROVED')]);
  const path = `agentd/changes/${id}/proposal.md`;
  const before = change.repository.read(path);
  change.repository.write(path, before.replace('cold', 'rude'));
  const edited = await change.change('lean', id);
  expect([edited.code, edited.json['action'], edited.json['next']]).toEqual([
    4,
    'plan_edited',
    `pawl change impl ${id} --accept-edits`,
  ]);
  change.repository.write(path, before);
  const { code, json } = await change.change('lean', id);
  expect([code, json['phase'], json['verdict']]).toEqual([0, 'complete', 'APPROVED']);
  const again = await change.change('lean', id);
  expect([again.code, again.json['action']]).toEqual([0, 'already_complete']);
});

test.each([
  ['a spec is missing', author({ call: [...calls(propose(), listTasks()), ...done] }), /specs\/greeting\.md/],
  ['a task is not done', author({ call: [...plan, ...done.slice(1)] }), /not completed: 1\.1/],
  ['there are no tasks', author({ call: calls(propose(), specify()) }), /tasks\.md does not exist/],
])('[change/lean/complete-plan] %s: sent back once, then it stops, and lean goes on', async (_, poor, problem) => {
  const change = ChangeRepository.create([poor, poor, author(), review('APPROVED')]);
  const { code, json } = await lean(change);
  expect([code, json['phase'], json['next']]).toEqual([3, 'proposed', `pawl change lean ${id}`]);
  expect(json['diagnostics'][0].message).toMatch(problem);
  const second = await change.change('lean', id);
  expect([second.code, second.json['phase']]).toEqual([0, 'complete']);
});

test('[change/lean/major-is-planned-in-full] the author calls it major: plan continues, and it is challenged', async () => {
  const [proposal] = calls(propose());
  const { args } = proposal as { args: Turn };
  const major = { tool: 'create_proposal', args: { ...args, impact: { ...(args['impact'] as Turn), scope: 'major' } } };
  const change = ChangeRepository.create([author({ write: {}, call: [major] }), ...planned.slice(1)]);
  const { code, json } = await lean(change);
  expect([code, json['phase'], json['next']]).toEqual([3, 'proposed', `pawl change plan ${id}`]);
  expect(json['diagnostics'][0].message).toContain('a major change, so it is planned in full');
  const again = await change.change('lean', id);
  expect([again.code, again.json['diagnostics'][0].code]).toEqual([4, 'PlannedInFull']);
  const full = await change.change('plan', id);
  expect([full.code, full.json['phase']]).toEqual([0, 'challenged']);
});

test('[change/lean/a-persons-word] a change that is planned in full cannot become lean', async () => {
  const change = ChangeRepository.create([...planned.slice(0, 3), challenge('rejected')]);
  expect((await change.change('plan', id, 'Greet by name')).json['phase']).toBe('rejected');
  const { code, json } = await change.change('lean', id);
  expect([code, json['phase'], json['next']]).toEqual([4, 'rejected', `pawl change plan ${id}`]);
});

test('[change/lean/a-persons-word] undone, its plan is a proposal that has to be challenged', async () => {
  const change = ChangeRepository.create([author(), review('APPROVED'), challenge('approved')]);
  expect((await lean(change)).code).toBe(0);
  const undone = await change.pawl('undo', id);
  expect([undone.code, undone.json['phase']]).toEqual([0, 'proposed']);
  expect(change.repository.exists('src/1.1.mjs')).toBe(false);
  expect((await change.change('impl', id)).code).toBe(4);
  const full = await change.change('plan', id);
  expect([full.code, full.json['phase']]).toEqual([0, 'challenged']);
});

test('[change/lean/one-author-one-reviewer] killed while the author works: the same command goes on', async () => {
  const change = ChangeRepository.create([slowly(author())]);
  await killAll(change, await startUntil(change, ['change', 'lean', 'greet', 'Greet by name'], { step: 'make_lean' }));
  change.script([author(), author(), review('APPROVED')]);
  const { code, json } = await change.change('lean', 'greet', '--edits', 'keep');
  expect([code, json['phase']]).toEqual([0, 'complete']);
});

test.each([
  'agentd/specs/greeting.md',
  `agentd/changes/${id}/specs/greeting.md`,
  `agentd/changes/${id}/base/greeting.md`,
  'agentd/project.md',
])('[D4] [change/roles/documents-through-tools] code that comes with a changed %s does not count', async (path) => {
  const settings = config.replace('[workflow]', '[workflow]\nscript_retries = 0');
  const writes = { ...write, [path]: '# Mine now\n' };
  const lean = ChangeRepository.create([author({ write: writes })], settings);
  const full = ChangeRepository.create([...planned, { ...implement(), write: writes }], settings);
  expect((await full.change('plan', id, 'Greet by name')).code).toBe(0);
  for (const ended of [await lean.change('lean', id, 'Greet by name'), await full.change('impl', id)]) {
    expect(ended.code).toBe(1);
    expect(ended.json['diagnostics'][0].message).toContain(`may not write ${path}`);
  }
});
