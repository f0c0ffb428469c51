/** STATE.yaml in people's hands: what takes effect, what is asked about, what is put right. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { challenge, implement, implemented, planned, type ChangeRepository } from '../change/scripts.ts';
import {
  copyOf,
  filesOf,
  folder,
  keepTidy,
  keptBy,
  phaseIn,
  recordsOf,
  run,
  scratch,
  retire,
  setPhase,
  stateOf,
  statePath,
} from './at-work.ts';

keepTidy();

/** STATE.yaml of `proposed` is committed; the plan is approved after that. */
let approved: ChangeRepository;
let complete: ChangeRepository;

beforeAll(async () => {
  approved = scratch([...planned.slice(0, 3), { role: 'challenger', fault: 'exit:1' }]);
  approved.repository.write(
    'agentd/config.toml',
    approved.repository.read('agentd/config.toml').replace('[workflow]', '[workflow]\nscript_retries = 0'),
  );
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(1);
  expect(phaseIn(approved)).toBe('proposed');
  approved.repository.git('add', '--all');
  approved.repository.git('commit', '--quiet', '--message=proposed');
  approved.script([...planned.slice(0, 3), { role: 'challenger' }, challenge('approved'), ...implemented]);
  expect((await approved.change('plan', run)).code).toBe(0);
  complete = copyOf(approved, [...planned.slice(0, 3), { role: 'challenger' }, challenge('approved'), ...implemented]);
  expect((await complete.change('impl', run)).code).toBe(0);
});

const turns = () => [...planned.slice(0, 3), { role: 'challenger' }, challenge('approved')];

describe.concurrent('content', () => {
  test('[change/state/fields] phase, verdict, iteration, checksums, validations, telemetry', () => {
    const state = parse(complete.repository.read(statePath)) as Record<string, any>;
    expect(Object.keys(state)).toEqual([
      'change_id',
      'schema_version',
      'created_at',
      'updated_at',
      'phase',
      'verdict',
      'iteration',
      'last_action',
      'session_id',
      'checksums',
      'validations',
      'telemetry',
    ]);
    expect(state).toMatchObject({
      change_id: run,
      schema_version: '2.0',
      phase: 'complete',
      verdict: 'APPROVED',
      iteration: 1,
      last_action: 'review',
      session_id: null,
    });
    const documents = ['base/greeting.md', 'proposal.md', 'specs/greeting.md', 'tasks.md'];
    expect(Object.keys(state['checksums']).toSorted()).toEqual(documents);
    expect(state['checksums']['tasks.md']).toEqual({
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      validated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(state['validations'].at(-1)).toMatchObject({ valid: true });
    expect(state['telemetry'].calls.at(-1)).toEqual({
      step: 'review',
      model: 'scripted',
      tokens_in: null,
      tokens_out: null,
      cost_usd: null,
      duration_ms: expect.any(Number),
      timestamp: expect.any(String),
    });
    expect(state['telemetry'].totals.calls).toBe(7);
  });

  test('[change/state/keeps-what-people-wrote] plan, impl and archive keep what people wrote', async () => {
    const change = scratch([...planned, ...implemented]);
    change.script([...planned.slice(0, 1), { role: 'planner', step: 'specify', fault: 'exit:3' }]);
    await change.change('plan', run, 'Greet people');
    const mine = '# Ask Ann before archiving\n';
    change.repository.write(statePath, `${mine}${change.repository.read(statePath)}ticket: "GRT-7"   # ours\n`);
    change.script([
      planned[0] ?? {},
      ...Array.from({ length: 4 }, () => ({ role: 'planner', step: 'specify' })),
      ...planned.slice(1),
      ...implemented,
    ]);
    for (const verb of ['plan', 'impl', 'archive']) {
      const ran = await change.change(verb, run);
      expect(ran.code, ran.stderr).toBe(0);
    }
    const text = change.repository.read(`agentd/archive/${run}/STATE.yaml`);
    expect(text.startsWith(mine)).toBe(true);
    expect(text).toContain('ticket: "GRT-7"   # ours\n');
    expect(text).toMatch(/^phase: archived$/m);
  });

  test('[change/state/phase-in-any-case] read in any case, written in lower case', async () => {
    const change = copyOf(approved, [...turns(), ...implemented]);
    setPhase(change, 'CHALLENGED');
    expect((await change.pawl('change', 'status', run)).json).toMatchObject({ phase: 'challenged', edited: null });
    expect((await change.change('impl', run)).code).toBe(0);
    expect(phaseIn(change)).toBe('complete');
    expect(recordsOf(change).map(({ type }) => type)).not.toContain('state.edited');
  });

  test('[change/state/stale] documents changed since they were validated are reported, with those made from them', async () => {
    const change = copyOf(approved);
    expect((await change.pawl('change', 'status', run)).json['stale']).toEqual([]);
    const path = `${folder}/proposal.md`;
    change.repository.write(path, change.repository.read(path).replace('cold', 'chilly'));
    const ran = await change.pawl('change', 'status', run);
    expect(ran.json['stale']).toEqual([
      {
        path: 'proposal.md',
        what: 'edited',
        validatedAt: expect.any(String),
        later: ['specs/greeting.md', 'tasks.md'],
      },
    ]);
    const words = await change.repository.pawl(['change', 'status', run]);
    expect(words.stdout).toMatch(/proposal\.md/);
    expect(words.stdout).toMatch(/tasks\.md/);
  });
});

describe.concurrent('the phase, set by hand', () => {
  test('[change/state/hand-edit-takes-effect] an earlier phase: adopted at once, and recorded', async () => {
    const change = copyOf(approved, [...turns(), challenge('approved')]);
    setPhase(change, 'proposed');
    const ran = await change.change('plan', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json['dispatches']).toHaveLength(6);
    expect(recordsOf(change)).toContainEqual(
      expect.objectContaining({
        type: 'state.edited',
        phase: 'proposed',
        by: expect.objectContaining({ how: 'edit' }),
      }),
    );
  });

  test('[change/state/hand-edit-takes-effect] past a gate: without a person exit 3, and nothing changes (attack 1.7)', async () => {
    const change = copyOf(approved, [...turns(), ...implemented]);
    setPhase(change, 'complete');
    const before = filesOf(change.repository);
    for (const args of [
      ['change', 'archive', run],
      ['change', 'plan', run],
      ['resume', run],
      ['undo', run],
    ]) {
      const records = recordsOf(change);
      const ran = await change.pawl(...args);
      expect(ran.code, args.join(' ')).toBe(3);
      expect(ran.stderr).toContain('approval of the code');
      expect(filesOf(change.repository)).toEqual(before);
      expect(recordsOf(change)).toEqual(records);
    }
    expect((await change.pawl('change', 'status', run)).json['edited']).toEqual({
      phase: 'complete',
      journal: 'challenged',
      adoptable: true,
    });
  });

  test('[change/state/hand-edit-takes-effect] past a gate with --edits discard: quarantined, the recorded phase stays', async () => {
    const change = copyOf(approved, [...turns(), ...implemented]);
    setPhase(change, 'complete');
    expect((await change.change('archive', run, '--edits', 'discard')).code).toBe(4);
    expect(phaseIn(change)).toBe('challenged');
    expect(keptBy(change, retire)).toMatch(/^phase: complete$/m);
  });

  test('[change/approval/phase-by-hand] past a gate with --edits keep: adopted, recorded, and it approves the current files', async () => {
    const change = copyOf(approved, [...turns(), ...implemented]);
    const path = `${folder}/proposal.md`;
    setPhase(change, 'proposed');
    expect((await change.pawl('cancel', run)).code).toBe(4);
    change.repository.write(path, change.repository.read(path).replace('cold', 'chilly'));
    setPhase(change, 'challenged');
    expect((await change.change('impl', run)).code).toBe(3);
    const ran = await change.change('impl', run, '--edits', 'keep');
    expect(ran.code, ran.stderr).toBe(0);
    expect(recordsOf(change)).toContainEqual(expect.objectContaining({ type: 'state.edited', phase: 'challenged' }));
    expect(stateOf(change)?.snapshot.data['approvedPlan']).toMatchObject({ by: 'edit' });
  });

  test('[change/approval/phase-by-hand] an approval of code by hand is bound to its tree', async () => {
    const change = copyOf(approved);
    change.repository.write('src/1.1.mjs', 'export const made = "by hand";\n');
    setPhase(change, 'complete');
    const changed = copyOf(change);
    expect((await change.change('archive', run, '--edits', 'keep')).code).toBe(0);
    expect((await changed.change('impl', run, '--edits', 'keep')).json['action']).toBe('already_complete');
    changed.repository.write('src/1.1.mjs', 'export const made = "later";\n');
    const refused = await changed.change('archive', run);
    expect(refused.code).toBe(4);
    expect(refused.json['action']).toBe('code_changed');
  });

  test('E3: after an edit, no step continues from the earlier state', async () => {
    const change = copyOf(approved, [...turns(), { role: 'implementer', fault: 'exit:9' }]);
    expect((await change.change('impl', run)).code).toBe(1);
    setPhase(change, 'proposed');
    change.script([...turns(), { role: 'implementer' }, challenge('approved'), implement()]);
    const ran = await change.pawl('resume', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json).toMatchObject({ phase: 'challenged' });
    expect(ran.json['dispatches'].at(-1).step).toBe('challenge');
  });

  test('refuses the phase archived when it is set by hand', async () => {
    const change = copyOf(complete);
    setPhase(change, 'archived');
    const before = filesOf(change.repository);
    const ran = await change.change('archive', run, '--edits', 'keep');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/run archive/);
    expect(filesOf(change.repository)).toEqual(before);
  });

  test.each([
    ['--edits discard', ['change', 'archive', run, '--edits', 'discard']],
    ['pawl restore', ['restore', run]],
  ])('[trial 2 A8] the phase archived set by hand: %s leads on, and all commands name it', async (_, command) => {
    const change = copyOf(complete);
    setPhase(change, 'archived');
    const restore = `pawl restore ${run}`;
    for (const args of [
      ['change', 'archive', run],
      ['resume', run],
      ['undo', run],
    ])
      expect((await change.pawl(...args)).json['diagnostics'][0].fix, args.join(' ')).toBe(restore);
    expect((await change.pawl('change', 'status', run)).json).toMatchObject({
      next: restore,
      edited: { phase: 'archived', adoptable: false },
    });
    expect((await change.pawl('runs')).json['runs'][0].next).toBe(restore);
    expect((await change.pawl(...command)).code).toBe(0);
    expect((await change.change('archive', run)).code).toBe(0);
    expect(change.repository.exists(`agentd/archive/${run}/STATE.yaml`)).toBe(true);
  });

  test('[trial 2 A8] an edit that could be adopted is restored only when it is named', async () => {
    const change = copyOf(complete);
    setPhase(change, 'proposed');
    const left = await change.pawl('restore', run);
    expect([left.json['restored'], left.json['left'], phaseIn(change)]).toEqual([[], [statePath], 'proposed']);
    const { json } = await change.pawl('restore', run, 'STATE.yaml');
    expect([json['restored'][0]['was'], phaseIn(change)]).toEqual(['changed', 'complete']);
  });
});

test.concurrent('C5: files that archive wrote may be edited; running archive again still works', async () => {
  const change = copyOf(complete);
  expect((await change.change('archive', run)).code).toBe(0);
  const spec = 'agentd/specs/greeting.md';
  change.repository.write(spec, `${change.repository.read(spec)}\nMore.\n`);
  const again = await change.change('archive', run);
  expect(again.code, again.stderr).toBe(0);
  expect(again.json['action']).toBe('already_archived');
  expect(change.repository.read(spec)).toContain('More.');
});

describe.concurrent('[change row 69] rolled forward without a question', () => {
  test.each([
    [
      'an older one, restored with git',
      (change: ChangeRepository) => void change.repository.git('checkout', '--', statePath),
    ],
    ['an empty one', (change: ChangeRepository) => change.repository.write(statePath, '')],
    ['a missing one', (change: ChangeRepository) => rmSync(join(change.repository.root, statePath))],
  ])('%s', async (_, disturb) => {
    const change = copyOf(complete);
    disturb(change);
    const ran = await change.change('impl', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json['action']).toBe('already_complete');
    expect(phaseIn(change)).toBe('complete');
    expect(recordsOf(change).map(({ type }) => type)).not.toContain('state.edited');
  });
});

describe.concurrent('[change/state/malformed] exit 2 with file and expectation, and nothing is changed', () => {
  const state = (change: ChangeRepository) => change.repository.read(statePath);
  test.each<[string, (change: ChangeRepository) => void, RegExp]>([
    [
      'broken YAML',
      (change) => change.repository.write(statePath, state(change).replace(/^phase:.*$/m, 'phase: [challenged')),
      /STATE\.yaml:\d+: .*expected valid YAML/s,
    ],
    [
      'an unknown phase',
      (change) => setPhase(change, 'nearly'),
      /STATE\.yaml:5: phase is "nearly"; expected one of proposed, challenged/,
    ],
    [
      'no phase',
      (change) => change.repository.write(statePath, 'verdict: APPROVED\n'),
      /STATE\.yaml.*there is no phase/,
    ],
    ['a list', (change) => change.repository.write(statePath, '- phase\n'), /STATE\.yaml:1: this is not a map of keys/],
    [
      'a folder in its place',
      (change) => {
        rmSync(join(change.repository.root, statePath));
        mkdirSync(join(change.repository.root, statePath));
      },
      /cannot read .*STATE\.yaml: there is a folder in its place/,
    ],
    [
      'bytes that are no text',
      (change) => writeFileSync(join(change.repository.root, statePath), Buffer.from([0x70, 0xff, 0xfe, 0x0a])),
      /cannot read .*STATE\.yaml: it is not UTF-8/,
    ],
  ])('%s', async (_, disturb, message) => {
    const change = copyOf(approved, [...turns(), ...implemented]);
    disturb(change);
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    for (const args of [
      ['change', 'impl', run, '--edits', 'keep'],
      ['change', 'plan', run],
      ['resume', run],
    ]) {
      const ran = await change.pawl(...args);
      expect(ran.code, `${args.join(' ')}: ${ran.stderr}`).toBe(2);
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toContain('internal error');
      expect(ran.json).toMatchObject({ outcome: 'error', exitCode: 2 });
    }
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
  });
});

describe.concurrent('without a journal, as in a fresh clone', () => {
  function cloned(checkpoint: ChangeRepository): ChangeRepository {
    const change = copyOf(checkpoint, implemented);
    rmSync(join(change.repository.root, '.git', 'pawl'), { recursive: true });
    return change;
  }

  test('attack 5.9: without --accept-state: exit 3, and nothing is written', async () => {
    const change = cloned(approved);
    const before = filesOf(change.repository);
    for (const verb of ['impl', 'plan']) {
      const ran = await change.change(verb, run);
      expect(ran.code).toBe(3);
      expect(ran.json['diagnostics'][0]).toMatchObject({ code: 'StateWithoutJournal', target: statePath });
      expect(ran.stderr).toContain('--accept-state');
    }
    expect(filesOf(change.repository)).toEqual(before);
    expect(change.repository.exists('.git/pawl')).toBe(false);
  });

  test('--accept-state continues, and records who vouched', async () => {
    const change = cloned(approved);
    expect((await change.change('impl', run, '--accept-state')).code).toBe(0);
    expect(recordsOf(change)[0]).toMatchObject({ type: 'created', input: { acceptedState: 'challenged' } });
    expect((await change.change('archive', run)).code).toBe(0);
  });

  test('D9: --accept-state vouches for no plan that its checksums show as edited: impl and archive refuse it', async () => {
    for (const [checkpoint, verb] of [
      [approved, 'impl'],
      [complete, 'archive'],
    ] as const) {
      const change = cloned(checkpoint);
      const path = 'agentd/changes/greet/specs/greeting.md';
      change.repository.write(path, change.repository.read(path).replace('contains the name', 'contains no name'));
      const refused = await change.change(verb, run, '--accept-state');
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('--accept-edits')]);
    }
  });

  test('--accept-state of approved code vouches for the current tree', async () => {
    const change = cloned(complete);
    const ran = await change.change('archive', run, '--accept-state');
    expect(ran.code, ran.stderr).toBe(0);
  });

  test('a journal without a complete record counts as missing', async () => {
    const change = cloned(approved);
    change.repository.write('.git/pawl/change/greet/journal.jsonl', '{"seq":1,"ep');
    expect((await change.change('impl', run)).code).toBe(3);
    expect((await change.change('impl', run, '--accept-state')).code).toBe(0);
  });
});
