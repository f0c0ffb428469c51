/** The events of the port as lines of JSON: what programs of our own print, the scripted agent and the bridge to ACP. */

import { choose, never, orNull, table } from '../schema/compound.ts';
import { ifFits, unlessNull } from '../schema/lenient.ts';
import { check, type Schema } from '../schema/schema.ts';
import { number, oneOf, verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import type { AgentError, AgentEvent, OutputReader } from './agent.ts';
import { jsonLine } from './json-line.ts';

export function eventLines(): OutputReader {
  return { line: (text) => [parseEvent(text)].flatMap((event) => event ?? []) };
}

function parseEvent(line: string): AgentEvent | null {
  const read = check(agentEvent, jsonLine(line), { unknownKeys: 'ignored' });
  return 'mistakes' in read ? null : read.value;
}

const textOrNull = orNull(ifFits(verbatim()));
const numberOrNull = orNull(ifFits(number()));

const message = verbatim();
const agentError = choose<AgentError>((value) => {
  const kind = isRecord(value) ? value['kind'] : undefined;
  if (kind === 'wait') return table({ kind: oneOf(['wait']), until: orNull(unlessNull(verbatim())), message });
  return kind === 'stop' ? table({ kind: oneOf(['stop']), message }) : table({ kind: oneOf(['retry']), message });
});

const events = new Map<unknown, Schema<AgentEvent>>([
  ['text', table({ type: oneOf(['text']), text: verbatim() })],
  ['tool', table({ type: oneOf(['tool']), name: verbatim() })],
  ['file', table({ type: oneOf(['file']), path: verbatim() })],
  ['session', table({ type: oneOf(['session']), id: verbatim(), model: textOrNull })],
  [
    'usage',
    table({ type: oneOf(['usage']), inputTokens: numberOrNull, outputTokens: numberOrNull, costUsd: numberOrNull }),
  ],
  // Success, or the decision the error calls for.
  ['finished', table({ type: oneOf(['finished']), error: orNull(unlessNull(agentError)) })],
]);

const agentEvent = choose((value) => (isRecord(value) && events.get(value['type'])) || never('an event'));
