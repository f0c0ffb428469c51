/** A person's edits are safe, whatever instant Pawl was killed at. */

import { beforeAll, describe, expect, test } from 'vitest';
import { runUndisturbed, type CrashScenario } from '../../src/testing/crash-kit.ts';
import {
  challenge,
  implement,
  implemented,
  listTasks,
  planned,
  propose,
  review,
  specify,
  type ChangeRepository,
} from '../change/scripts.ts';
import {
  agentsOf,
  copyOf,
  editLater,
  filesOf,
  folder,
  hanging,
  hook,
  isWritten,
  keepTidy,
  keptBy,
  killAll,
  killPawl,
  patches,
  phaseIn,
  recordsOf,
  run,
  scratch,
  retire,
  setPhase,
  slowly,
  startUntil,
  stateOf,
  statePath,
  until,
  type Edits,
} from './at-work.ts';

keepTidy();

let approved: ChangeRepository;

beforeAll(async () => {
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

/** One of each kind: tracked, untracked, deleted, and inside the control folder. */
const byHand: Edits = {
  'src/greet.mjs': '// mine\n',
  'notes.txt': 'a thought\n',
  'README.md': null,
  'agentd/project.md': '# Ours\n',
};

describe.concurrent('after a kill in the middle of a dispatch', () => {
  /** A writing role has written half of its work and hangs; Pawl is killed; a person edits. */
  async function cutOff(edits: Edits): Promise<ChangeRepository> {
    const change = copyOf(approved, [...planned, hanging(implement(['1.1'])), ...implemented]);
    const work = await startUntil(change, ['change', 'impl', run], {
      step: 'implement',
      more: () => isWritten(change, 'src/1.1.mjs'),
    });
    await killPawl(work);
    editLater(change, edits);
    change.script([...planned, ...implemented]);
    return change;
  }

  test('C3: the next command without a person stops and touches nothing', async () => {
    const change = await cutOff(byHand);
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    const ran = await change.change('impl', run);
    expect(ran.code).toBe(3);
    expect(ran.json['diagnostics'][0]).toMatchObject({ code: 'PersonNeeded' });
    for (const path of Object.keys(byHand)) expect(ran.stderr).toContain(path);
    expect(ran.json['diagnostics'][0].fix).toMatch(/--edits keep.*--edits discard/);
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
    expect(agentsOf(change.repository)).toEqual([]);
    expect((await change.change('impl', run)).code).toBe(3);
  });

  test('C3: what is edited right after the kill is a person’s, however lately the agent was heard of', async () => {
    const change = copyOf(approved, [...planned, slowly(implement()), ...implemented]);
    const work = await startUntil(change, ['change', 'impl', run], { step: 'implement' });
    await killPawl(work);
    await until('the agent is gone', () => agentsOf(change.repository).length === 0);
    change.repository.write('src/greet.mjs', '// mine\n');
    expect((await change.change('impl', run)).code).toBe(3);
    expect(change.repository.read('src/greet.mjs')).toBe('// mine\n');
  });

  test('C3: an agent that was silent does not own what is edited after the kill', async () => {
    const change = copyOf(approved, [...planned, slowly(implement()), ...implemented]);
    const work = await startUntil(change, ['change', 'impl', run], { step: 'implement' });
    await killPawl(work);
    // In real time: far enough from the last sign of the agent's life.
    const begunMs = Date.parse(stateOf(change)?.open?.started.at ?? '');
    await until('the agent has been silent for a while', () => Date.now() > begunMs + 4_000);
    change.repository.write('src/greet.mjs', '// mine\n');
    expect((await change.change('impl', run)).code).toBe(3);
    expect(change.repository.read('src/greet.mjs')).toBe('// mine\n');
    expect(agentsOf(change.repository)).toEqual([]);
  });

  test('--edits keep keeps them, restores the files of the agent, and continues', async () => {
    const change = await cutOff(byHand);
    const ran = await change.change('impl', run, '--edits', 'keep');
    expect(ran.code, ran.stderr).toBe(0);
    for (const [path, content] of Object.entries(byHand)) {
      expect(change.repository.exists(path) ? change.repository.read(path) : null).toBe(content);
    }
    expect(recordsOf(change)).toContainEqual(
      expect.objectContaining({ type: 'edits.kept', by: expect.objectContaining({ how: 'flag' }) }),
    );
    expect(keptBy(change, patches)).toContain("+export const made = '1.1';");
  });

  test('--edits discard restores the files and keeps the edits as a patch', async () => {
    const change = await cutOff(byHand);
    const ran = await change.change('impl', run, '--edits', 'discard');
    expect(ran.code, ran.stderr).toBe(0);
    expect(change.repository.read('src/greet.mjs')).toContain('Hello');
    expect(change.repository.exists('README.md')).toBe(true);
    expect(change.repository.exists('notes.txt')).toBe(false);
    expect(change.repository.exists('agentd/project.md')).toBe(false);
    const patch = keptBy(change, patches);
    for (const line of ['+// mine', '+a thought', '-# Scratch', '+# Ours']) expect(patch).toContain(line);
    change.repository.write('../kept.patch', patch);
    change.repository.git('apply', '--include=notes.txt', '--include=src/greet.mjs', '../kept.patch');
    expect(change.repository.read('notes.txt')).toBe('a thought\n');
  });

  test('C2: files that only the agent changed are restored, kept as a patch, and the step runs again', async () => {
    const change = await cutOff({});
    const ran = await change.change('impl', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('abandoned.patch');
    expect(keptBy(change, patches)).toContain('src/1.1.mjs');
    expect(ran.json['usage'].reruns).toBe(1);
  });

  test('[trial 2 A1] what a person edits beside a writer just before a kill is named, and comes back from the copy', async () => {
    const change = copyOf(approved, [...planned, hanging(implement(['1.1'])), ...implemented]);
    const work = await startUntil(change, ['change', 'impl', run], {
      step: 'implement',
      more: () => isWritten(change, 'src/1.1.mjs'),
    });
    change.repository.write('src/greet.mjs', '// mine\n');
    await killPawl(work);
    change.script([...planned, { role: 'implementer' }, ...implemented]);
    const ran = await change.change('impl', run, '--edits', 'discard');
    expect(ran.stderr).toMatch(
      /put back as before it: src\/1\.1\.mjs, src\/greet\.mjs; a copy of what changed is kept in \S+/,
    );
    change.repository.write('../kept.patch', keptBy(change, patches));
    change.repository.git('apply', '--include=src/greet.mjs', '../kept.patch');
    expect(change.repository.read('src/greet.mjs')).toBe('// mine\n');
  });

  test('X3: no change is attributed to a read-only role, even one made while it ran', async () => {
    const change = scratch([slowly(propose())]);
    const work = await startUntil(change, ['change', 'plan', run, 'Greet'], { step: 'propose' });
    change.repository.write('README.md', '# Edited meanwhile\n');
    await killAll(change, work);
    change.script(planned);
    expect((await change.change('plan', run)).code).toBe(3);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    expect((await change.change('plan', run, '--edits', 'keep')).code).toBe(0);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
  });

  test('X4: an interrupted recovery loses neither the discarded edits nor later ones', async () => {
    const left = await cutOff({ 'notes.txt': 'first\n' });
    // A copy, as the one whose instants are counted is: what Pawl knows of its snapshots is bound to their place.
    const change = copyOf(left, [...planned, ...implemented]);
    // Killed right before it records that the dispatch was abandoned: the tree is back, the patch is kept.
    const args = ['change', 'impl', run, '--edits', 'discard', '--agent', 'scripted', '--script', change.scriptFile];
    const scenario: CrashScenario = { checkpoint: left.repository, args, workflow: 'change', run, hook };
    const { instants, after } = await runUndisturbed(scenario);
    after.remove();
    const at = instants.find(({ what }) => what === 'before-record dispatch.abandoned');
    const killed = await change.repository.pawl(args, {
      node: ['--import', hook],
      env: { PAWL_CRASH_AT: String(at?.number) },
    });
    expect(killed.signal).toBe('SIGKILL');
    editLater(change, { 'notes.txt': 'second\n' });
    expect((await change.change('impl', run)).code).toBe(3);
    expect((await change.change('impl', run, '--edits', 'discard')).code).toBe(0);
    expect(keptBy(change, patches)).toContain('+first');
    expect(keptBy(change, patches)).toContain('+second');
  });
});

describe.concurrent('STATE.yaml, edited while a dispatch is open', () => {
  async function cutOffPlanning(): Promise<ChangeRepository> {
    const change = scratch([propose(), specify(), listTasks(), slowly(challenge('approved'))]);
    const work = await startUntil(change, ['change', 'plan', run, 'Greet'], { step: 'challenge' });
    await killAll(change, work);
    change.script(planned);
    return change;
  }

  test('C4: it is not adopted without a person, past a gate or not', async () => {
    const change = await cutOffPlanning();
    setPhase(change, 'challenged');
    const text = change.repository.read(statePath);
    const ran = await change.change('plan', run);
    expect(ran.code).toBe(3);
    expect(change.repository.read(statePath)).toBe(text);
    expect(stateOf(change)?.snapshot.state).toBe('challenge');
    setPhase(change, 'rejected');
    expect((await change.change('plan', run)).code).toBe(3);
    expect(recordsOf(change).map(({ type }) => type)).not.toContain('state.edited');
  });

  test('C4: it is not adopted when git ignores the file either', async () => {
    const change = await cutOffPlanning();
    change.repository.git('rm', '-r', '-q', '--cached', '--ignore-unmatch', folder);
    change.repository.write('.git/info/exclude', `${statePath}\n`);
    setPhase(change, 'rejected');
    expect((await change.change('plan', run)).code).toBe(3);
    expect(recordsOf(change).map(({ type }) => type)).not.toContain('state.edited');
  });

  test('C4: --edits discard quarantines the edit; --edits keep adopts it', async () => {
    const discarded = await cutOffPlanning();
    const kept = copyOf(discarded, planned);
    setPhase(discarded, 'rejected');
    const ran = await discarded.change('plan', run, '--edits', 'discard');
    expect(ran.code, ran.stderr).toBe(0);
    expect(phaseIn(discarded)).toBe('challenged');
    expect(keptBy(discarded, patches)).toContain('+phase: rejected');
    setPhase(kept, 'rejected');
    expect((await kept.change('plan', run, '--edits', 'keep')).code).toBe(3);
    expect(phaseIn(kept)).toBe('rejected');
    expect(recordsOf(kept)).toContainEqual(expect.objectContaining({ type: 'state.edited', phase: 'rejected' }));
  });

  test('B2, attack 1.6: an edit made while an agent works is put back and kept, not adopted', async () => {
    const waiting = { ...implement(), sleep_ms: 3_000 };
    const change = copyOf(approved, [...planned, waiting, implement(), review('APPROVED')]);
    const work = await startUntil(change, ['change', 'impl', run], { step: 'implement' });
    setPhase(change, 'complete');
    const ran = await work.ended;
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('the implementer may not change agentd/changes/greet/STATE.yaml: put back');
    expect(keptBy(change, patches)).toMatch(/^\+phase: complete$/m);
    expect(
      stateOf(change)
        ?.history.map(({ step }) => step)
        .slice(4),
    ).toEqual(['implement', 'implement', 'review']);
  });
});

describe.concurrent('after a kill between a record and the writing of its files', () => {
  /** Everything of `propose` is on record, but the proposal is not written. */
  let unwritten: ChangeRepository;

  beforeAll(async () => {
    unwritten = scratch(planned);
    const args = ['change', 'plan', run, 'Greet people', '--agent', 'scripted', '--script', '../script.yaml', '--json'];
    const checkpoint = unwritten.repository;
    const { instants, after } = await runUndisturbed({ checkpoint, args, workflow: 'change', run, hook });
    after.remove();
    const at = instants.find(({ what }) => what === `before-rename ${run}/proposal.md`);
    const env = { PAWL_CRASH_AT: String(at?.number) };
    const killed = await unwritten.repository.pawl(args, { node: ['--import', hook], env });
    expect(killed.signal).toBe('SIGKILL');
    expect(unwritten.repository.exists(`${folder}/proposal.md`)).toBe(false);
  });

  test('C1: the file is written by the next command', async () => {
    const change = copyOf(unwritten, planned);
    const ran = await change.change('plan', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`finished writing ${folder}/proposal.md`);
    expect(ran.json['usage'].reruns).toBe(0);
  });

  test('W2: a file that somebody created there is not overwritten: exit 3 on every try', async () => {
    const change = copyOf(unwritten, planned);
    change.repository.write(`${folder}/proposal.md`, 'My own proposal.\n');
    const before = filesOf(change.repository);
    for (const args of [
      ['change', 'plan', run],
      ['cancel', run],
      ['resume', run],
    ]) {
      const ran = await change.pawl(...args);
      expect(ran.code, args.join(' ')).toBe(3);
      expect(ran.stderr).toContain(`${folder}/proposal.md`);
      expect(filesOf(change.repository)).toEqual(before);
    }
  });

  test('W2: --edits discard writes the recorded file and keeps a copy of the other', async () => {
    const change = copyOf(unwritten, planned);
    change.repository.write(`${folder}/proposal.md`, 'My own proposal.\n');
    const ran = await change.change('plan', run, '--edits', 'discard');
    expect(ran.code, ran.stderr).toBe(0);
    expect(change.repository.read(`${folder}/proposal.md`)).toContain('Greet by name');
    expect(keptBy(change, retire)).toBe('My own proposal.\n');
  });

  test('W2: --edits keep continues with the existing file', async () => {
    const change = copyOf(unwritten, planned);
    const mine = approved.repository.read(`${folder}/proposal.md`).replace('cold', 'chilly');
    change.repository.write(`${folder}/proposal.md`, mine);
    const ran = await change.change('plan', run, '--edits', 'keep');
    expect(ran.code, ran.stderr).toBe(0);
    expect(change.repository.read(`${folder}/proposal.md`)).toContain('chilly');
    const kept = { type: 'edits.kept', paths: [`${folder}/proposal.md`] };
    expect(recordsOf(change)).toContainEqual(expect.objectContaining(kept));
  });
});

describe.concurrent('after a clean end', () => {
  test('C5: edits of files that a command wrote raise no question', async () => {
    const change = copyOf(approved, [...planned, challenge('approved')]);
    const path = `${folder}/proposal.md`;
    change.repository.write(path, change.repository.read(path).replace('cold', 'chilly'));
    const ran = await change.change('plan', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json['dispatches'].at(-1).step).toBe('challenge');
    expect(change.repository.read(path)).toContain('chilly');
  });
});
