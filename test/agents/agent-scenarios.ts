/** What every agent has to get through with its real program: whole changes, and a model that misbehaves. */

import { describe, expect, test, type TestContext } from 'vitest';
import { makeHostile, sprung } from './hostile-repository.ts';
import { implement, implemented, planned, propose, review, specify, type Turn } from '../change/scripts.ts';
import { AgentRun, run, until, type AgentUnderTest, type Settings } from './agent-run.ts';
import { addOwnServers } from './own-servers.ts';
import type { Scenario, ScenarioOptions } from './scenario-options.ts';

const plan = ['change', 'plan', run, 'Greet people by name'];
const limited = {
  status: 429,
  message: 'This request would exceed your rate limit.',
  headers: { 'retry-after': '3600' },
};

/** The grace that the guardian gives, and a busy machine. */
const guardianMsMax = 30_000;

/** One vendor's suite. Nothing but 127.0.0.1 is contacted, and no process may be left after any of it. */
export function agentScenarios(options: ScenarioOptions): void {
  const { agent, skips = {}, limit = { error: limited, until: null } } = options;

  const scenario = (name: Scenario, play: (start: Start) => Promise<void>, subject: AgentUnderTest = options): void => {
    const reason = skips[name];
    test.skipIf(reason !== undefined)(
      `${name}${reason === undefined ? '' : ` (not with ${agent}: ${reason})`}`,
      (context) => play((turns, settings) => startRun(context, subject, turns, settings)),
    );
  };

  describe(`${agent}: with its real program`, () => {
    scenario('whole change', async (start) => {
      const work = await start([...planned, ...implemented]);
      for (const [command, phase] of [
        ['plan', 'challenged'],
        ['impl', 'complete'],
        ['archive', 'archived'],
      ] as const) {
        const ran = await work.change(command, ...(command === 'plan' ? ['Greet people by name'] : []));
        expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, phase]);
      }
      expect(work.repository.read('src/1.1.mjs')).toBe("export const made = '1.1';\n");
      const dispatches = work.dispatches();
      expect(dispatches.map(({ problem }) => problem)).toEqual(Array.from({ length: 6 }, () => ''));
      expect(new Set(dispatches.map(({ session }) => session)).size).toBe(6);
      for (const { session, usage } of dispatches) {
        expect(session).toMatch(/\S{8}/);
        if (options.tellsTokens !== false) expect(usage.inputTokens).toBeGreaterThanOrEqual(1_000);
        if (options.tellsTokens !== false) expect(usage.outputTokens).toBeGreaterThanOrEqual(50);
        if (options.tellsCost) expect(usage.costUsd).toBeGreaterThan(0);
      }
    });

    scenario('read-only role', async (start) => {
      const sneaky = { ...propose(), write: { 'src/sneaky.mjs': 'export {};\n' } };
      const work = await start([sneaky, ...planned.slice(1)]);
      const ran = await work.pawl(plan);
      expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, 'challenged']);
      expect(work.repository.exists('src/sneaky.mjs')).toBe(false);
    });

    scenario('malformed arguments', async (start) => {
      const [right] = callsOf(propose());
      const wrong = { tool: 'create_proposal', args: { ...right?.args, impact: { scope: 'enormous' }, summary: 7 } };
      const work = await start([{ ...propose(), call: [wrong, right] }, ...planned.slice(1)]);
      const ran = await work.pawl(plan);
      expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, 'challenged']);
      const told = work.server.asked.flatMap(({ request }) => request.results);
      expect(told.join('\n')).toMatch(/summary|scope/);
      expect(work.dispatches().map(({ signal }) => signal)).not.toContain('unparseable');
    });

    scenario('streaming model', async (start) => {
      const [right] = callsOf(propose());
      const wrong = { tool: 'create_proposal', args: { ...right?.args, summary: 7 } };
      // One that looks around first, in a way that a role that only reads may not be permitted.
      const looks = { ...propose(), read: 'README.md', run: 'ls -la && cat README.md', call: [wrong, right] };
      const manner = { pieceChars: 7, parallel: true };
      const [made, judged] = [implement(), review('APPROVED')];
      const judging = { ...judged, call: [{ tool: 'git_diff', args: {} }, ...callsOf(judged)] };
      const work = await start([looks, ...planned.slice(1), made, judging], { manner });
      const ran = await work.pawl(plan);
      expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, 'challenged']);
      const implementing = await work.change('impl');
      expect([implementing.code, implementing.json['phase']], implementing.stderr).toEqual([0, 'complete']);
      expect(work.dispatches().map(({ problem }) => problem)).toEqual(Array.from({ length: 6 }, () => ''));
      // 2.22: who only reads sees what is new without a git of its own.
      expect(work.server.asked.at(-1)?.request.results.join('\n')).toContain("+export const made = '1.1';");
    });

    scenario('no report', async (start) => {
      const silent = { role: 'planner', say: 'All done, the proposal is written.' };
      const work = await start([silent, silent, silent], { retries: 1 });
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(1);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['unparseable', 'unparseable']);
      const [first, second] = work.dispatches();
      if (options.resumes) {
        expect(second?.session).toBe(first?.session);
        const told = work.server.asked.map(({ request }) => timesIn(request.text, 'Greet people by name'));
        // The second attempt is told the task again, after all that was said before.
        expect(Math.max(...told)).toBe(2 * Math.min(...told.filter((times) => times > 0)));
      }
      // The same was asked twice: what the first has used is not counted again.
      if (options.tellsTokens !== false) expect(second?.usage.inputTokens).toBe(first?.usage.inputTokens);
      if (options.tellsCost) expect(second?.usage.costUsd).toBeCloseTo(first?.usage.costUsd ?? 0, 6);
      await resumes(work);
    });

    scenario('rate limit', async (start) => {
      const work = await start([{ role: 'planner', error: limit.error }], { retries: 2 });
      const ran = await work.pawl(plan);
      expect([ran.code, ran.json['until']], ran.stderr).toEqual([75, limit.until]);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['rate_limited']);
      await resumes(work);
    });

    scenario('wrong key', async (start) => {
      const error = { status: 401, message: 'invalid api key' };
      const work = await start([{ role: 'planner', error }], { retries: 2 });
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(69);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['unavailable']);
      await resumes(work);
    });

    scenario('server errors', async (start) => {
      const work = await start([{ role: 'planner', error: { status: 500, message: 'Internal server error' } }]);
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(1);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['failed']);
      await resumes(work);
    });

    scenario('unreachable model', async (start) => {
      const work = await start(planned);
      await work.server.close();
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(1);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['failed']);
    });

    scenario('cut stream', async (start) => {
      const work = await start([{ ...propose(), cut: true }]);
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(1);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['failed']);
      await resumes(work);
    });

    scenario('hang', async (start) => {
      const hanging = async (timeoutMinutes: number) => {
        const work = await start([{ role: 'planner', hang: true }], { timeoutMinutes });
        return { work, ran: await work.pawl(plan) };
      };
      const brief = await hanging(0.2);
      // On a busy machine an agent may not even have begun by then.
      const { work, ran } = brief.work.server.asked.length > 0 ? brief : await hanging(1.5);
      expect(ran.code, ran.stderr).toBe(1);
      expect(work.server.asked.length).toBeGreaterThan(0);
      expect(work.dispatches().map(({ signal }) => signal)).toEqual(['timed_out']);
      expect(work.processes()).toEqual([]);
    });

    scenario('interrupted', async (start) => {
      const work = await start([{ role: 'planner', hang: true }]);
      let seen: readonly string[] = [];
      const ran = await work.interrupt(plan, () => {
        seen = work.commandLines();
        return work.server.asked.length > 0;
      });
      expect(seen.join('\n')).toContain('change plan');
      expect(seen.join('\n')).not.toContain('Bearer');
      expect(ran.code, ran.stderr).toBe(130);
      expect(work.processes()).toEqual([]);
      await resumes(work);
    });

    scenario('interrupted command', async (start) => {
      const work = await start([{ ...implement(), run: 'touch src/1.1.mjs; sleep 600' }]);
      await work.planFirst(planned);
      const ran = await work.interrupt(['change', 'impl', run], () => work.repository.exists('src/1.1.mjs'));
      expect(ran.code, ran.stderr).toBe(130);
      await until('nothing of it runs any more', () => work.processes().length === 0, 2_000);
      work.play(implemented);
      const resumed = await work.pawl(['resume', run]);
      expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'complete']);
    });

    const killed = async (start: Start): Promise<void> => {
      const work = await start([{ role: 'planner', hang: true }]);
      let seen: readonly number[] = [];
      const isAtWork = (): boolean => {
        seen = work.processes();
        return work.server.asked.length > 0;
      };
      const ran = await work.interrupt(plan, isAtWork, 'SIGKILL');
      // Pawl itself, and at least the vendor's program.
      expect([ran.signal, seen.length > 1]).toEqual(['SIGKILL', true]);
      await until('the guardian has ended the agent', () => work.processes().length === 0, guardianMsMax);
      await resumes(work);
    };

    // Audit 12.8: a guardian ends agents when Pawl is killed.
    scenario('killed', killed);
    scenario('killed without a sandbox', killed, {
      ...options,
      env: (server, repository) => ({ ...options.env(server, repository), PAWL_SANDBOX: 'off' }),
    });

    scenario('hostile repository', async (start) => {
      const work = await start([...planned, ...implemented]);
      makeHostile(work.repository);
      const ran = await work.pawl(plan);
      expect(ran.code, ran.stderr).toBe(0);
      const implementing = await work.change('impl');
      expect(implementing.code, implementing.stderr).toBe(0);
      expect(sprung(work.repository)).toEqual([]);
    });

    scenario(
      'own servers',
      async (start) => {
        const work = await start(planned);
        const ran = await work.pawl(plan);
        expect(ran.code, ran.stderr).toBe(0);
        expect(sprung(work.repository)).toEqual(['wanted']);
      },
      {
        ...options,
        config: allowing(options, 'wanted'),
        prepare: (repository, server) => {
          options.prepare?.(repository, server);
          addOwnServers(agent, repository, ['wanted', 'unwanted']);
        },
      },
    );
  });
}

/** Its configuration, with one server of the user's allowed. */
function allowing({ agent, config = '' }: AgentUnderTest, server: string): string {
  const table = `[${agent}]`;
  return `${table}\nmcp = ["${server}"]\n${config.replace(table, '')}`;
}

export function timesIn(text: string, words: string): number {
  return text.split(words).length - 1;
}

type Start = (turns: readonly Turn[], settings?: Settings) => Promise<AgentRun>;

export async function startRun(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  subject: AgentUnderTest,
  turns: readonly Turn[],
  settings?: Settings,
): Promise<AgentRun> {
  const work = await AgentRun.create(subject, turns, settings);
  onTestFinished(async () => {
    expect(await work.close(), 'processes were left').toEqual([]);
  });
  return work;
}

function callsOf(turn: Turn): readonly { tool: string; args: Readonly<Record<string, unknown>> }[] {
  return turn['call'] as never;
}

/** Whatever happened, the same run goes on once the model answers. */
async function resumes(work: AgentRun): Promise<void> {
  work.play([propose(), specify(), ...planned.slice(2)]);
  const resumed = await work.pawl(['resume', run]);
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'challenged']);
}
