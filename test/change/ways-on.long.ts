/** What is said to come next leads on, and lists say the same as the status. */

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { repositoryFor, settings } from './observed.ts';
import { appendTo, folderOf, id, Prepared, worked } from './prepared.ts';
import { WarmRepository } from '../warm-repository.ts';
import {
  agentd,
  challenge,
  config,
  implement,
  implemented,
  issue,
  listTasks,
  planned,
  propose,
  review,
  specify,
} from './scripts.ts';

let approved: Prepared;
beforeAll(async () => {
  approved = await Prepared.make();
});
afterAll(() => approved.remove());

test('[D21] NEXT of runs and list is that of status: decision, interruption, budget', async (context) => {
  const turns = [propose(), specify(), listTasks(), challenge('needs_revision', [issue])];
  const change = repositoryFor(context, turns, settings('planning_iterations = 0', '[budget]\ndispatches = 4\n'));
  const nexts = async () => [
    (await change.pawl('change', 'status', id)).json['next'],
    (await change.pawl('runs')).json['runs'][0].next,
    (await change.pawl('change', 'list')).json['changes'][0].next,
  ];
  expect((await change.change('plan', id, 'Greet')).code).toBe(3);
  const answer = `pawl answer ${id} revision <answer>`;
  expect(await nexts()).toEqual([answer, answer, answer]);
  expect((await change.pawl('answer', id, 'revision', 'continue')).code).toBe(0);
  const resume = `pawl resume ${id}`;
  expect(await nexts()).toEqual([resume, resume, resume]);
  expect((await change.pawl('resume', id)).code).toBe(5);
  const raise = `pawl resume ${id} --budget dispatches=6`;
  expect(await nexts()).toEqual([raise, raise, raise]);
});

test('Next keeps --agent and --script, as a person gave them', async () => {
  const change = approved.copy([...planned, ...implemented]);
  const flags = ['--agent', 'scripted', '--script', change.scriptFile];
  const { stdout } = await change.repository.pawl(['change', 'impl', id, ...flags]);
  expect(stdout).toContain(`Next: pawl change archive ${id} ${flags.join(' ')}\n`);
  const status = await change.repository.pawl(['change', 'status', id]);
  expect(status.stdout).toContain(`Next: pawl change archive ${id} ${flags.join(' ')}\n`);
});

test('a mistyped --agent is refused before the run begins', async (context) => {
  const change = repositoryFor(context);
  const { code, json } = await change.pawl('change', 'plan', id, 'Greet', '--agent', 'cluade');
  expect([code, json['diagnostics'][0].message]).toEqual([2, 'there is no agent "cluade"; did you mean claude?']);
  expect((await change.pawl('runs')).json['runs']).toEqual([]);
});

const misnamed = (key: string, name: string, near: string) =>
  `${key} names "${name}", and there is no such agent; did you mean ${near}?`;

test.each([
  { what: 'a missing program', flags: ['--agent', 'claude'], code: 69, message: 'claude is not installed; run npm' },
  { what: 'no program', flags: ['--agent', 'acp'], code: 69, message: 'acp: no ACP program is configured' },
  { what: 'a missing script', flags: ['--agent', 'scripted', '--script', 'x.yaml'], message: 'there is no script' },
  {
    what: 'a misspelt role',
    config: '[roles]\nplanner = "cluade"\n',
    message: misnamed('[roles] planner', 'cluade', 'claude'),
  },
  { what: 'a misspelt fallback', config: 'fallback = ["gemni"]\n', message: misnamed('fallback', 'gemni', 'gemini') },
  { what: 'a wrong value', config: '[budget]\ndispatches = "x"\n', message: 'pawl.toml:2: budget.dispatches is "x"' },
])('trial 2: $what is found before the run begins', async ({ config = '', flags = [], code = 2, message }) => {
  const change = repositoryFor({ onTestFinished });
  change.repository.write('pawl.toml', config);
  const refused = await change.pawl('change', 'plan', id, 'Greet', ...flags);
  expect([refused.code, refused.json['next']]).toEqual([code, code === 69 ? 'pawl doctor' : null]);
  expect(refused.json['diagnostics'][0].message).toContain(message);
  expect((await change.pawl('runs')).json['runs']).toEqual([]);
  expect(change.repository.exists('agentd/changes')).toBe(false);
});

test('no fixes to spend: Next is a new review, which leads on', async (context) => {
  const change = repositoryFor(
    context,
    [...planned, implement(), review('NEEDS_FIX'), review('APPROVED')],
    settings('implementation_iterations = 0'),
  );
  await change.change('plan', id, 'Greet');
  const stopped = await change.change('impl', id);
  expect([stopped.code, stopped.json['next']]).toEqual([3, `pawl change impl ${id} --review`]);
  expect((await change.change('impl', id, '--review')).json['phase']).toBe('complete');
});

test('[D24] the plan is edited when the code is complete: accepted with a new review, then archived', async () => {
  const change = approved.copy([...planned, ...implemented, review('APPROVED')]);
  expect((await change.change('impl', id)).code).toBe(0);
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\nOne more word.\n');
  const refused = await change.change('archive', id);
  expect([refused.code, refused.json['next']]).toEqual([4, `pawl change impl ${id} --review --accept-edits`]);
  expect((await change.change('impl', id, '--accept-edits')).json['phase']).toBe('complete');
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test('an edit that makes the plan invalid is not accepted: exit 4 with the findings, then a valid one is', async () => {
  const change = approved.copy([...planned, ...implemented]);
  const spec = `${folderOf()}/specs/greeting.md`;
  const text = change.repository.read(spec);
  change.repository.write(spec, text.replaceAll(/^.*\*\*(?:WHEN|THEN)\*\*.*$/gm, ''));
  const refused = await change.change('impl', id, '--accept-edits');
  expect([refused.code, refused.json['action'], refused.json['next']]).toEqual([
    4,
    'plan_invalid',
    `pawl change plan ${id}`,
  ]);
  expect(refused.stderr).toMatch(/the edited plan is not valid.*specs\/greeting\.md:\d+: .*WHEN/s);
  expect(worked(refused.json)).toEqual([]);
  change.repository.write(spec, `${text}\nOne more word.\n`);
  expect((await change.change('impl', id, '--accept-edits')).json['phase']).toBe('complete');
});

test('[D23] [change/worktree/end] after archive: where the work is, and the command that brings it home', async (context) => {
  const change = repositoryFor(context, [...planned, ...implemented]);
  await change.change('plan', id, 'Greet', '--worktree');
  await change.change('impl', id);
  const { json, stderr } = await change.change('archive', id);
  expect(json).toMatchObject({ worktree: { branch: `change/${id}`, committed: false }, next: `pawl finish ${id}` });
  expect(json['worktree'].path).toMatch(/repo-change-greet$/);
  expect(stderr).toContain(`Its work is in ../repo-change-greet, on the branch change/${id}, and not committed.`);
  change.repository.git('config', 'user.name', 'Ada');
  change.repository.git('config', 'user.email', 'ada@example.com');
  const finished = await change.pawl(...json['next'].split(' ').slice(1), '--merge');
  expect(finished.code, finished.stderr).toBe(0);
  expect(change.repository.exists('src/1.1.mjs')).toBe(true);
  expect(change.repository.git('branch', '--list').trim()).toBe('* main');
});

test('[change row 95] an error has the keys of a result; D29: what is done already is no error, a later schema version stays', async (context) => {
  const change = repositoryFor(context, [...planned, ...implemented]);
  const refused = await change.pawl('change', 'impl', 'nothing');
  expect(refused.json).toMatchObject({
    action: 'refused',
    outcome: 'error',
    exitCode: 2,
    phase: null,
    verdict: null,
    next: 'pawl change plan nothing "what to change and why"',
  });
  await change.change('plan', id, 'Greet');
  await change.change('impl', id);
  await change.change('archive', id);
  expect(change.repository.read(`agentd/archive/${id}/STATE.yaml`)).toMatch(/^last_action: archive$/m);
});

test('[change row 95] --version and --help print one document with --json', async (context) => {
  const change = repositoryFor(context);
  const read = async (...args: readonly string[]) => (await change.pawl(...args)).json;
  expect(await read('--version')).toEqual({ program: 'pawl', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const all = await read('--help');
  expect(all['exitCodes']).toMatchObject({ done: 0, usage: 2 });
  expect(all['commands'].map(({ name }: { name: string }) => name)).toContain('pawl change plan');
  expect((await read('change', '--help'))['commands'].length).toBeGreaterThan(4);
  expect((await read('change', 'plan', '--help'))['commands']).toMatchObject([
    { name: 'pawl change plan', usage: 'pawl change plan <id> [<description>]', flags: { agent: {}, json: {} } },
  ]);
});

test('[change row 5] D29: agentd names its own verbs as what comes next', async (context) => {
  const change = repositoryFor(context, planned);
  const older = new WarmRepository(agentd, change.repository.folder);
  const scripted = ['--agent', 'scripted', '--script', change.scriptFile, '--json'];
  const { stderr, stdout } = await older.pawl(['plan', id, 'Greet', ...scripted]);
  expect(stderr).toContain(`Next: agentd impl ${id} --agent scripted`);
  expect(JSON.parse(stdout)).toMatchObject({ next: `agentd impl ${id}` });
  expect((await older.pawl(['list'])).stdout).toContain(`agentd impl ${id} `);
  const refused = await older.pawl(['impl', 'nothing']);
  expect(refused.stderr).toContain('fix: agentd plan nothing "what to change and why"');
});

test('[change row 72] the first iteration counts as 1; [change row 106] a request that is too large is named', async (context) => {
  const [, ...others] = planned;
  const { call, ...first } = propose();
  const [{ args: given }] = call as [{ args: Record<string, unknown> }];
  // As JSON twice as long as in the script.
  const args = { ...given, why: `x${'"'.repeat(2_200_000)}` };
  const once = config.replace('[workflow]', '[workflow]\nscript_retries = 0');
  const change = repositoryFor(context, [{ ...first, call: [{ tool: 'create_proposal', args }] }, ...others], once);
  const { code, stderr } = await change.change('plan', id, 'Greet');
  expect(code).toBe(1);
  expect(stderr).toMatch(/create_proposal was not called\n\s+refused: a request has at most \d+ bytes/);
  expect(change.repository.read(`agentd/changes/${id}/STATE.yaml`)).toMatch(/^iteration: 1$/m);
});

test('D29, [change row 9] a folder without a state file is not suggested for itself', async (context) => {
  const change = repositoryFor(context);
  change.repository.write('agentd/changes/greet/notes.md', 'x\n');
  const { json } = await change.pawl('change', 'impl', 'greet');
  expect(json['diagnostics'][0].message).not.toContain('did you mean greet');
});
