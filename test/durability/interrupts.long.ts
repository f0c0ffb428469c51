/** Stopping a run: Ctrl-C, `pause` and `cancel`; nothing goes on behind one's back, and the run can be resumed. */

import { spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import {
  challenge,
  config,
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
  isWritten,
  keepTidy,
  keptBy,
  killPawl,
  patches,
  phaseIn,
  recordsOf,
  run,
  scratch,
  slowly,
  start,
  startUntil,
  stateOf,
  until,
} from './at-work.ts';

keepTidy();

const plan = ['change', 'plan', run, 'Greet people'];

let approved: ChangeRepository;

beforeAll(async () => {
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

describe.concurrent('signals', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '[change row 97] %s kills the agent and its child processes: exit 130',
    async (signal) => {
      // The agent's own child is in its process group.
      const change = copyOf(approved, [...planned, { ...implement(['1.1']), run: ['sleep 600'] }, ...implemented]);
      const work = await startUntil(change, ['change', 'impl', run], {
        step: 'implement',
        more: () => agentsOf(change.repository).length >= 2 && isWritten(change, 'src/1.1.mjs'),
      });
      work.child.kill(signal);
      const ran = await work.ended;
      expect(ran.code, ran.stderr).toBe(130);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        outcome: 'interrupted',
        exitCode: 130,
        next: `pawl resume ${run}`,
      });
      expect(agentsOf(change.repository)).toEqual([]);
      expect(stateOf(change)?.open).toBeNull();
      // X5: what it wrote stays, as after a failed attempt.
      expect(change.repository.exists('src/1.1.mjs')).toBe(true);
      expect(keptBy(change, patches)).toContain('src/1.1.mjs');
      expect(phaseIn(change)).toBe('implementing');
      change.script([...planned, ...implemented]);
      const resumed = await change.pawl('resume', run, '--agent', 'scripted', '--script', change.scriptFile);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.json).toMatchObject({ phase: 'complete', usage: { reruns: 1 } });
    },
  );

  test('X3: what changes while a read-only role works is left, and the next command asks about it', async () => {
    const change = scratch([slowly(propose())]);
    const work = await startUntil(change, plan, { step: 'propose' });
    change.repository.write('README.md', '# Edited meanwhile\n');
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    change.script(planned);
    const asked = await change.change('plan', run);
    expect([asked.code, asked.json['diagnostics'][0].message]).toEqual([3, expect.stringContaining('README.md')]);
    expect((await change.change('plan', run, '--edits', 'keep')).code).toBe(0);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    expect(stateOf(change)?.spent.crashes).toBe(0);
  });

  test('X5: what a person edits beside a writer stays, and nobody is asked', async () => {
    const change = copyOf(approved, [...planned, { ...implement(['1.1']), run: ['sleep 600'] }]);
    const work = await startUntil(change, ['change', 'impl', run], {
      step: 'implement',
      more: () => isWritten(change, 'src/1.1.mjs'),
    });
    change.repository.write('README.md', '# Edited meanwhile\n');
    work.child.kill('SIGINT');
    const { code, stderr } = await work.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('the files that it may change stay as they are; a copy of what changed is kept in');
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    change.script([...planned, ...implemented]);
    const resumed = await change.change('impl', run);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    expect(keptBy(change, patches)).toContain('src/1.1.mjs');
  });

  test('X3, X5: where a file out of bounds is asked about, what is within them stays whatever is answered', async () => {
    const change = copyOf(approved, [...planned, { ...implement(['1.1']), run: ['sleep 600'] }]);
    const work = await startUntil(change, ['change', 'impl', run], {
      step: 'implement',
      more: () => isWritten(change, 'src/1.1.mjs'),
    });
    change.repository.write('README.md', '# Edited meanwhile\n');
    await new Promise((resolve) => {
      setTimeout(resolve, 2_500);
    });
    change.repository.write('pawl.toml', '# mine\n');
    work.child.kill('SIGINT');
    expect((await work.ended).stderr).toContain('pawl.toml changed while the implementer was working');
    change.script([...planned, ...implemented]);
    expect((await change.change('impl', run)).code).toBe(3);
    const resumed = await change.change('impl', run, '--edits', 'discard');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
    expect(change.repository.exists('pawl.toml')).toBe(false);
  });

  test('X5: what a cut-off dispatch left belongs to the run: undo takes it back', async () => {
    const change = copyOf(approved, [...planned, { ...implement(['1.1']), run: ['sleep 600'] }]);
    const work = await startUntil(change, ['change', 'impl', run], {
      step: 'implement',
      more: () => isWritten(change, 'src/1.1.mjs'),
    });
    work.child.kill('SIGINT');
    await work.ended;
    expect((await change.pawl('cancel', run)).code).toBe(0);
    expect((await change.pawl('undo', run)).code).toBe(0);
    expect(change.repository.exists('src/1.1.mjs')).toBe(false);
  });

  test('Ctrl-C also reaches git: its failure counts as part of the interruption', async () => {
    const change = copyOf(approved, [...planned, ...implemented]);
    const { folder: outside } = change.repository;
    const bin = join(outside, 'bin');
    // A git that interrupts its caller when it lists a tree, and never succeeds after that.
    const git = `#!/bin/sh
case "$*" in *ls-tree*) [ -e "${outside}/told" ] || kill -INT $PPID; touch "${outside}/told"; exit 1;; esac
exec ${spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()} "$@"
`;
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), git, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const ran = await start(change, ['change', 'impl', run], { env }).ended;
    expect(ran.code, ran.stderr).toBe(130);
    expect(ran.stderr).toContain(`pawl resume ${run}`);
    expect((await change.change('impl', run)).code).toBe(0);
  });

  test('a second signal ends Pawl and the agent at once, even an agent that ignores signals', async () => {
    const settings = `${config}\n[dispatch]\nkill_grace_secs = 300\n`;
    const change = scratch([slowly(propose())], settings);
    const work = await startUntil(change, plan, { step: 'propose' });
    const [agent = 0] = agentsOf(change.repository);
    process.kill(agent, 'SIGSTOP');
    work.child.kill('SIGINT');
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    expect(work.child.exitCode).toBeNull();
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    await until('the agent is gone', () => agentsOf(change.repository).length === 0);
    change.script(planned);
    expect((await change.change('plan', run)).code).toBe(0);
  });
});

describe.concurrent('D6: a command with other arguments than the interrupted one', () => {
  const chosen = (...tasks: readonly string[]) => ['impl', run, '--tasks', tasks.join(',')];

  async function interrupted(): Promise<ChangeRepository> {
    const change = copyOf(approved, [...planned, slowly(implement(['1.1']))]);
    const work = await startUntil(change, ['change', ...chosen('1.1')], { step: 'implement' });
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    change.script([...planned, implement(['1.1']), implement(['1.2'])]);
    return change;
  }

  test.each([
    ['other tasks', chosen('1.2')],
    ['all tasks', ['impl', run]],
  ])('%s: exit 4 with both ways, nothing done', async (_, args) => {
    const change = await interrupted();
    const { code, json } = await change.change(...args);
    expect([code, json['diagnostics'][0].code]).toEqual([4, 'CommandUnfinished']);
    expect(json['diagnostics'][0].message).toBe(
      '"impl" of greet was interrupted and works on 1.1 only; finish it first, or abandon its step with pawl cancel greet',
    );
    expect(json['diagnostics'][0].fix).toBe('pawl resume greet');
    expect(isWritten(change, 'src/1.2.mjs')).toBe(false);
  });

  test('after cancel it does what it says', async () => {
    const change = await interrupted();
    expect((await change.pawl('cancel', run)).code).toBe(0);
    change.script([...planned, implement(['1.2'])]);
    expect((await change.change(...chosen('1.2'))).code).toBe(0);
    expect([isWritten(change, 'src/1.1.mjs'), isWritten(change, 'src/1.2.mjs')]).toEqual([false, true]);
  });

  test('the same arguments continue it', async () => {
    const change = await interrupted();
    expect((await change.change(...chosen('1.1'))).code).toBe(0);
    expect(isWritten(change, 'src/1.1.mjs')).toBe(true);
  });
});

describe.concurrent('in the middle of a local check', () => {
  /** The check says that it began, then sleeps; `done` makes it end at once. */
  async function inCheck(): Promise<{ change: ChangeRepository; work: ReturnType<typeof start> }> {
    const change = copyOf(approved, [...planned, ...implemented]);
    const begun = join(change.repository.folder, 'begun');
    const check = `require('fs').writeFileSync('${begun}', ''); setTimeout(() => {}, 600000)`;
    change.repository.write('agentd/config.toml', config.replace('"0"', JSON.stringify(check)));
    const work = start(change, ['change', 'impl', run]);
    await until('the check runs', () => change.repository.exists('../begun'));
    return { change, work };
  }

  /** The check now ends, well only if it carries the marker by which agents are turned away. */
  function quicken(change: ChangeRepository): void {
    const check = "process.exit((process.env.PAWL_DISPATCH ?? '').endsWith('#check') ? 0 : 1)";
    change.repository.write('agentd/config.toml', config.replace('"0"', JSON.stringify(check)));
  }

  test('H1: Ctrl-C ends it, and resume repeats it: an interruption is not a failure', async () => {
    const { change, work } = await inCheck();
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    expect(agentsOf(change.repository)).toEqual([]);
    expect(stateOf(change)?.snapshot.state).toBe('run_checks');
    quicken(change);
    const ran = await change.change('impl', run);
    expect(ran.code, ran.stderr).toBe(0);
  });

  test('H2: after a kill, nothing of it runs on, and the next command repeats it', async () => {
    const { change, work } = await inCheck();
    await killPawl(work);
    quicken(change);
    const ran = await change.change('impl', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(agentsOf(change.repository)).toEqual([]);
  });

  test('cancel is refused during a check', async () => {
    const { change, work } = await inCheck();
    const ran = await change.pawl('cancel', run);
    expect(ran.code, ran.stderr).toBe(4);
    expect(ran.stderr).toContain('check');
    expect((await work.ended).code).toBe(130);
  });
});

describe.concurrent('pause', () => {
  test('stops the process that works on the run: its agent is killed, it exits 130, resume continues', async () => {
    const change = scratch([slowly(propose())]);
    const work = await startUntil(change, plan, { step: 'propose' });
    const ran = await change.pawl('pause', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json).toEqual({ run, action: 'paused', next: `pawl resume ${run}` });
    expect((await work.ended).code).toBe(130);
    expect(agentsOf(change.repository)).toEqual([]);
    expect(stateOf(change)?.snapshot.state).toBe('propose');
    change.script(planned);
    const resumed = await change.pawl('resume', run);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.json['phase']).toBe('challenged');
  });

  test('is refused when no process works on the run; an unread request has no later effect', async () => {
    const change = copyOf(approved, [...planned, ...implemented]);
    expect((await change.pawl('pause', run)).code).toBe(4);
    writeFileSync(join(inboxOf(change), 'pause.json'), '{"kind":"pause"}');
    writeFileSync(join(inboxOf(change), 'cancel.json'), 'no message at all');
    expect((await change.change('impl', run)).code).toBe(0);
  });
});

describe.concurrent('cancel', () => {
  const challenging = [propose(), specify(), listTasks(), slowly(challenge('approved'))];

  test('cancels the current step: the change stays in its phase and can continue', async () => {
    const change = scratch(challenging);
    const work = await startUntil(change, plan, { step: 'challenge' });
    const ran = await change.pawl('cancel', run);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json).toEqual({ run, action: 'cancelled', next: null });
    expect((await work.ended).code).toBe(130);
    expect(agentsOf(change.repository)).toEqual([]);
    expect(stateOf(change)?.snapshot.state).toBe('proposed');
    expect(recordsOf(change)).toContainEqual(
      expect.objectContaining({ signal: 'interrupted', by: expect.objectContaining({ how: 'command' }) }),
    );
    change.script(planned);
    expect((await change.pawl('resume', run)).code).toBe(0);
  });

  test('cancels the step of a killed process; a second cancel is refused', async () => {
    const change = scratch(challenging);
    await killPawl(await startUntil(change, plan, { step: 'challenge' }));
    expect((await change.pawl('cancel', run)).code).toBe(0);
    expect(agentsOf(change.repository)).toEqual([]);
    expect(stateOf(change)?.snapshot.state).toBe('proposed');
    const again = await change.pawl('cancel', run);
    expect(again.code).toBe(4);
    expect(again.json['diagnostics'][0].code).toBe('NothingToCancel');
  });
});

function inboxOf({ repository }: ChangeRepository): string {
  repository.write('.git/pawl/change/greet/inbox/.keep', '');
  return join(repository.runFolder('change', run), 'inbox');
}

test('an interrupted review is repeated once', async () => {
  const change = copyOf(approved, [...planned, implement(), slowly(review('APPROVED'))]);
  const work = await startUntil(change, ['change', 'impl', run], { step: 'review' });
  work.child.kill('SIGINT');
  expect((await work.ended).code).toBe(130);
  change.script([...planned, ...implemented]);
  const ran = await change.change('impl', run);
  expect(ran.code, ran.stderr).toBe(0);
  expect(
    stateOf(change)
      ?.history.map(({ step }) => step)
      .slice(4),
  ).toEqual(['implement', 'review']);
});

test('[DEF-23] [D6m] a hint survives Ctrl-C for the step it was given for, and the call that was cut off is in STATE.yaml', async () => {
  const crash = { ...implement(), write: {}, call: [], fault: 'crash' };
  const settings = config.replace('[workflow]', '[workflow]\nscript_retries = 0');
  const change = scratch([...planned, crash, slowly(implement())], settings);
  await change.change('plan', run, 'Greet people');
  expect((await change.change('impl', run)).code).toBe(1);
  const work = await startUntil(change, ['retry', run, '--hint', 'At most 40 letters'], { step: 'implement' });
  work.child.kill('SIGINT');
  expect((await work.ended).code).toBe(130);
  change.script([
    ...planned,
    crash,
    implement(),
    { ...implement(), expect_prompt: ['At most 40 letters'] },
    review('APPROVED'),
  ]);
  const { code, json } = await change.pawl('resume', run);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  const hints = recordsOf(change).flatMap((record) =>
    record.type === 'dispatch.started' && record.role !== 'planner' ? [[record.step, record.hint]] : [],
  );
  expect(hints.slice(1)).toEqual([
    ['implement', undefined],
    ['implement', 'At most 40 letters'],
    ['implement', 'At most 40 letters'],
    ['review', undefined],
  ]);
  const { telemetry } = parseYaml(change.repository.read(`agentd/changes/${run}/STATE.yaml`));
  expect(telemetry.totals.calls).toBe(8);
  expect(telemetry.calls.filter((call: { interrupted?: true }) => call.interrupted)).toMatchObject([
    { step: 'implement' },
  ]);
});

test('trial 2 B6: an agent and a script that are chosen for an interrupted command stay chosen', async () => {
  const change = scratch([slowly(propose())]);
  const first = join(change.repository.folder, 'first.yaml');
  writeFileSync(first, stringifyYaml([slowly(propose())]));
  let child: ChildProcess | undefined;
  const ended = change.repository.pawl([...plan, '--agent', 'scripted', '--script', first], {
    onSpawn: (spawned) => (child = spawned),
  });
  await until('an agent works', () => agentsOf(change.repository).length > 0);
  child?.kill('SIGINT');
  expect((await ended).code).toBe(130);
  const work = await startUntil(change, ['resume', run], { step: 'propose' });
  work.child.kill('SIGINT');
  const stopped = await work.ended;
  expect([stopped.code, JSON.parse(stopped.stdout).next]).toEqual([130, `pawl resume ${run}`]);
  writeFileSync(first, '[]\n');
  change.script(planned);
  const { code, json } = await change.pawl('resume', run);
  expect([code, json['phase']]).toEqual([0, 'challenged']);
  const log = await change.repository.pawl(['log', run]);
  expect(log.stdout).toContain(`continued with agent "scripted", script ${JSON.stringify(change.scriptFile)}`);
});

test('trial 2: a hint and a budget for an interrupted command outlive a Ctrl-C before its next dispatch', async () => {
  const isSlow = 'slow-check';
  const check = `[checks]\ntest = ["sh", "-c", "test ! -e ${isSlow} || sleep 600"]\n`;
  const change = scratch(
    [...planned, implement(), slowly(review('APPROVED'))],
    config.replace(/\[checks\][^]*/, check),
  );
  await change.change('plan', run, 'Greet people');
  const work = await startUntil(change, ['change', 'impl', run], { step: 'review' });
  work.child.kill('SIGINT');
  expect((await work.ended).code).toBe(130);
  writeFileSync(join(change.repository.root, '.git/info/exclude'), `${isSlow}\n`);
  change.repository.write(isSlow, '');
  const hinted = start(change, ['retry', run, '--hint', 'Mind the greeting']);
  await until('the check runs', () => agentsOf(change.repository).length > 0);
  hinted.child.kill('SIGINT');
  expect((await hinted.ended).code).toBe(130);
  const raised = start(change, ['resume', run, '--budget', 'dispatches=99']);
  await until('the check runs', () => agentsOf(change.repository).length > 0);
  raised.child.kill('SIGINT');
  expect((await raised.ended).code).toBe(130);
  rmSync(join(change.repository.root, isSlow));
  const approves = { ...review('APPROVED'), expect_prompt: ['Mind the greeting'] };
  change.script([...planned, implement(), approves, approves]);
  const { code, json, stderr } = await change.pawl('resume', run);
  expect([code, json['phase'], json['budget'].limits.dispatches], stderr).toEqual([0, 'complete', 99]);
});
