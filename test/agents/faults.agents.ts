/**
 * Ways an agent, the machine and the repository can fail, each by its name.
 *
 * Every one ends in the outcome it should, leaves the run resumable, and tells the person one thing to do.
 */

import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { dispatchMarker, markerOf } from '../../src/runtime/dispatch-marker.ts';
import { findByMarker } from '../../src/workspace/processes.ts';
import { ChangeRepository, planned, propose, specify } from '../change/scripts.ts';

const source = new URL('./faulty-agent.mjs', import.meta.url).pathname;

interface Named {
  readonly fault: string;
  readonly exit: number;
  /** How the dispatch ended; null when there was none. */
  readonly signal: string | null;
  readonly says: RegExp;
  /** Instead of the few seconds the others have. */
  readonly timeoutMinutes?: number;
}

const outcomes: readonly Named[] = [
  { fault: 'none', exit: 0, signal: 'reported', says: /./ },
  { fault: 'exit at once', exit: 1, signal: 'failed', says: /exited with status 0 before it finished its turn/ },
  { fault: 'exit 1 at once', exit: 1, signal: 'failed', says: /exited with status 1 before it finished its turn/ },
  { fault: 'exit 137', exit: 1, signal: 'failed', says: /exited with status 137|was killed by SIGKILL/ },
  { fault: 'killed by itself', exit: 1, signal: 'failed', says: /was killed by SIGKILL/ },
  { fault: 'segmentation fault', exit: 1, signal: 'failed', says: /was killed by SIGSEGV/ },
  { fault: 'terminated by somebody', exit: 1, signal: 'failed', says: /was killed by SIGTERM/ },
  { fault: 'stops itself', exit: 1, signal: 'timed_out', says: /timed out after .* s/ },
  { fault: 'hangs silently', exit: 1, signal: 'timed_out', says: /timed out after/ },
  { fault: 'hangs after its report', exit: 1, signal: 'timed_out', says: /timed out after/ },
  { fault: 'ignores SIGTERM', exit: 1, signal: 'timed_out', says: /timed out after/ },
  { fault: 'closes its standard input', exit: 1, signal: 'failed', says: /exited with status 1/ },
  { fault: 'half a line of JSON', exit: 1, signal: 'failed', says: /before it finished its turn/ },
  { fault: 'invalid UTF-8', exit: 1, signal: 'failed', says: /before it finished its turn/ },
  { fault: 'ANSI noise', exit: 1, signal: 'failed', says: /before it finished its turn/ },
  { fault: 'noise around a good end', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'a line of 20 MB', exit: 1, signal: 'failed', says: /wrote more output than allowed/ },
  { fault: 'too much on stdout', exit: 1, signal: 'failed', says: /wrote more output than allowed/ },
  { fault: 'too much on stderr', exit: 1, signal: 'failed', says: /wrote more output than allowed/ },
  { fault: 'no report', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'a report and no end', exit: 1, signal: 'failed', says: /before it finished its turn/ },
  { fault: 'a report with nonsense', exit: 1, signal: 'unparseable', says: /refused: .*summary/s },
  { fault: 'a tool that does not exist', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: "another role's tool", exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'a wrong token', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'no token', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'not JSON to the tool server', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'a body of 30 MB to the tool server', exit: 1, signal: 'unparseable', says: /create_proposal/ },
  { fault: 'the same report twice', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'a report after the end', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'ended with an error flag', exit: 1, signal: 'failed', says: /something went wrong/ },
  {
    fault: 'rate limited, with a time',
    exit: 75,
    signal: 'rate_limited',
    says: /until 20\d\d-\d\d-\d\dT[\d:]{8}\.000Z/,
  },
  { fault: 'rate limited, without a time', exit: 75, signal: 'rate_limited', says: /429/ },
  { fault: 'rate limited, and does not end', exit: 75, signal: 'rate_limited', says: /429/, timeoutMinutes: 5 },
  { fault: 'failed, and does not end', exit: 1, signal: 'failed', says: /something went wrong/, timeoutMinutes: 5 },
  { fault: 'overloaded', exit: 75, signal: 'rate_limited', says: /529/ },
  { fault: 'not logged in', exit: 69, signal: 'unavailable', says: /run claude and log in with \/login/ },
  { fault: 'API error 401', exit: 69, signal: 'unavailable', says: /401/ },
  { fault: 'API error 500', exit: 1, signal: 'failed', says: /500/ },
  { fault: 'prompt too long', exit: 69, signal: 'unavailable', says: /too long/i },
  { fault: 'too many turns', exit: 1, signal: 'failed', says: /error_max_turns/ },
  { fault: 'writes outside of its role', exit: 1, signal: 'out_of_bounds', says: /planted\.txt.*does not count/s },
  { fault: "edits the plan's files itself", exit: 1, signal: 'out_of_bounds', says: /README\.md.*does not count/s },
  { fault: 'leaves a child behind', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'leaves a child in its own session', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'deletes its own log', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'prints its token', exit: 0, signal: 'reported', says: /approved/ },
  { fault: 'no version', exit: 69, signal: null, says: /prints no version/ },
  { fault: 'too old', exit: 69, signal: null, says: /too old, .* run npm install/ },
];

const config = `[workflow]\nscript_retries = 0\nretry_delay_secs = 0\n[roles]\nplanner = "claude"\n[dispatch]\ntimeout_minutes = 0.05\nkill_grace_secs = 0.3\noutput_mb_max = 16\n`;

/** A repository whose planner proposes with the faulty agent; all other turns are scripted, as is whoever goes on after it. */
function repository({ onTestFinished }: TestContext): ChangeRepository {
  const change = ChangeRepository.create(planned, config);
  const folder = join(change.repository.folder, 'bin');
  mkdirSync(folder);
  copyFileSync(source, join(folder, 'claude'));
  chmodSync(join(folder, 'claude'), 0o755);
  onTestFinished(() => change.repository.remove());
  return change;
}

const pathOf = ({ repository: { folder } }: ChangeRepository): string =>
  `${join(folder, 'bin')}:${process.env['PATH']}`;

async function plan(change: ChangeRepository, fault: string) {
  // In a sandbox a role that only reads cannot write: what is noticed without one is tested without.
  const isWriting = outcomes.some((each) => each.fault === fault && each.signal === 'out_of_bounds');
  const sandbox = isWriting && { PAWL_SANDBOX: 'off' };
  const env = { PATH: pathOf(change), ANTHROPIC_FAULT: fault, ...sandbox };
  const args = ['change', 'plan', 'greet', 'Greet by name', '--script', change.scriptFile, '--json'];
  const ran = await change.repository.pawl(args, { env });
  return { ...ran, json: JSON.parse(ran.stdout || '{}') };
}

describe.concurrent.each(outcomes)('$fault', ({ fault, exit, signal, says, timeoutMinutes }) => {
  test.concurrent(`exit ${exit}, ${signal ?? 'no dispatch'}; one message; resumable; nothing left behind`, async (context) => {
    const change = repository(context);
    if (timeoutMinutes !== undefined)
      change.repository.write('agentd/config.toml', config.replace('0.05', String(timeoutMinutes)));
    const { code, json, stderr } = await plan(change, fault);
    const [first] = json['dispatches'] ?? [];
    if (exit === 0) {
      expect(first, stderr).toMatchObject({ agent: 'claude', signal });
    } else {
      expect([code, first?.signal ?? null], stderr).toEqual([exit, signal]);
      const errors = json['diagnostics'].filter(({ severity }: { severity: string }) => severity === 'error');
      expect(errors).toHaveLength(1);
      expect(errors[0].message).toMatch(says);
      // A program that cannot be used is found before the run begins: the same command begins it later.
      expect(json['next']).toMatch(signal === null ? /^pawl doctor$/ : /^pawl (?:retry|resume) greet/);
    }
    expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    expect(stderr).not.toContain('Bearer ');
    const marker = markerOf(change.repository.runFolder('change', 'greet'), 'greet#1');
    expect(findByMarker(dispatchMarker, marker)).toEqual([]);
    if (change.repository.exists('planted.txt')) rmSync(join(change.repository.root, 'planted.txt'));
    // Turns count as played whoever played them; one more is enough to see that the step is repeated and counts.
    const played = (json['dispatches'] ?? []).map(() => ({ role: 'planner' }));
    change.repository.write('agentd/config.toml', config.replace('timeout_minutes = 0.05', 'timeout_minutes = 5'));
    change.script([...played, exit === 0 ? specify() : propose()]);
    const way = exit !== 0 && signal === null ? ['change', 'plan', 'greet', 'Greet by name'] : ['retry', 'greet'];
    const again = await change.pawl(...way, '--agent', 'scripted', '--script', change.scriptFile);
    expect(again.json['dispatches'][played.length], again.stderr).toMatchObject({
      agent: 'scripted',
      signal: 'reported',
    });
  });
});

/** What the machine and the repository can do to a dispatch. */
const circumstances: readonly {
  readonly name: string;
  readonly exit: number;
  readonly says: RegExp;
  arrange(change: ChangeRepository): void;
}[] = [
  {
    name: 'the program is not there (ENOENT)',
    exit: 69,
    says: /claude is not installed; run npm install/,
    arrange: ({ repository: { folder } }) => rmSync(join(folder, 'bin', 'claude')),
  },
  {
    name: 'the program may not be started (EACCES)',
    exit: 69,
    says: /claude cannot be started \(EACCES\)/,
    arrange: ({ repository: { folder } }) => chmodSync(join(folder, 'bin', 'claude'), 0o644),
  },
  {
    name: 'its interpreter is missing',
    exit: 69,
    says: /claude is not installed|cannot be started/,
    arrange: ({ repository }) => {
      repository.write('../bin/claude', '#!/nonexistent/node\n');
      chmodSync(join(repository.folder, 'bin', 'claude'), 0o755);
    },
  },
  {
    name: 'a folder has its name',
    exit: 69,
    says: /claude cannot be started|is not installed/,
    arrange: ({ repository: { folder } }) => {
      rmSync(join(folder, 'bin', 'claude'));
      mkdirSync(join(folder, 'bin', 'claude'));
    },
  },
];

test.concurrent.each(circumstances)('$name', async ({ exit, says, arrange }) => {
  const change = ChangeRepository.create(planned, config);
  const folder = join(change.repository.folder, 'bin');
  mkdirSync(folder);
  copyFileSync(source, join(folder, 'claude'));
  chmodSync(join(folder, 'claude'), 0o755);
  arrange(change);
  try {
    const { code, json, stderr } = await plan(change, 'none');
    expect(code, stderr).toBe(exit);
    expect(json['diagnostics'][0].message).toMatch(says);
    expect(existsSync(change.repository.runFolder('change', 'greet'))).toBe(false);
  } finally {
    change.repository.remove();
  }
});

test.concurrent("git's lock is present: agents work all the same, the user's index is not touched", async (context) => {
  const change = repository(context);
  change.repository.write('.git/index.lock', '');
  const { json, stderr } = await plan(change, 'none');
  expect(json['dispatches'][0], stderr).toMatchObject({ agent: 'claude', signal: 'reported' });
  expect(change.repository.read('.git/index.lock')).toBe('');
});
