/** The entry in Claude Code's settings that runs our hook at the start of a session. */

import { isRecord, sameValue } from '../schema/values.ts';
import { valueAt, withMember, withoutMembers } from './json-text.ts';

export const settingsPath = '.claude/settings.json';

/** Settings are shared: where somebody has no Pawl, their sessions begin without an error. */
const hookCommand = 'pawl hook session-start 2>/dev/null || true';
const entry = { hooks: [{ type: 'command', command: hookCommand, timeout: 5 }] };
const event = 'SessionStart';

export type SettingsEdit = { readonly text: string | null } | { readonly problem: string };

/** `text` is the same where the hook is there already, also where somebody has changed it. */
export function withSessionStart(text: string | null): SettingsEdit {
  if (text === null) return { text: `${JSON.stringify({ hooks: { [event]: [entry] } }, null, 2)}\n` };
  const read = readSettings(text);
  if ('problem' in read) return read;
  const { entries, hooks } = read;
  if (entries?.some(mentionsHook)) return { text };
  const root = valueAt(text, [])?.start ?? 0;
  if (hooks === undefined) return { text: withMember(text, root, { [event]: [entry] }, 'hooks') };
  const array = valueAt(text, ['hooks', event]);
  if (array) return { text: withMember(text, array.start, entry) };
  return { text: withMember(text, valueAt(text, ['hooks'])?.start ?? 0, [entry], event) };
}

/** Null where nothing else is in it. What is left empty goes with it. */
export function withoutSessionStart(text: string): SettingsEdit {
  const read = readSettings(text);
  if ('problem' in read) return read;
  const { entries = [] } = read;
  const array = valueAt(text, ['hooks', event]);
  if (!array || !entries.some(mentionsHook)) return { text };
  if (!entries.some((each) => sameValue(each, entry))) return { problem: 'its hook was edited' };
  const isEmpty = (value: unknown): boolean => (Array.isArray(value) || isRecord(value)) && isVoid(value);
  let left = withoutMembers(text, array.start, (_, value) => sameValue(value, entry));
  const inHooks = valueAt(left, ['hooks'])?.start ?? 0;
  left = withoutMembers(left, inHooks, (key, value) => key === event && isEmpty(value));
  const root = valueAt(left, [])?.start ?? 0;
  left = withoutMembers(left, root, (key, value) => key === 'hooks' && isEmpty(value));
  return { text: /^\s*\{\s*\}\s*$/.test(left) ? null : left };
}

function isVoid(value: object): boolean {
  return Object.keys(value).length === 0;
}

interface Settings {
  readonly hooks: unknown;
  readonly entries: readonly unknown[] | undefined;
}

function readSettings(text: string): Settings | { readonly problem: string } {
  const settings = parsed(text);
  if (!isRecord(settings)) return { problem: 'it is not a JSON object' };
  const { hooks } = settings;
  if (hooks === undefined) return { hooks, entries: undefined };
  if (!isRecord(hooks)) return { problem: '"hooks" in it is not an object' };
  const entries: unknown = hooks[event];
  if (entries !== undefined && !Array.isArray(entries)) return { problem: `"hooks.${event}" in it is not a list` };
  return { hooks, entries };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mentionsHook(value: unknown): boolean {
  return JSON.stringify(value).includes('pawl hook session-start');
}
