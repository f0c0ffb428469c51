/**
 * One turn of a script: what the scripted agent does in one dispatch.
 *
 * A turn keeps the spelling of the script, so that one parser reads it at both borders:
 * from the YAML a person wrote, and from the file it is handed over to the executable in.
 */

import { list, optional, orNull, prepared, record, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import { leaf, type Infer } from '../../schema/schema.ts';
import { amount, anything, number, verbatim } from '../../schema/simple.ts';

const namedFaults = ['hang', 'crash', 'epipe', 'garbage', 'no_report', 'rate_limited'] as const;
/** `rate_limited:` is followed by the seconds until it ends, or by the time. */
type TurnFault = (typeof namedFaults)[number] | `exit:${number}` | `rate_limited:${string}`;

const SECONDS = /^\d{1,7}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const sleepMsMax = 600_000;
const exitCodeMax = 255;

const aMap = 'a map of keys and values';
const someText = leaf('a text that is not empty', (value) =>
  typeof value === 'string' && value !== '' ? value : undefined,
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
);

const call = table(
  { tool: someText, args: prepared((value) => value ?? {}, record(anything, { expected: aMap })) },
  { expected: aMap },
);
const usage = table(
  { input_tokens: optional(tokens), output_tokens: optional(tokens), cost_usd: optional(tokens) },
  { expected: aMap },
);
const content = leaf('the text of the file, or null to delete it', (value) =>
  typeof value === 'string' || value === null ? value : undefined,
);

export const turnSchema = table(
  {
    role: someText,
    /** Only for dispatches of this step. */
    step: optional(someText),
    call: optional(list(call, 'a list')),
    /** Path in the workspace → its content; `null` deletes. */
    write: optional(record(content, { expected: aMap })),
    /** Commands to run in the workspace, without a shell. */
    run: optional(someTexts),
    say: optional(someText),
    usage: optional(usage),
    sleep_ms: optional(amount(sleepMsMax)),
    fault: optional(fault),
    /** What the prompt has to contain, or the turn fails loudly. */
    expect_prompt: optional(someTexts),
  },
  { expected: aMap },
);
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
