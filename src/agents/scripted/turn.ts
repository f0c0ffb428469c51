/**
 * One turn of a script: what the scripted agent does in one dispatch.
 *
 * A turn keeps the spelling of the script, so that one parser reads it at both borders:
 * from the YAML a person wrote, and from the file it is handed over to the executable in.
 */

import { described, list, optional, orNull, prepared, record, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import { leaf, type Infer, type JsonSchema } from '../../schema/schema.ts';
import { amount, anything, number, verbatim } from '../../schema/simple.ts';

const namedFaults = ['hang', 'crash', 'epipe', 'garbage', 'no_report', 'rate_limited'] as const;
/** `rate_limited:` is followed by the seconds until it ends, or by the time. */
type TurnFault = (typeof namedFaults)[number] | `exit:${number}` | `rate_limited:${string}`;

const SECONDS = /^\d{1,7}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const sleepMsMax = 600_000;
const exitCodeMax = 255;

const aMap = 'a map of keys and values';
const someText = leaf(
  'a text that is not empty',
  (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  { type: 'string', minLength: 1 },
);
const someTexts = list(someText, 'a list');
const tokens = amount(Number.MAX_SAFE_INTEGER);

const fault = leaf<TurnFault>(
  `one of ${namedFaults.join(', ')}, exit:<0 to ${exitCodeMax}>, rate_limited:<seconds or ISO time>`,
  (value) => {
    const named = namedFaults.find((each) => each === value);
    if (named !== undefined || typeof value !== 'string') return named;
    const code = /^exit:(\d{1,3})$/.exec(value)?.[1];
    if (code !== undefined && Number(code) <= exitCodeMax) return `exit:${Number(code)}`;
    const reset = /^rate_limited:(.+)$/.exec(value)?.[1] ?? '';
    const isTime = TIME.test(reset) && !Number.isNaN(Date.parse(reset));
    return SECONDS.test(reset) || isTime ? `rate_limited:${reset}` : undefined;
  },
  { anyOf: [{ enum: namedFaults }, { type: 'string', pattern: String.raw`^(?:exit:\d{1,3}|rate_limited:.+)$` }] },
);

const call = table(
  { tool: someText, args: prepared((value) => value ?? {}, record(anything, { expected: aMap })) },
  { expected: aMap },
);
const usage = table(
  { input_tokens: optional(tokens), output_tokens: optional(tokens), cost_usd: optional(tokens) },
  { expected: aMap },
);
const content = leaf(
  'the text of the file, or null to delete it',
  (value) => (typeof value === 'string' || value === null ? value : undefined),
  { type: ['string', 'null'] },
);

export const turnSchema = table(
  {
    role: described(someText, 'the role that plays it; required'),
    step: described(optional(someText), 'only for agent calls of this step (a state of the workflow)'),
    call: described(optional(list(call, 'a list')), 'tools to call, each with `tool` and `args`'),
    write: described(
      optional(record(content, { expected: aMap })),
      'path in the workspace: its text, or null to delete it',
    ),
    run: described(optional(someTexts), 'commands to run in the workspace, without a shell'),
    say: described(optional(someText), 'what the agent says at its end'),
    usage: described(optional(usage), 'what it reports: `input_tokens`, `output_tokens`, `cost_usd`'),
    sleep_ms: described(optional(amount(sleepMsMax)), 'waits first'),
    fault: described(optional(fault), 'how it fails, see below'),
    expect_prompt: described(optional(someTexts), 'texts that the prompt has to contain, or the turn fails loudly'),
  },
  { expected: aMap },
);

/** JSON Schema of a whole script. */
export function scriptJson(): JsonSchema {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return { $schema, title: 'Script of the scripted agent', type: 'array', items: turnSchema.json() };
}

export type Turn = Infer<typeof turnSchema>;

/** What the scripted agent's executable is told about its dispatch. */
export const turnHandover = table({
  dispatch: verbatim(),
  role: verbatim(),
  step: verbatim(),
  /** The script, for messages. */
  script: verbatim(),
  /** Turns the role's earlier dispatches played. */
  played: number(),
  /** Null when the script has no turn left for this dispatch. */
  next: orNull(unlessNull(table({ index: number(), turn: turnSchema }))),
});

/** When the rate limit of a turn ends; null when the turn does not say. */
export function limitEnd(fault: TurnFault, nowMs: number): string | null {
  const reset = /^rate_limited:(.+)$/.exec(fault)?.[1];
  if (reset === undefined) return null;
  return new Date(SECONDS.test(reset) ? nowMs + Number(reset) * 1_000 : Date.parse(reset)).toISOString();
}
