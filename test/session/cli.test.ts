/** `pawl session …` as people and scripts meet it: what is refused, what is shown, what is taken over. */

import { describe, expect, test } from 'vitest';
import { documentOf, foreignNames, keepTidy, SessionRepository } from './session-repository.ts';

keepTidy();

const ran = (result: { code: number | null; stderr: string }) => ({ code: result.code, stderr: result.stderr });

describe.concurrent('start refuses, with exit code 2 and nothing written', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no goal', [], /pawl session start needs <goal>/],
    ['an empty goal', ['  '], /a session needs a goal\n {2}fix: .*pawl session start "/],
    ['a goal of one significant word', ['fix it'], /fewer than two significant words\n {2}fix: .*--slug/],
    ['a goal in another script', ['修复导出'], /fewer than two significant words/],
    ['a goal without quotes', ['export', 'the', 'list'], /does not take "the"; put a text .* in quotes\n/],
    [
      'a slug of one word',
      ['Export a list', '--slug', 'export'],
      /"export" cannot be the name .*\n {2}fix: pass --slug/,
    ],
    ['a slug with a path in it', ['Export a list', '--slug', '../x-y'], /"\.\.\/x-y" cannot be the name/],
    ['a slug of five words', ['Export a list', '--slug', 'a-b-c-d-e'], /cannot be the name/],
    ['a project type with a slip', ['Export a list', '--project-type', 'wbe'], /"wbe"; did you mean web\?/],
    ['a project type of its own', ['Export a list', '--project-type', 'game'], /one of web, api, cli, lib, mixed/],
    ['an unknown flag', ['Export a list', '--leen'], /unknown flag "--leen"; did you mean --lean\?/],
    ['a script that is not there', ['Export a list', '--script', 'none.yaml'], /there is no script .*none\.yaml/],
    ['answers that are not there', ['Export a list', '--answers', 'none.yaml'], /there is no answers file none\.yaml/],
  ])('%s', async (_, args, message) => {
    const repository = new SessionRepository();
    const before = repository.everything();
    const refused = await repository.session('start', ...args);
    expect(ran(refused)).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(repository.everything()).toEqual(before);
    expect(documentOf(await repository.session('start', ...args, '--json'))).toMatchObject({
      outcome: 'error',
      exitCode: 2,
      diagnostics: [{ severity: 'error' }],
    });
  });

  test('a wrong [session] in pawl.toml, with its line', async () => {
    const repository = new SessionRepository({ 'pawl.toml': '[session]\nrepairs = "many"\n' });
    const refused = await repository.idly('start', 'Export the list as CSV');
    expect(ran(refused)).toEqual({ code: 2, stderr: expect.stringMatching(/pawl\.toml:2: .*expected/) });
    expect(repository.runs()).toEqual([]);
  });
});

describe.concurrent('one name, one session', () => {
  test('the name has the local date and the significant words of the goal', async () => {
    const repository = new SessionRepository();
    const zone = 'Pacific/Kiritimati';
    const args = ['session', 'start', 'Export the list, as CSV!', '--agent', 'scripted', '--script', '../nothing.yaml'];
    expect((await repository.pawl([...args, '--no-input'], { env: { TZ: zone } })).code).toBe(69);
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format();
    expect(repository.runs()).toEqual([`${today}_export-list-csv`]);
    expect(repository.scratch.git('status', '--porcelain')).toBe('');
  });

  test('[D22] an abandoned one can be begun again with --new', async () => {
    const repository = new SessionRepository();
    expect((await repository.idly('start', 'Export the list as CSV')).code).toBe(69);
    const [name = ''] = repository.runs();
    const abandoned = await repository.pawl(['abandon', name, 'Wrong goal', '--yes', '--json']);
    expect(documentOf(abandoned)).toMatchObject({ run: name, movedTo: `.agents-work/.abandoned/${name}` });
    expect((await repository.idly('resume', name)).stderr).toContain(`${name} is abandoned: Wrong goal`);
    const refused = await repository.idly('start', 'Export the list as CSV');
    expect(ran(refused)).toEqual({
      code: 2,
      stderr: expect.stringContaining('is abandoned; reuse its name with --new'),
    });
    expect((await repository.idly('start', 'Export the list as CSV', '--new')).code).toBe(69);
    expect(repository.runs().toSorted()).toEqual([name, `${name}.1`]);
  });

  test('a second one on the same day is refused, and both ways out are named', async () => {
    const repository = new SessionRepository();
    expect((await repository.idly('start', 'Export the list as CSV')).code).toBe(69);
    const [name] = repository.runs();
    const before = repository.everything();
    const refused = await repository.idly('start', 'Export a CSV', '--slug', 'export-list-csv');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`the session ${name} already exists`);
    expect(refused.stderr).toMatch(new RegExp(`--slug\\n.*pawl session resume ${name}`));
    expect(repository.everything()).toEqual(before);
    expect((await repository.idly('start', 'Export a CSV', '--slug', 'csv-two')).code).toBe(69);
    expect(repository.runs()).toHaveLength(2);
  });

  test("another tool's folder of that name is not written to", async () => {
    const repository = new SessionRepository();
    const today = new Intl.DateTimeFormat('en-CA').format();
    const name = repository.status(`${today}_csv-export`, { current_state: 'PLAN' });
    const refused = await repository.idly('start', 'Export a CSV', '--slug', 'csv-export');
    expect(ran(refused)).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        new RegExp(
          `\\.agents-work/${name} already exists, without a journal.*\\n.*session resume ${name} --accept-state`,
        ),
      ),
    });
    expect(repository.runs()).toEqual([]);
  });
});

test.concurrent('a session that was cut off before it began goes on with its own goal', async () => {
  const repository = new SessionRepository({ 'pawl.toml': '[worktree]\nsetup = ["false"]\n' });
  const cut = await repository.idly('start', 'Export the list as CSV', '--lean', '--worktree');
  expect(ran(cut)).toEqual({ code: 1, stderr: expect.stringContaining('setup command (false) exited with status 1') });
  const [name = ''] = repository.runs();
  const status = documentOf(await repository.session('status', '--json'));
  expect(status).toMatchObject({ run: name, state: 'new', phase: null, mode: null, goal: 'Export the list as CSV' });
  repository.scratch.write('pawl.toml', '[worktree]\nsetup = ["true"]\n[session]\nretries = 0\n');
  const resumed = documentOf(await repository.session('resume', '--no-input', '--json'));
  expect(resumed).toMatchObject({ run: name, phase: 'BLOCKED', outcome: 'unavailable' });
  const records = documentOf(await repository.pawl(['log', name, '--json']))['records'];
  expect(records[1]).toMatchObject({ signal: 'start_lean', change: { data: { goal: 'Export the list as CSV' } } });
  expect(records.find(({ type }: { type: string }) => type === 'dispatch.started')).toMatchObject({
    agent: 'scripted',
  });
  expect(documentOf(await repository.session('list', '--json'))['sessions']).toMatchObject([
    { run: name, mode: 'lean', workspace: `../repo-session-${name}` },
  ]);
  expect(repository.scratch.git('branch', '--list', 'session/*')).toContain(`session/${name}`);
});

describe.concurrent('which session is meant', () => {
  test('without a name: the only one that is not finished [session/commands/resume]', async () => {
    const repository = new SessionRepository();
    const none = await repository.session('resume');
    expect(ran(none)).toEqual({ code: 2, stderr: expect.stringContaining('there is no unfinished session') });
    repository.status('2026-03-04_csv-export', { current_state: 'DONE' });
    expect((await repository.session('resume')).code).toBe(2);
    repository.status('2026-03-05_pdf-export', { current_state: 'PLAN' });
    const only = await repository.idly('resume');
    expect(ran(only)).toEqual({ code: 3, stderr: expect.stringContaining('2026-03-05_pdf-export/status.json says') });
    repository.status('2026-03-06_xml-export', { current_state: 'PLAN' });
    const several = await repository.session('resume');
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/not finished: (?=.*2026-03-05_pdf-export)(?=.*2026-03-06_xml-export)/);
    expect(several.stderr).not.toContain('csv-export');
  });

  test.each<[string, string, RegExp]>([
    ['its slug', 'csv-export', /^2026-03-04_csv-export /],
    ['a part of it', 'pdf', /^2026-03-05_pdf-export /],
    ['the path of its folder', '.agents-work/2026-03-05_pdf-export/', /^2026-03-05_pdf-export /],
    ['a slip', 'cvs-export', /no session "cvs-export".*did you mean 2026-03-04_csv-export\?/],
    ['a slip in the date', '2026-03-94_csv-export', /did you mean 2026-03-04_csv-export\?/],
    ['a part of two', 'export', /"export" could be any of 2026-03-04_csv-export, 2026-03-05_pdf-export/],
    ['nothing like it', 'zzz', /there is no session "zzz" in this repository\n {2}fix: pawl session list/],
    ['a way out of the folder', '../../etc/passwd', /there is no session "\.\.\/\.\.\/etc\/passwd"/],
    ['no name at all', '', /there is no session ""/],
  ])('%s', async (_, word, expected) => {
    const repository = new SessionRepository();
    repository.status('2026-03-04_csv-export', { current_state: 'PLAN' });
    repository.status('2026-03-05_pdf-export', { current_state: 'PLAN' });
    const { code, stdout, stderr } = await repository.session('status', word);
    expect(`${stdout}${stderr}`.replace('error: ', '')).toMatch(expected);
    expect(code).toBe(stderr === '' ? 0 : 2);
    expect((await repository.session('resume', word, '--no-input')).code).toBe(code === 0 ? 3 : 2);
  });

  test('a finished one says so, with exit code 0', async () => {
    const repository = new SessionRepository();
    repository.status('2026-03-04_csv-export', { current_state: 'DONE' });
    const before = repository.everything();
    const said = await repository.session('resume', 'csv-export', '--accept-state');
    expect(said).toMatchObject({ code: 0, stdout: '2026-03-04_csv-export is finished; its files are read-only\n' });
    const document = documentOf(await repository.session('resume', 'csv-export', '--json'));
    expect(document).toMatchObject({ action: 'finished', outcome: 'done', phase: 'DONE', exitCode: 0, next: null });
    expect(repository.everything()).toEqual(before);
  });
});

/** What becomes of each folder in test/fixtures/sessions: the phase it is taken over to, or why it is refused. */
const takenOver: Readonly<Record<string, { readonly phase: string; readonly put: RegExp }>> = {
  'answers-that-are-none': { phase: 'ASK_USER', put: /user_decisions\[0\]\.status is "answered"; read as "pending"/ },
  'bare-text-decisions': { phase: 'ASK_USER', put: /The bare text "Which separator shall be used\?" is read as UD-8/ },
  'counts-of-another-tool': { phase: 'APPROVE_DESIGN', put: /retry_counts\.T-001 is 2; read as/ },
  'decisions-by-name': { phase: 'BLOCKED', put: /user_decisions\[0\]\.question is missing/ },
  'gate-asked-twice': { phase: 'ASK_USER', put: /UD-APPROVE-DESIGN is there twice/ },
  'lost-in-ask-user': { phase: 'ASK_USER', put: /user_decisions\[0\]\.state_context is "ASK_USER"/ },
  'nothing-but-a-state': {
    phase: 'APPROVE_DESIGN',
    put: /current_state is "implement-loop"; read as "IMPLEMENT_LOOP"/,
  },
  shouting: { phase: 'BLOCKED', put: /mode is "Lean mode"; read as "lean"/ },
};
const refusedStatus: Readonly<Record<string, RegExp>> = {
  'a-list': /status\.json:1: found \["DESIGN"\]; expected an object with current_state/,
  'a-number-for-a-decision': /status\.json:6: user_decisions\[1\] is 42; expected a decision/,
  'cut-short': /status\.json:5: the text ends too early; expected valid JSON/,
  'trailing-comma': /status\.json:5: unexpected "\]"; expected valid JSON/,
  'unknown-state': /status\.json:3: current_state is "IMPLEMENT_LOP"; .*did you mean IMPLEMENT_LOOP\?/,
};
/** These have no status.json; the status tells what is wrong with their tasks. */
const refusedTasks: Readonly<Record<string, RegExp>> = {
  'a-status-of-ones-own': /tasks\.yaml:4: tasks\[0\]\.status is "nearly there"; expected one of/,
  'a-task-that-is-not-there': /tasks\.yaml:8: T-002 depends on T-012, which is not a task/,
  'a-task-twice': /tasks\.yaml:4: tasks\[1\]\.id is "T-001"/,
  'an-id-of-ones-own': /tasks\.yaml:3: tasks\[0\]\.id is "task 1\/2"/,
  tabs: /tasks\.yaml:4: Tabs are not allowed/,
  'tasks-in-a-circle': /tasks\.yaml:4: tasks wait for each other: T-001 → T-003/,
};

test('every fixture is in a table', () => {
  const known = [takenOver, refusedStatus, refusedTasks].flatMap((table) => Object.keys(table));
  expect([...known, 'unquoted-commands'].toSorted()).toEqual(foreignNames);
});

describe.concurrent('sessions of other tools', () => {
  test('are all listed, the broken ones first, and nothing is changed [session/commands/list]', async () => {
    const repository = new SessionRepository();
    for (const name of foreignNames) repository.foreign(name);
    repository.status('CSV Export', { current_state: 'PLAN' });
    const before = repository.everything();
    const listed = await repository.session('list');
    expect(ran(listed)).toEqual({ code: 0, stderr: '' });
    const lines = listed.stdout.split('\n');
    expect(lines[0]).toMatch(/^SESSION +STATE +MODE +TASKS +OPEN +UPDATED$/);
    for (const name of foreignNames) {
      const line = lines.find((each) => each.startsWith(`2026-03-04_${name} `));
      expect(line, name).toMatch(name in takenOver ? / (?:full|lean) / : / broken /);
    }
    expect(listed.stdout).toMatch(
      /^CSV Export +broken .*is not a valid session name; rename it to a date and a short name/m,
    );
    expect(lines.findIndex((line) => line.includes(' full '))).toBeGreaterThan(13);
    const runs = documentOf(await repository.pawl(['runs', '--all', '--json']))['runs'];
    expect(runs).toHaveLength(foreignNames.length + 1);
    expect(repository.everything()).toEqual(before);
  });

  test.each(Object.entries(takenOver))(
    '%s is shown, and taken over when vouched for',
    async (fixture, { phase, put }) => {
      const repository = new SessionRepository();
      const name = repository.foreign(fixture);
      const before = repository.everything();
      const shown = await repository.session('status', name);
      expect(ran(shown)).toEqual({ code: 0, stderr: '' });
      expect(shown.stdout.replaceAll(/\n +/g, ' ')).toMatch(put);
      expect(documentOf(await repository.session('status', name, '--json'))['repairs']).toContainEqual(
        expect.stringMatching(put),
      );
      const asked = await repository.idly('resume', name);
      expect(ran(asked)).toEqual({ code: 3, stderr: expect.stringContaining('--accept-state if you vouch for it') });
      expect(asked.stdout).toMatch(put);
      expect(repository.everything()).toEqual(before);

      const taken = await repository.idly('resume', name, '--accept-state', '--json');
      expect(taken.stderr).toMatch(put);
      expect(documentOf(taken)).toMatchObject({ run: name, phase });
      const [created] = documentOf(await repository.pawl(['log', name, '--json']))['records'];
      expect(created.input.repairs).toContainEqual(expect.stringMatching(put));
      expect(JSON.parse(repository.scratch.read(`.agents-work/${name}/status.json`))).toMatchObject({
        current_state: phase,
      });
      const again = await repository.idly('resume', name, '--json');
      expect(again.stderr).not.toMatch(/edited by hand|not as Pawl writes it/);
      expect(documentOf(again)).toMatchObject({ phase });
    },
  );

  test.each(Object.entries(refusedStatus))('%s is refused with its line', async (fixture, message) => {
    const repository = new SessionRepository();
    const name = repository.foreign(fixture);
    const before = repository.everything();
    for (const args of [
      ['status', name],
      ['resume', name, '--accept-state'],
    ])
      expect(ran(await repository.session(...args))).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(repository.everything()).toEqual(before);
  });

  test.each(Object.entries(refusedTasks))(
    '%s has no state, and tasks that cannot be read',
    async (fixture, message) => {
      const repository = new SessionRepository();
      const name = repository.foreign(fixture);
      const shown = documentOf(await repository.session('status', name, '--json'));
      expect(shown['problems']).toEqual([expect.stringMatching(message)]);
      const refused = await repository.session('resume', name, '--accept-state');
      expect(ran(refused)).toEqual({ code: 2, stderr: expect.stringContaining('neither a journal nor a status.json') });
      repository.status(name, { current_state: 'IMPLEMENT_LOOP', mode: 'lean' });
      const stopped = documentOf(await repository.idly('resume', name, '--accept-state', '--json'));
      expect(stopped).toMatchObject({ phase: 'BLOCKED', outcome: 'needs_person', action: 'blocked' });
      const told = documentOf(await repository.session('status', name, '--json'));
      expect(told).toMatchObject({ blocked: { blocker: 'invalid_documents', detail: expect.stringMatching(message) } });
      expect(told['problems']).toContainEqual(expect.stringMatching(message));
    },
  );

  test('unquoted-commands has no state, and its tasks are shown', async () => {
    const repository = new SessionRepository();
    const name = repository.foreign('unquoted-commands');
    const shown = await repository.session('status', name);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/has no status\.json(?:.*\n)*.*0 of 2 completed, 1 in-progress, 1 implemented/);
  });
});

test.concurrent('a state set by hand in status.json is gone on from', async () => {
  const repository = new SessionRepository();
  expect((await repository.idly('start', 'Export the list as CSV')).code).toBe(69);
  const [name = ''] = repository.runs();
  const path = `.agents-work/${name}/status.json`;
  repository.scratch.write(path, repository.scratch.read(path).replace('"BLOCKED"', '"DESIGN"'));
  const shown = await repository.session('status', name);
  expect(shown.stdout).toContain('status.json says DESIGN; the journal says BLOCKED');
  const taken = documentOf(await repository.idly('resume', name, '--json'));
  expect(taken).toMatchObject({ phase: 'BLOCKED', outcome: 'needs_person', action: 'blocked' });
});

describe.concurrent('a session at its first gate', () => {
  test('is shown with what to decide, in text and JSON, and every command knows its name [session/commands/status]', async () => {
    const repository = new SessionRepository();
    const args = ['start', 'Export the list as CSV', '--project-type', 'lib', '--agent', 'scripted', '--no-input'];
    const waiting = await repository.session(...args);
    expect(waiting.code, waiting.stderr).toBe(3);
    const [name = ''] = repository.runs();
    const before = repository.everything();
    const { stdout: text } = await repository.session('status');
    expect(text.split('\n')[0]).toBe(`${name}  APPROVE_DESIGN, full mode, updated just now`);
    expect(text).toContain('  goal: Export the list as CSV\n');
    expect(text).toContain(`\n  pawl answer ${name} UD-APPROVE-DESIGN "<answer>"\n`);
    expect(text).toMatch(new RegExp(`\\n\\nNext: pawl session resume ${name}\\n$`));

    const document = documentOf(await repository.session('status', name, '--json'));
    expect(Object.keys(document)).toEqual(statusKeys);
    expect(document).toMatchObject({
      phase: 'APPROVE_DESIGN',
      mode: 'full',
      outcome: 'needs_person',
      strategy: null,
      blocked: null,
      problems: [],
      decisions: [{ id: 'UD-APPROVE-DESIGN', answerWith: `pawl answer ${name} UD-APPROVE-DESIGN "<answer>"` }],
      repairAttempts: { scope: 'meta', counts: { FIX_REVIEW: 0 }, limits: { FIX_REVIEW: 3 } },
    });
    const [listed] = documentOf(await repository.session('list', '--json'))['sessions'];
    expect(Object.keys(listed)).toEqual(listKeys);
    expect(listed).toMatchObject({ run: name, phase: 'APPROVE_DESIGN', pending: 1, journal: true });
    const [row] = documentOf(await repository.pawl(['runs', '--json']))['runs'];
    expect(row).toMatchObject({
      workflow: 'session',
      run: name,
      phase: 'APPROVE_DESIGN',
      outcome: 'needs_person',
      updatedAt: document['updatedAt'],
      owner: null,
      next: `pawl session resume ${name}`,
      workspace: null,
      problem: null,
    });
    for (const command of ['log', 'show', 'diff'])
      expect((await repository.pawl([command, name])).code, command).toBe(0);
    expect(repository.everything()).toEqual(before);

    const answered = await repository.pawl(['answer', name, 'UD-APPROVE-DESIGN', 'approved', '--json']);
    expect(ran(answered)).toEqual({ code: 0, stderr: '' });
    expect((await repository.pawl(['pause', name])).code).toBe(4);
    expect((await repository.pawl(['cancel', name])).code).toBe(0);
    expect(documentOf(await repository.session('status', '--json'))).toMatchObject({ phase: 'BLOCKED' });
    const further = documentOf(await repository.pawl(['resume', name, '--no-input', '--json']));
    expect(further).toMatchObject({ phase: 'REVIEW_STRATEGY', decisions: [{ id: 'UD-REVIEW-STRATEGY' }] });
  });
});

const statusKeys = [
  'workflow',
  'run',
  'state',
  'phase',
  'outcome',
  'message',
  'next',
  'until',
  'updatedAt',
  'decisions',
  'dispatches',
  'open',
  'usage',
  'budget',
  'edited',
  'problems',
  'owner',
  'workspace',
  'landed',
  'cast',
  'goal',
  'mode',
  'blocked',
  'strategy',
  'tasks',
  'repairAttempts',
  'criteria',
  'knownIssues',
  'ci',
  'repairs',
];
const listKeys = ['run', 'phase', 'mode', 'pending', 'tasks', 'updatedAt', 'problem', 'workspace', 'journal', 'next'];

describe.concurrent('words and help', () => {
  test('the group has help of its own, and slips are answered [session/commands/verbs]', async () => {
    const repository = new SessionRepository();
    const help = await repository.session('--help');
    expect(help.code).toBe(0);
    for (const verb of ['start <goal>', 'resume [<session>]', 'status [<session>]', 'list'])
      expect(help.stdout).toContain(`  pawl session ${verb}  `);
    expect(help.stdout).not.toContain('pawl change');
    expect(ran(await repository.session('strat'))).toEqual({
      code: 2,
      stderr: expect.stringContaining('unknown command "strat"; did you mean start?'),
    });
    expect((await repository.session('list')).stdout).toContain('There are no sessions. Start one:');
    expect((await repository.session('status')).code).toBe(2);
    expect(documentOf(await repository.pawl(['doctor', '--json']))['workflows']).toContainEqual(
      expect.objectContaining({ workflow: 'session', problem: null }),
    );
  });
});
