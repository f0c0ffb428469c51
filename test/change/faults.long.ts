import { describe, expect, test } from 'vitest';
import { journalOf, repositoryFor, reviewTags, settings, stateOf, stepsOf } from './observed.ts';
import { challenge, listTasks, implemented, planned, propose, specify } from './scripts.ts';

const retries = (count: number, sections = '') => settings(`script_retries = ${count}`, sections);
/** Two of these are more than a pipe holds, so an agent that does not read them cannot be handed all of them. */
const longText = (text: string) => text.padEnd(125_000, ' And so on.');
const usage = { input_tokens: 1_000, output_tokens: 200, cost_usd: 0.1 };

describe.concurrent('dispatch faults', () => {
  test('[change/faults/retried] every kind of fault is retried, and a turn that succeeds goes on as if nothing had been', async (context) => {
    const change = repositoryFor(context, [
      { ...propose(), fault: 'crash' },
      { ...propose(), fault: 'garbage' },
      { ...propose(), fault: 'exit:7' },
      propose(),
      { ...specify(), fault: 'no_report' },
      { role: 'planner', step: 'specify', say: 'All done!', expect_prompt: ['did not count', 'create_spec'] },
      { ...specify(), write: { 'src/greet.mjs': 'export {};\n' } },
      { ...specify(), expect_prompt: ['Your last attempt did not count', 'src/greet.mjs'] },
      listTasks(),
      { ...challenge('approved'), fault: 'exit:0' },
      challenge('approved'),
    ]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(json).toMatchObject({ phase: 'challenged', verdict: 'APPROVED' });
    const signals = json['dispatches'].map(({ step, signal }: Record<string, string>) => `${step}: ${signal}`);
    expect(signals).toEqual([
      'propose: failed',
      'propose: failed',
      'propose: failed',
      'propose: reported',
      'specify: unparseable',
      'specify: unparseable',
      'specify: out_of_bounds',
      'specify: reported',
      'list_tasks: reported',
      'challenge: failed',
      'challenge: approved',
    ]);
    const problems = json['dispatches'].map(({ problem }: { problem: string | null }) => problem);
    expect(problems[0]).toContain('SIGSEGV');
    expect(problems[1]).toContain('status 0 before it finished its turn');
    expect(problems[2]).toContain('status 7');
    expect(problems[4]).toContain('create_spec was not called for "greeting"');
    expect(reviewTags(change, 'greet')).toHaveLength(1);
  });

  test('[change/faults/retried] script_retries times, retry_delay_secs apart, each pause twice as long', async (context) => {
    const crash = { role: 'planner', step: 'propose', fault: 'exit:1' };
    const change = repositoryFor(
      context,
      [crash, crash, crash, propose()],
      settings('script_retries = 2').replace('retry_delay_secs = 0', 'retry_delay_secs = 0.3'),
    );
    const { code, json, stderr } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(1);
    expect(stepsOf(json)).toEqual(['propose', 'propose', 'propose']);
    const times = (type: string) =>
      journalOf(change, 'greet').flatMap((record) =>
        record['type'] === type && (type !== 'moved' || record['dispatch']) ? [Date.parse(record['at'])] : [],
      );
    const started = times('dispatch.started');
    const pauses = times('moved').map((ended, index) => (started[index + 1] ?? Number.NaN) - ended);
    expect(pauses[0]).toBeGreaterThanOrEqual(300);
    expect(pauses[1]).toBeGreaterThanOrEqual(600);
    expect(stderr).toMatch(/retry 1 in .*\n[\s\S]*retry 2 in /);
  });

  test('[change/faults/reported] spent retries: exit 1 with agent, command, status and the tail of stderr', async (context) => {
    const closes = { role: 'planner', step: 'propose', fault: 'epipe' };
    const change = repositoryFor(context, [closes, closes, ...planned], retries(1));
    const { code, json, stderr } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(1);
    expect(json).toMatchObject({ action: 'failed', phase: 'proposed', outcome: 'failed', next: 'pawl retry greet' });
    expect(json['dispatches']).toHaveLength(2);
    const [diagnostic] = json['diagnostics'];
    expect(diagnostic).toMatchObject({ severity: 'error', code: 'failed', fix: 'pawl retry greet' });
    for (const part of [
      'scripted (',
      'scripted-agent.js',
      'exited with status 1',
      'closed standard input without reading it',
    ]) {
      expect(diagnostic.message).toContain(part);
    }
    expect(stderr).toContain('closed standard input without reading it');
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'proposed' });

    const again = await change.pawl('retry', 'greet');
    expect(again).toMatchObject({ code: 0, json: { phase: 'challenged' } });
    expect(stepsOf(again.json).slice(2)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
  });

  test('[change/faults/reported] finished steps are not done again by the plan that follows', async (context) => {
    const crash = { role: 'planner', step: 'list_tasks', fault: 'crash' };
    const change = repositoryFor(context, [propose(), specify(), crash, ...planned.slice(2)], retries(0));
    const stopped = await change.change('plan', 'greet', 'Greet by name');
    expect(stopped).toMatchObject({ code: 1, json: { phase: 'proposed' } });
    expect(stopped.json['diagnostics'][0].message).toContain('was killed by SIGSEGV');
    const { code, json } = await change.change('plan', 'greet');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'list_tasks', 'challenge']);
  });

  test('[change/faults/epipe] an agent that closes its stdin early is reported, or retried; never a bare crash', async (context) => {
    const closes = { role: 'planner', step: 'propose', fault: 'epipe' };
    const change = repositoryFor(context, [closes, closes, ...planned], retries(0));
    const reported = await change.change('plan', 'greet', longText('Greet by name.'));
    expect(reported).toMatchObject({ code: 1, signal: null, json: { action: 'failed', phase: 'proposed' } });
    expect(reported.json['diagnostics'][0].message).toMatch(
      /scripted \(.*scripted-agent\.js .*\) exited with status 1/,
    );
    expect(reported.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);

    change.repository.write('agentd/config.toml', retries(1));
    const retried = await change.pawl('retry', 'greet', '--hint', longText('Be kind.'));
    expect(retried).toMatchObject({ code: 0, json: { phase: 'challenged' } });
    const [, second] = retried.json['dispatches'];
    expect(second).toMatchObject({ step: 'propose', signal: 'failed' });
    expect(second.problem).toMatch(/status 1.*stdin: .*EPIPE.*stderr: closed standard input/s);
  });

  test('[change/faults/reported] an agent that hangs is killed after [dispatch] timeout_minutes', async (context) => {
    const hang = { ...propose(), fault: 'hang' };
    const change = repositoryFor(
      context,
      [hang, ...planned],
      retries(0, '[dispatch]\ntimeout_minutes = 0.02\nkill_grace_secs = 0.2'),
    );
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(1);
    expect(json['dispatches']).toMatchObject([{ step: 'propose', signal: 'timed_out' }]);
    expect(json['diagnostics'][0].message).toMatch(/scripted \(.*\) timed out after [\d.]+ s/);
    change.repository.write('agentd/config.toml', retries(0));
    expect(await change.pawl('resume', 'greet')).toMatchObject({ code: 0, json: { phase: 'challenged' } });
  });

  test('[change/faults/reported] an agent that is not there: exit 69, and retry --agent goes on with another', async (context) => {
    const change = repositoryFor(context, [...planned, ...implemented]);
    const refused = await change.pawl('change', 'plan', 'greet', 'Greet by name');
    const message = 'gemini is not installed; run npm install -g @google/gemini-cli';
    expect(refused).toMatchObject({ code: 69, json: { diagnostics: [{ code: 'AgentUnavailable', message }] } });
    expect(change.repository.exists('agentd/changes')).toBe(false);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
    const missing = await change.pawl('change', 'impl', 'greet');
    expect(missing).toMatchObject({ code: 69, json: { action: 'agent_unavailable', phase: 'implementing' } });
    expect(missing.json['diagnostics'][0].message).toContain('claude is not installed');
    expect(missing.json['next']).toBe('pawl retry greet --agent <agent>');
    const again = await change.pawl('retry', 'greet', '--agent', 'scripted', '--script', change.scriptFile);
    expect(again).toMatchObject({ code: 0, json: { phase: 'complete' } });
  });

  test('[change row 35] [change/review/names-what-to-change] a revision that is asked for without a finding does not count', async (context) => {
    const change = repositoryFor(context, [...planned.slice(0, 3), challenge('needs_revision', [])], retries(0));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect([code, json['phase'], json['decisions']]).toEqual([1, 'proposed', []]);
    expect(json['diagnostics'][0].message).toMatch(/append_review.*issue/s);
  });

  test('DEF-23: a hint is for the step that is repeated, not for those after it', async (context) => {
    const crash = { role: 'planner', step: 'propose', fault: 'exit:1' };
    const change = repositoryFor(context, [crash, crash, ...planned], retries(0));
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(1);
    change.script([crash, ...planned]);
    expect((await change.pawl('retry', 'greet', '--hint', 'At most 40 letters')).code).toBe(0);
    const hints = journalOf(change, 'greet').flatMap(({ type, step, hint }) =>
      type === 'dispatch.started' ? [[step, hint]] : [],
    );
    expect(hints).toEqual([
      ['propose', undefined],
      ['propose', 'At most 40 letters'],
      ['specify', undefined],
      ['list_tasks', undefined],
      ['challenge', undefined],
    ]);
  });

  test('[change/faults/reported] retry --hint puts the words into the prompt of the step that is repeated', async (context) => {
    const hint = 'Mind the "quotes": at most 40 letters';
    const crash = { role: 'challenger', fault: 'crash' };
    const change = repositoryFor(
      context,
      [...planned.slice(0, 3), crash, { ...challenge('approved'), expect_prompt: [hint] }],
      retries(0),
    );
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(1);
    const { code, json } = await change.pawl('retry', 'greet', '--hint', hint);
    expect(code).toBe(0);
    expect(stepsOf(json).slice(3)).toEqual(['challenge', 'challenge']);
    const started = journalOf(change, 'greet').findLast(({ type }) => type === 'dispatch.started');
    expect(started).toMatchObject({ step: 'challenge', hint });
  });

  test('retry of a change that has nothing to repeat exits 4', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    expect(await change.pawl('retry', 'greet')).toMatchObject({
      code: 4,
      json: { action: 'nothing_to_retry', phase: 'challenged' },
    });
  });
});

describe.concurrent('run budgets', () => {
  const budget = (lines: string) => settings('', `[budget]\n${lines}`);

  test('[change/budget/never-resets] dispatches spent: exit 5, no command renews them, resume --budget goes on', async (context) => {
    const change = repositoryFor(context, planned, budget('dispatches = 2'));
    const first = await change.change('plan', 'greet', 'Greet by name');
    expect(first.code).toBe(5);
    expect(first.json).toMatchObject({ action: 'over_budget', phase: 'proposed', outcome: 'over_budget' });
    expect(stepsOf(first.json)).toEqual(['propose', 'specify']);
    expect(first.json['budget']).toMatchObject({ limits: { dispatches: 2 }, remaining: { dispatches: 0 } });
    expect(first.json['diagnostics'][0].message).toContain('all 2 agent calls of this run are used');
    expect(first.json['next']).toBe('pawl resume greet --budget dispatches=3');

    for (const again of [
      () => change.change('plan', 'greet'),
      () => change.pawl('resume', 'greet'),
      () => change.pawl('retry', 'greet'),
    ]) {
      expect(await again()).toMatchObject({ code: 5, json: { dispatches: { length: 2 } } });
    }
    const third = await change.pawl('resume', 'greet', '--budget', 'dispatches=3');
    expect(third).toMatchObject({ code: 5, json: { budget: { limits: { dispatches: 3 } } } });
    expect(stepsOf(third.json)).toEqual(['propose', 'specify', 'list_tasks']);
    const last = await change.pawl('resume', 'greet', '--budget', 'dispatches=9');
    expect(last).toMatchObject({ code: 0, json: { phase: 'challenged', budget: { remaining: { dispatches: 5 } } } });
    expect(stepsOf(last.json)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
  });

  test('[change/budget/never-resets] retries count as dispatches', async (context) => {
    const crash = { role: 'planner', step: 'propose', fault: 'crash' };
    const change = repositoryFor(context, [crash, crash, ...planned], budget('dispatches = 2'));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(5);
    expect(stepsOf(json)).toEqual(['propose', 'propose']);
  });

  test('[change/budget/never-resets] raising one budget keeps another that was raised before', async (context) => {
    const turns = planned.map((turn) => ({ ...turn, usage: { ...usage, cost_usd: 1 } }));
    const change = repositoryFor(context, turns, budget('dispatches = 1\ncost_usd = 2'));
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(5);
    const second = await change.pawl('resume', 'greet', '--budget', 'dispatches=10');
    expect(second.code).toBe(5);
    expect(second.json['diagnostics'][0].message).toContain("the run's 2 USD are used");
    const third = await change.pawl('resume', 'greet', '--budget', 'cost=20');
    expect(third).toMatchObject({ code: 0, json: { budget: { limits: { dispatches: 10, costUsd: 20 } } } });
  });

  test('[change/budget/never-resets] known tokens and costs are summed, in the document and in STATE.yaml', async (context) => {
    const change = repositoryFor(
      context,
      planned.map((turn) => ({ ...turn, usage })),
    );
    const { json } = await change.change('plan', 'greet', 'Greet by name');
    expect(json['usage']).toMatchObject({
      dispatches: 4,
      inputTokens: 4_000,
      outputTokens: 800,
      costUsd: 0.4,
      unknownTokens: 0,
      unknownCost: 0,
    });
    expect(json['budget']['remaining']).toMatchObject({ dispatches: 56, tokens: 20_000_000 - 4_800, costUsd: 49.6 });
    expect(stateOf(change, 'greet')['telemetry']['totals']).toMatchObject({
      calls: 4,
      tokens_in: 4_000,
      tokens_out: 800,
      cost_usd: 0.4,
    });
  });

  test.for([
    ['tokens', 'tokens = 1000\nunknown_tokens = 600', "the run's 1000 tokens are used", 'tokens=5000'],
    ['cost', 'cost_usd = 1\nunknown_cost_usd = 0.6', "the run's 1 USD are used", 'cost=5'],
  ] as const)(
    '[change/budget/never-resets] unknown usage counts at its ceiling: %s',
    async ([, lines, words, raised], context) => {
      const change = repositoryFor(context, planned, budget(lines));
      const { code, json } = await change.change('plan', 'greet', 'Greet by name');
      expect(code).toBe(5);
      expect(stepsOf(json)).toEqual(['propose', 'specify']);
      expect(json['usage']).toMatchObject({ costUsd: null, inputTokens: null, unknownTokens: 2, unknownCost: 2 });
      expect(json['diagnostics'][0].message).toContain(words);
      expect(await change.pawl('resume', 'greet', '--budget', raised)).toMatchObject({ code: 0 });
    },
  );

  test('[change/budget/never-resets] a budget that is not understood exits 2 and names those there are', async (context) => {
    const change = repositoryFor(context, planned, budget('dispatches = 1'));
    await change.change('plan', 'greet', 'Greet by name');
    const before = journalOf(change, 'greet').length;
    for (const words of ['dispatches', 'dispatches=many', 'dispatches=-1', 'dispatch=5', 'dispatches=']) {
      const { code, stderr } = await change.pawl('resume', 'greet', '--budget', words);
      expect(code, words).toBe(2);
      expect(stderr).toContain('dispatches, tokens, cost, hours');
    }
    expect(journalOf(change, 'greet')).toHaveLength(before);
  });
});
