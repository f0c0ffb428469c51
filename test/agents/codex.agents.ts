import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { implemented, planned } from '../change/scripts.ts';
import { codexUnderTest } from './codex-under-test.ts';
import { agentScenarios, startRun } from './agent-scenarios.ts';
import { makeHostile, sprung } from './hostile-repository.ts';

/** What a ChatGPT plan answers when it is used up: Codex shows the minute. */
const resetsAt = Math.ceil(Date.now() / 60_000 + 90) * 60;
const usedUp = { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_at: resetsAt };

agentScenarios({
  ...codexUnderTest(),
  resumes: true,
  limit: {
    error: { status: 429, message: '', body: { error: usedUp } },
    until: new Date((resetsAt + 60) * 1000).toISOString(),
  },
});

describe('codex, beyond what all have', () => {
  test('a model it knows finds our tools by searching, and writes files by patches', async (context) => {
    const work = await startRun(context, codexUnderTest({ model: 'gpt-5.5' }), [...planned, ...implemented]);
    for (const command of ['plan', 'impl']) {
      const ran = await work.change(command, ...(command === 'plan' ? ['Greet people by name'] : []));
      expect(ran.code, ran.stderr).toBe(0);
    }
    const first = work.server.asked[0]?.request;
    expect(first?.tools.map(({ name }) => name)).toContain('tool_search');
    expect(first?.tools.filter(({ namespace }) => namespace === 'mcp__pawl')).toEqual([]);
    // One search in each of the six conversations was enough.
    expect(Math.max(...work.server.asked.map(({ request }) => request.searches ?? 0))).toBe(1);
    expect(work.repository.read('src/1.2.mjs')).toBe("export const made = '1.2';\n");
    expect(work.dispatches().map(({ model }) => model)).toEqual(Array.from({ length: 6 }, () => 'gpt-5.5'));
  });

  test('a patch of a model it knows is refused to a role that only reads', async (context) => {
    const [propose, ...rest] = planned;
    const sneaky = { ...propose, write: { 'src/sneaky.mjs': 'export {};\n' } };
    const work = await startRun(context, codexUnderTest({ model: 'gpt-5.5' }), [sneaky, ...rest]);
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(0);
    expect(work.repository.exists('src/sneaky.mjs')).toBe(false);
    // By its own sandbox, or by Pawl's.
    const said = work.server.asked.flatMap(({ request }) => request.results).join('\n');
    expect(said).toMatch(/read-only|Failed to write file/);
  });

  test('a repository the user trusts for own work is not trusted in a run, not in a worktree of it either', async (context) => {
    const trusting = codexUnderTest({
      lines: ({ root }) => `[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"`,
    });
    const work = await startRun(context, trusting, [...planned, ...implemented]);
    makeHostile(work.repository);
    const ran = await work.change('plan', 'Greet people by name', '--worktree');
    expect(ran.code, ran.stderr).toBe(0);
    expect(sprung(work.repository)).toEqual([]);
    const other = await work.pawl(['change', 'plan', 'other', 'Greet people again']);
    expect(other.json['run'], other.stderr).toBe('other');
    expect(sprung(work.repository)).toEqual([]);
  });

  test('a short limit is tried again by Codex itself, then told', async (context) => {
    const error = { status: 429, message: 'slow down', headers: { 'retry-after': '2' } };
    const work = await startRun(context, codexUnderTest(), [{ role: 'planner', error }], { retries: 2 });
    const ran = await work.change('plan', 'Greet people by name');
    // Two more attempts, two seconds apart; nobody said when the limit ends.
    expect(work.server.asked.length).toBe(3);
    expect([ran.code, ran.json['until']], ran.stderr).toEqual([75, null]);
  });

  test('a long limit of an API is not waited out: it is told at once, with its end', async (context) => {
    const error = { status: 429, message: 'slow down', headers: { 'retry-after': '7200' } };
    const work = await startRun(context, codexUnderTest(), [{ role: 'planner', error }], { retries: 2 });
    const before = Date.now();
    const ran = await work.change('plan', 'Greet people by name');
    expect(work.server.asked.length).toBe(1);
    expect(ran.code, ran.stderr).toBe(75);
    const [until, toldAfterMs] = [Date.parse(ran.json['until']), Date.now() - before];
    expect(until).toBeGreaterThan(before + 7_190_000);
    expect(until).toBeLessThan(before + toldAfterMs + 7_202_000);
    expect(work.dispatches().map(({ signal }) => signal)).toEqual(['rate_limited']);
    expect(work.processes()).toEqual([]);
    work.play(planned);
    const resumed = await work.pawl(['resume', 'greet']);
    expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'challenged']);
  });

  test('neither its key nor our token reaches the shell of the model', async (context) => {
    const [propose, ...rest] = planned;
    const looking = { ...propose, run: 'echo "seen: $(env | grep -cE "SCRIPTED_KEY|PAWL_TOOL_TOKEN")"' };
    const work = await startRun(context, codexUnderTest(), [looking, ...rest]);
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(0);
    expect(work.server.asked.flatMap(({ request }) => request.results).join('\n')).toContain('seen: 0');
  });

  test('a role that writes has the workspace and a temp folder, and nothing outside', async (context) => {
    const places = ['$TMPDIR', '/tmp', '..', '$HOME', '.git'];
    const mark = `pawl-mark-${process.pid}`;
    const trying = places.map(
      (at) => `touch "${at}/${mark}" && echo "${at.replace('$', '')} yes" || echo "${at.replace('$', '')} no"`,
    );
    const [implementing = {}, ...rest] = implemented;
    const work = await startRun(context, codexUnderTest(), [{ ...implementing, run: trying.join('; ') }, ...rest]);
    await work.planFirst(planned);
    const ran = await work.change('impl');
    expect(ran.code, ran.stderr).toBe(0);
    const said = work.server.asked.flatMap(({ request }) => request.results).join('\n');
    expect(['TMPDIR yes', '.git no'].filter((line) => !said.includes(`\n${line}`))).toEqual([]);
    // Inside of a box these are folders of its own.
    const outside = [tmpdir(), work.repository.folder, work.repository.home];
    expect(outside.filter((folder) => existsSync(join(folder, mark)))).toEqual([]);
  });

  test('a configuration it cannot read is named, not retried', async (context) => {
    const work = await startRun(context, codexUnderTest({ lines: () => '[broken' }), planned, { retries: 2 });
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(69);
    expect(ran.stderr).toContain('config.toml');
    expect(work.dispatches().map(({ signal }) => signal)).toEqual(['unavailable']);
  });
});
