import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { parseScript, turnFor, turnsPlayed } from './scripted.ts';
import type { Turn } from './turn.ts';

describe('parseScript', () => {
  test('reads every key, and keeps no key that is not there', () => {
    const text = `
- role: challenger
  step: challenge                 # optional
  call: [{tool: append_review, args: {status: needs_revision, content: "..."}}, {tool: list_specs}]
  write: {"src/a.ts": "text", "src/old.ts": null, "empty": ""}
  run: ["node --test"]
  say: "free text on stdout"
  usage: {input_tokens: 1200, output_tokens: 300, cost_usd: 0.01}
  sleep_ms: 50
  fault: exit:137
  expect_prompt: ["the plan"]
- role: planner
  usage: {input_tokens: 5}
  fault: no_report
`;
    expect(parseScript(text, 's.yaml')).toEqual([
      {
        role: 'challenger',
        step: 'challenge',
        call: [
          { tool: 'append_review', args: { status: 'needs_revision', content: '...' } },
          { tool: 'list_specs', args: {} },
        ],
        write: { 'src/a.ts': 'text', 'src/old.ts': null, empty: '' },
        run: ['node --test'],
        say: 'free text on stdout',
        usage: { input_tokens: 1200, output_tokens: 300, cost_usd: 0.01 },
        sleep_ms: 50,
        fault: 'exit:137',
        expect_prompt: ['the plan'],
      },
      { role: 'planner', usage: { input_tokens: 5 }, fault: 'no_report' },
    ]);
  });

  test('an empty list is a script without turns', () => {
    expect(parseScript('[]', 's.yaml')).toEqual([]);
  });

  test.each([
    ['role: planner', 's.yaml:1: the script is not a list; expected a list of turns, each beginning with "- role: …"'],
    ['', 's.yaml:1: the script is not a list; expected a list of turns, each beginning with "- role: …"'],
    ['- role: a\n- planner', 's.yaml:2: found "planner"; expected a map of keys and values'],
    ['- step: plan', 's.yaml:1: role is missing; expected a text that is not empty'],
    ['- role: 7', 's.yaml:1: role is 7; expected a text that is not empty'],
    ['- {role: a, wirte: {}}', 's.yaml:1: unknown key "wirte"; expected "write"'],
    ['- {role: a, sleepMs: 3}', 's.yaml:1: unknown key "sleepMs"; expected "sleep_ms"'],
    [
      '- {role: a, zzzzzzzz: 3}',
      's.yaml:1: unknown key "zzzzzzzz"; expected one of role, step, call, write, run, say, usage, sleep_ms, fault, expect_prompt',
    ],
    ['- {role: a, call: {tool: x}}', 's.yaml:1: call is {"tool":"x"}; expected a list'],
    ['- {role: a, call: [{args: {}}]}', 's.yaml:1: call[0].tool is missing; expected a text that is not empty'],
    ['- {role: a, call: [{tool: x, arg: {}}]}', 's.yaml:1: unknown key "call[0].arg"; expected "args"'],
    ['- {role: a, call: [{tool: x, args: [1]}]}', 's.yaml:1: call[0].args is [1]; expected a map of keys and values'],
    ['- {role: a, write: {f: 3}}', 's.yaml:1: write.f is 3; expected the text of the file, or null to delete it'],
    ['- {role: a, run: [["ls"]]}', 's.yaml:1: run[0] is ["ls"]; expected a text that is not empty'],
    [
      '- {role: a, usage: {input_tokens: many}}',
      's.yaml:1: usage.input_tokens is "many"; expected a number from 0 to 9007199254740991',
    ],
    [
      '- {role: a, usage: {tokens: 1}}',
      's.yaml:1: unknown key "usage.tokens"; expected one of input_tokens, output_tokens, cost_usd',
    ],
    ['- {role: a, sleep_ms: -1}', 's.yaml:1: sleep_ms is -1; expected a number from 0 to 600000'],
    [
      '- {role: a, fault: explode}',
      's.yaml:1: fault is "explode"; expected one of hang, crash, epipe, garbage, no_report, rate_limited, exit:<0 to 255>, rate_limited:<seconds or ISO time>',
    ],
    [
      '- {role: a, fault: "rate_limited:soon"}',
      's.yaml:1: fault is "rate_limited:soon"; expected one of hang, crash, epipe, garbage, no_report, rate_limited, exit:<0 to 255>, rate_limited:<seconds or ISO time>',
    ],
    [
      '- {role: a, fault: "exit:256"}',
      's.yaml:1: fault is "exit:256"; expected one of hang, crash, epipe, garbage, no_report, rate_limited, exit:<0 to 255>, rate_limited:<seconds or ISO time>',
    ],
    ['- {role: a, expect_prompt: text}', 's.yaml:1: expect_prompt is "text"; expected a list'],
  ])('names file, line and expectation: %j', (text, message) => {
    expect(errorOf(text).message).toBe(message);
  });

  test('broken YAML is named with its line', () => {
    expect(errorOf('- role: a\n- {role: b\n').message).toMatch(/^s\.yaml:\d: .*; expected valid YAML$/);
  });
});

function errorOf(text: string): DocumentError {
  try {
    parseScript(text, 's.yaml');
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
  throw new Error('the script was accepted');
}

describe('turnFor', () => {
  const turns: Turn[] = [
    { role: 'planner' },
    { role: 'reviewer', step: 'second' },
    { role: 'reviewer' },
    { role: 'reviewer', step: 'first' },
    { role: 'planner', step: 'revise' },
  ];

  test('takes turns in order per role, leaving those of another step', () => {
    expect(turnFor(turns, { role: 'planner', step: 'plan', earlier: [] })).toBe(0);
    expect(turnFor(turns, { role: 'planner', step: 'revise', earlier: [{ role: 'planner', step: 'plan' }] })).toBe(4);
    expect(turnFor(turns, { role: 'reviewer', step: 'first', earlier: [] })).toBe(2);
    expect(turnFor(turns, { role: 'reviewer', step: 'first', earlier: [{ role: 'reviewer', step: 'first' }] })).toBe(3);
    expect(turnFor(turns, { role: 'reviewer', step: 'second', earlier: [{ role: 'reviewer', step: 'first' }] })).toBe(
      1,
    );
  });

  test('has none for an unknown role, another step, or when all are played', () => {
    const earlier = [
      { role: 'planner', step: 'plan' },
      { role: 'planner', step: 'plan' },
      { role: 'reviewer', step: 'first' },
    ];
    expect(turnFor(turns, { role: 'archivist', step: 'merge', earlier })).toBeNull();
    expect(turnFor(turns, { role: 'planner', step: 'plan', earlier })).toBeNull();
    expect(turnsPlayed(turns, { role: 'planner', step: 'plan', earlier })).toBe(1);
    expect(turnsPlayed(turns, { role: 'reviewer', step: 'plan', earlier })).toBe(1);
  });

  test('agrees with the rule said plainly, for any script and history', () => {
    const role = fc.constantFrom('a', 'b');
    const step = fc.constantFrom('x', 'y', 'z');
    const turn = fc.record({ role, step }, { requiredKeys: ['role'] });
    const dispatch = fc.record({ role, step });
    fc.assert(
      fc.property(fc.array(turn), fc.array(dispatch), dispatch, (script, earlier, last) => {
        const played = new Set<number>();
        const take = (one: { role: string; step: string }): number | null => {
          const matches = (each: { role: string; step?: string }, index: number) =>
            !played.has(index) && each.role === one.role && (each.step === undefined || each.step === one.step);
          const index = script.findIndex(matches);
          played.add(index);
          return index === -1 ? null : index;
        };
        earlier.forEach(take);
        expect(turnFor(script, { ...last, earlier })).toBe(take(last));
      }),
    );
  });

  test('stays quick for long scripts and histories', () => {
    const count = 100_000;
    const long = Array.from({ length: count }, (_, index): Turn => ({ role: 'a', step: `s${count - index}` }));
    const earlier = Array.from({ length: count - 1 }, (_, index) => ({ role: 'a', step: `s${index + 2}` }));
    const before = process.cpuUsage();
    expect(turnFor(long, { role: 'a', step: 's1', earlier })).toBe(count - 1);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });
});
