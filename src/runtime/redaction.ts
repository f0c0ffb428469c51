/**
 * Keeps secrets out of what is recorded, shown, exported or put into a prompt.
 *
 * K1. A value that Pawl passed on to an agent as a secret is replaced by the name of its variable.
 * K2. What has the form of a vendor's token is replaced, wherever it comes from.
 */

import { isRecord } from '../schema/values.ts';
import type { ToolCallHandler } from './host.ts';

export type Redact = <T>(value: T) => T;

/** `env`: the variables an agent is started with. */
export function redactionFor(env: Readonly<Record<string, string>> = {}): Redact {
  const secrets = Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value.length >= secretCharsMin)
    .toSorted(([, left], [, right]) => right.length - left.length);
  const clean = (text: string): string => {
    const known = secrets.reduce((left, [name, value]) => left.replaceAll(value, `[${name}]`), text);
    return known.replaceAll(tokens, '[redacted]');
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(redact);
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redact(each)]))
      : value;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same shape, with other texts in it
  return <T>(value: T) => redact(value) as T;
}

/** An agent may put what it knows into a report: nothing of it becomes a document or a record. */
export function withRedaction(handler: ToolCallHandler, redact: Redact): ToolCallHandler {
  return {
    get tools() {
      return handler.tools;
    },
    call: (tool, args) => handler.call(tool, redact(args)),
    refused: (why) => handler.refused?.(why),
  };
}

const secretName = /key|token|secret|password|passwd|credential|auth/i;
/** A shorter one would be found in ordinary words. */
const secretCharsMin = 8;

/** K2. Anthropic and OpenAI, GitHub, AWS, Google, Slack, npm, GitLab, and signed web tokens. */
const tokens = new RegExp(
  [
    'sk-[A-Za-z0-9_-]{20,}',
    'gh[pousr]_[A-Za-z0-9]{30,}',
    'github_pat_[A-Za-z0-9_]{40,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{35}',
    'xox[abprs]-[A-Za-z0-9-]{20,}',
    'npm_[A-Za-z0-9]{36}',
    'glpat-[A-Za-z0-9_-]{20,}',
    'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}',
  ]
    .map((form) => `\\b${form}`)
    .join('|'),
  'g',
);
