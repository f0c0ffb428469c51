/** Whatever an agent prints, its reader goes on: no line ends Pawl, and no time is one that no calendar has (6.2, 6.7). */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitingError } from './acp/turn-end.ts';
import type { Agent, OutputReader } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent as claude } from './claude/claude.ts';
import { createAgent as codex } from './codex/codex.ts';
import { createAgent as copilot } from './copilot/copilot.ts';
import { createAgent as gemini } from './gemini/gemini.ts';
import { machineWith } from './launched.fixture.ts';
import { createAgent as opencode } from './opencode/opencode.ts';

const vendors: Readonly<Record<string, (options: AgentOptions) => Promise<Agent>>> = {
  claude,
  codex,
  copilot,
  gemini,
  opencode,
};

const numbers = fc.constantFrom(0, -1, 1e18, -1e18, 1e308, 8_640_000_000_001, 4_102_444_800, 0.1);
const words = fc.constantFrom(
  'try again in 99999999999999999 h',
  'Claude AI usage limit reached|9999999999',
  'rate limit, try again at Nov 16th, 9999 2:05 PM',
  'retry after 1e400 s',
  'API Error: 429',
  'rejected',
  'success',
  '9999-99-99T99:99:99Z',
);
const types = fc.constantFrom(
  ...'system rate_limit_event assistant result thread.started turn.completed turn.failed item.completed'.split(' '),
  ...'init message error tool_use step_finish pawl_gave_up session.error session.tools_updated text'.split(' '),
);
const keys = fc.constantFrom(
  ...'subtype status resetsAt rate_limit_info total_cost_usd usage input_tokens output_tokens is_error'.split(' '),
  ...'message next timestamp error data statusCode errorType stats part tokens cost result session_id exitCode'.split(
    ' ',
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, numbers, words, fc.boolean(), fc.dictionary(keys, tie('any'), { maxKeys: 5 })),
})).any;
const line = fc
  .tuple(types, fc.dictionary(keys, value, { maxKeys: 8 }))
  .map(([type, fields]) => JSON.stringify({ ...fields, type }));

const known: Readonly<Record<string, readonly string[]>> = {
  claude: [
    '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1e18}}',
    '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429","total_cost_usd":-1e6}',
  ],
  opencode: ['{"type":"pawl_gave_up","message":"rate limit","next":1e308,"timestamp":1}'],
  gemini: [
    '{"type":"result","status":"error","timestamp":"2026-03-01T10:00:00Z","error":{"message":"quota: try again in 99999999999999999 h"}}',
  ],
};

function readLines(reader: OutputReader, lines: readonly string[]): void {
  const events = [
    ...lines.flatMap((each) => [...reader.line(each), ...(reader.errorLine?.(each) ?? [])]),
    ...(reader.end?.({ exitCode: 0, signal: null, stderr: lines.join('\n') }) ?? []),
  ];
  for (const event of events) {
    if (event.type !== 'finished' || event.error?.kind !== 'wait' || event.error.until === null) continue;
    expect(event.error.until).toMatch(/^\+?\d{4,6}-/);
  }
}

test.each(Object.entries(vendors))('attack 6.2, 6.7: %s prints what nobody can mean', async (name, createAgent) => {
  const { options, request } = machineWith('99.0.0');
  const agent = await createAgent(options());
  readLines(agent.launch(request()).output, known[name] ?? []);
  const { output } = agent.launch(request());
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => readLines(output, lines)),
    { numRuns: 300 },
  );
});

test('a wait over ACP until a time that no calendar has ends at an unknown time', () => {
  expect(waitingError({ message: 'rate limit', next: 1e308 }, 0)).toMatchObject({ kind: 'wait', until: null });
});
