import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WarmRepository } from '../warm-repository.ts';
import { everything, repositoryFor, stateOf, stepsOf } from './observed.ts';
import { agentd, implemented, planned, program, type ChangeRepository } from './scripts.ts';

const life = [...planned, ...implemented];

/** The same repository, seen through the bin `agentd`. */
function throughAgentd({ repository, scriptFile }: ChangeRepository) {
  const older = new WarmRepository(agentd, repository.folder);
  const scripted = ['--agent', 'scripted', '--script', scriptFile];
  return {
    work: (...args: string[]) => older.pawl([...args, ...scripted]),
    read: (...args: string[]) => older.pawl(args),
  };
}

describe.concurrent('commands and ids', () => {
  test('[change/commands/verbs] [change/folder/layout] pawl change plan, impl, archive, status and list make up the life of a change', async (context) => {
    const change = repositoryFor(context, life);
    const { repository } = change;
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
    const folder = 'agentd/changes/greet';
    for (const name of ['STATE.yaml', 'proposal.md', 'specs/greeting.md', 'tasks.md']) {
      expect(repository.exists(`${folder}/${name}`), name).toBe(true);
    }
    expect(repository.exists(`${folder}/REVIEW.md`)).toBe(false);
    const status = await change.pawl('change', 'status', 'greet');
    expect(status).toMatchObject({ code: 0, json: { phase: 'challenged', next: 'pawl change impl greet' } });

    expect(await change.change('impl', 'greet')).toMatchObject({ code: 0, json: { phase: 'complete' } });
    expect(repository.exists(`${folder}/REVIEW.md`)).toBe(true);
    const list = await change.pawl('change', 'list');
    expect(list.code).toBe(0);
    expect(list.json['changes']).toMatchObject([{ id: 'greet', phase: 'complete', next: 'pawl change archive greet' }]);

    expect(await change.change('archive', 'greet')).toMatchObject({
      code: 0,
      json: { phase: 'archived', next: 'pawl finish greet' },
    });
  });

  test('[change/commands/list-archived] [change/folder/archive] archived changes keep their journal, leave the list for list --archived, and a second of the same id gets <id>-2', async (context) => {
    const change = repositoryFor(context, life);
    const { repository } = change;
    const live = async (...more: string[]) => {
      expect((await change.change('plan', 'greet', 'Greet by name', ...more)).code).toBe(0);
      expect((await change.change('impl', 'greet')).code).toBe(0);
      expect((await change.change('archive', 'greet')).code).toBe(0);
    };
    await live();
    expect(repository.exists('agentd/changes/greet')).toBe(false);
    const journal = repository.read('agentd/archive/greet/journal.jsonl');
    expect(journal).toContain('Greet by name');
    expect((await change.pawl('change', 'list')).json['changes']).toEqual([]);
    expect((await change.pawl('change', 'list', '--archived')).json['changes']).toMatchObject([
      { id: 'greet', phase: 'archived' },
    ]);

    const first = repository.read('agentd/archive/greet/proposal.md');
    await live('--new');
    expect(repository.read('agentd/archive/greet/proposal.md')).toBe(first);
    expect(repository.read('agentd/archive/greet/journal.jsonl')).toBe(journal);
    for (const name of ['STATE.yaml', 'proposal.md', 'journal.jsonl']) {
      expect(repository.exists(`agentd/archive/greet-2/${name}`), name).toBe(true);
    }
    const ids = (await change.pawl('change', 'list', '--archived')).json['changes'].map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual(['greet', 'greet-2']);
  });

  test('[change/commands/agentd] the bin agentd plans, shows, lists, implements and archives the same changes', async (context) => {
    const change = repositoryFor(context, life);
    const { work, read } = throughAgentd(change);
    expect((await work('plan', 'greet', 'Greet by name')).code).toBe(0);
    expect((await read('status', 'greet')).stdout).toContain('challenged');
    expect((await read('list')).stdout).toMatch(/^greet +challenged/m);
    expect((await change.pawl('change', 'status', 'greet')).json['phase']).toBe('challenged');
    expect((await work('impl', 'greet')).code).toBe(0);
    expect((await work('archive', 'greet')).code).toBe(0);
    expect((await read('list', '--archived')).stdout).toMatch(/^greet +archived/m);
  });

  test('[change/commands/older-spellings] agentd plan-change, impl-change and merge-change are plan, impl and archive', async (context) => {
    const change = repositoryFor(context, life);
    const { work } = throughAgentd(change);
    expect((await work('plan-change', 'greet', 'Greet by name')).code).toBe(0);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'challenged' });
    expect((await work('impl-change', 'greet')).code).toBe(0);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'complete' });
    expect((await work('merge-change', 'greet')).code).toBe(0);
    expect(change.repository.exists('agentd/archive/greet/STATE.yaml')).toBe(true);
  });

  test('[change/commands/retired-steps] steps of the older tool exit 2 and name the command they are part of now', async (context) => {
    const change = repositoryFor(context, life);
    const { read } = throughAgentd(change);
    const before = everything(change);
    const retired = {
      proposal: 'plan',
      challenge: 'plan',
      reproposal: 'plan',
      review: 'impl',
      'resolve-reviews': 'impl',
    };
    for (const [step, instead] of Object.entries(retired)) {
      const older = await read(step, 'greet', 'Greet by name');
      expect(older.code, step).toBe(2);
      expect(older.stderr).toContain(`agentd ${instead} `);
      const now = await change.pawl('change', step, 'greet');
      expect(now.code, step).toBe(2);
      expect(now.json['diagnostics'][0].fix).toContain(`pawl change ${instead} `);
    }
    expect(everything(change)).toEqual(before);
    expect((await read('--help')).stdout).not.toMatch(/reproposal|challenge </);
  });

  test('[change/commands/worktree] work is done in place, or with --worktree in a git worktree of its own', async (context) => {
    const change = repositoryFor(context, life);
    const { repository } = change;
    expect((await change.change('plan', 'greet', 'Greet by name', '--worktree')).code).toBe(0);
    const folder = 'agentd/changes/greet/proposal.md';
    expect(repository.exists(folder)).toBe(false);
    const [, second = ''] = repository.git('worktree', 'list', '--porcelain').match(/^worktree .*$/gm) ?? [];
    const worktree = new WarmRepository(program, join(second.replace('worktree ', ''), '..'));
    expect(worktree.folder).toBe(repository.folder);
    const path = `../${second.slice(second.lastIndexOf('/') + 1)}`;
    expect(repository.exists(`${path}/${folder}`)).toBe(true);

    expect((await change.change('impl', 'greet')).json['phase']).toBe('complete');
    expect(repository.exists(`${path}/src/1.1.mjs`)).toBe(true);
    expect(repository.exists('src/1.1.mjs')).toBe(false);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('[change/ids/refused-before-any-path] an id that is not one exits 2, and nothing is written or read outside', async (context) => {
    const change = repositoryFor(context, life);
    const before = everything(change);
    const bad = [
      '..',
      '../greet',
      'a/../../greet',
      'a/b',
      '/etc/passwd',
      join(change.repository.root, 'greet'),
      'a\\b',
      'Greet',
      '-greet',
      'greet.md',
      'gr eet',
      'gr\neet',
      'gr\u001b[2Jeet',
      'gr\u0007eet',
      'greet\u00e9',
      '',
      'a'.repeat(65),
      'a'.repeat(300),
    ];
    for (const id of bad) {
      const ran = await change.repository.pawl(['change', 'plan', '--json', '--', id, 'Greet by name']);
      expect(ran.code, JSON.stringify(id)).toBe(2);
      expect(JSON.parse(ran.stdout).diagnostics[0].code).toBe('InvalidChangeId');
      for (const control of ['\u0007', '\u001b']) expect(ran.stderr).not.toContain(control);
    }
    for (const verb of ['impl', 'archive', 'status']) {
      for (const id of ['../greet', '/etc/passwd', 'gr\neet', 'a'.repeat(300)]) {
        expect((await change.pawl('change', verb, id)).code, `${verb} ${id}`).toBe(2);
      }
    }
    for (const verb of ['resume', 'log', 'diff', 'pause']) {
      expect((await change.pawl(verb, '../../change/greet')).code, verb).toBe(2);
    }
    expect(everything(change)).toEqual(before);
  });

  test('[change/ids/refused-before-any-path] the longest id, and one of a single digit, are ids', async (context) => {
    const change = repositoryFor(context, [...planned, ...planned]);
    for (const id of ['a'.repeat(64), '7']) {
      expect((await change.change('plan', id, 'Greet by name')).code).toBe(0);
      expect(stateOf(change, id)).toMatchObject({ change_id: id, phase: 'challenged' });
    }
  });

  test('[change/commands/verbs] an unknown command or flag exits 2 with the nearest known one', async (context) => {
    const change = repositoryFor(context);
    const before = everything(change);
    const mistakes: [string[], string][] = [
      [['change', 'plam', 'greet'], 'plan'],
      [['chnage', 'plan', 'greet'], 'change'],
      [['change', 'plan', 'greet', 'Greet', '--agnet', 'scripted'], '--agent'],
      [['change', 'list', '--archive'], '--archived'],
      [['change', 'impl', 'greet', '--task', '1.1'], '--tasks'],
    ];
    for (const [args, near] of mistakes) {
      const { code, stderr, json } = await change.pawl(...args);
      expect(code, args.join(' ')).toBe(2);
      expect(json).toMatchObject({ outcome: 'error', exitCode: 2 });
      expect(stderr).toContain(`did you mean ${near}?`);
    }
    for (const args of [
      ['change', 'plan'],
      ['change', 'plan', 'greet', 'Greet', 'by', 'name'],
      ['change', 'impl', 'a', '--tasks'],
    ]) {
      expect((await change.pawl(...args)).code, args.join(' ')).toBe(2);
    }
    expect(everything(change)).toEqual(before);
  });

  test('an unknown change is ChangeNotFound, exit 2, with the nearest known one', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    for (const verb of ['impl', 'archive', 'status']) {
      const { code, json } = await change.pawl('change', verb, 'great');
      expect(code, verb).toBe(2);
      expect(json['diagnostics'][0]).toMatchObject({ code: 'ChangeNotFound' });
      expect(json['diagnostics'][0].message).toContain('did you mean greet?');
    }
    expect(change.repository.exists('agentd/changes/great')).toBe(false);
    expect(change.repository.exists('.git/pawl/change/great')).toBe(false);
  });

  test('outside of a git repository every command exits 2, and nothing is written', async (context) => {
    const change = repositoryFor(context);
    const { repository } = change;
    const cwd = join(repository.folder, 'elsewhere');
    mkdirSync(cwd);
    const before = everything(change);
    for (const args of [
      ['plan', 'greet', 'Greet by name'],
      ['impl', 'greet'],
      ['archive', 'greet'],
      ['status', 'greet'],
      ['list'],
    ]) {
      const ran = await repository.pawl(['change', ...args, '--json'], { cwd });
      expect(ran.code, args.join(' ')).toBe(2);
      expect(JSON.parse(ran.stdout).diagnostics[0].code).toBe('NotARepository');
    }
    expect(everything(change)).toEqual(before);
  });
});

describe.concurrent('console', () => {
  test('[change/console/shows-what-happens] the state found, each transition, each dispatch, the result and the next command', async (context) => {
    const usage = { input_tokens: 1200, output_tokens: 300, cost_usd: 0.25 };
    const change = repositoryFor(
      context,
      planned.map((turn) => ({ ...turn, usage })),
    );
    const plan = ['change', 'plan', 'greet', '--agent', 'scripted', '--script', change.scriptFile];
    const first = (await change.repository.pawl([...plan, 'Greet by name', '--verbose'])).stdout.split('\n');
    expect(first[0]).toBe('Current state: new');
    const at = (pattern: RegExp) => first.findIndex((line) => pattern.test(line));
    const story = [
      /phase +new → proposed/,
      /planner +scripted +propose → order +[\d.]+s .*1\.5k tok.*\$0\.25/,
      /planner +scripted +specify greeting → find tasks +[\d.]+s .*1\.5k tok/,
      /planner +scripted +list tasks → validate +[\d.]+s .*1\.5k tok/,
      /check +validate: valid → challenge/,
      /challenger +scripted +challenge: approved → challenged +[\d.]+s .*1\.5k tok/,
      /phase +proposed → challenged/,
      /the plan of greet is approved/,
      /4 agent calls .* 6k tokens .* \$1\.00/,
      /^Next: pawl change impl greet --agent scripted --script \S+$/,
    ].map(at);
    expect(story).not.toContain(-1);
    expect(story).toEqual(story.toSorted((a, b) => a - b));
    const again = (await change.repository.pawl(plan)).stdout;
    expect(again).toMatch(/^Current state: phase=challenged\n/);
    expect(again).toMatch(/\nNext: pawl change impl greet --agent scripted --script \S+\n$/);
  });

  test('[change/console/json] --json prints one object with action, phase, verdict and next beside the common keys', async (context) => {
    const change = repositoryFor(context, planned);
    const { code, stdout, stderr, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(json);
    expect(json).toMatchObject({
      workflow: 'change',
      run: 'greet',
      state: 'challenged',
      phase: 'challenged',
      verdict: 'APPROVED',
      action: 'challenged',
      outcome: 'done',
      exitCode: 0,
      next: 'pawl change impl greet',
      decisions: [],
      usage: { dispatches: 4 },
      diagnostics: [],
    });
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
    expect(json['dispatches'][0]).toMatchObject({
      role: 'planner',
      agent: 'scripted',
      signal: 'reported',
      problem: null,
    });
    expect(stderr).toContain('Current state: new');
  });
});
