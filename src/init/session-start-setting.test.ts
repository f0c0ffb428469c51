import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withSessionStart, withoutSessionStart } from './session-start-setting.ts';

function added(text: string | null): string {
  const edit = withSessionStart(text);
  if ('problem' in edit || edit.text === null) throw new Error('it was not added');
  return edit.text;
}

const entry = {
  hooks: [{ type: 'command', command: 'pawl hook session-start 2>/dev/null || true', timeout: 5 }],
};
const other = { matcher: 'startup', hooks: [{ type: 'command', command: 'date' }] };

test('a file of our own comes and goes', () => {
  const text = added(null);
  expect(JSON.parse(text)).toEqual({ hooks: { SessionStart: [entry] } });
  expect(withSessionStart(text)).toEqual({ text });
  expect(withoutSessionStart(text)).toEqual({ text: null });
});

describe('settings of others stay byte for byte', () => {
  test.each([
    ['plain', '{\n  "model": "x"\n}\n'],
    ['with tabs and Windows line ends', '{\r\n\t"model" : "x",\r\n\t"n": 1.0\r\n}'],
    ['on one line', '{"model":"x","permissions":{"allow":["Bash(ls:*)"]}}'],
    ['with strange texts', '{ "a]}": "\\"{[,", "hooks" : { "Stop": [ ] , "x": null } }'],
    ['with hooks', JSON.stringify({ hooks: { Stop: [other] }, z: [1, [2, {}]] }, null, 4)],
    ['with the same event', JSON.stringify({ a: 1, hooks: { SessionStart: [other], Stop: [] } }, null, 2)],
    ['with the same event, compact', JSON.stringify({ hooks: { SessionStart: [other, other] } })],
  ])('%s', (_, text) => {
    const after = added(text);
    const before = JSON.parse(text) as { hooks?: { SessionStart?: unknown[] } };
    const SessionStart = [...(before.hooks?.SessionStart ?? []), entry];
    expect(JSON.parse(after)).toEqual({ ...before, hooks: { ...before.hooks, SessionStart } });
    expect(withSessionStart(after)).toEqual({ text: after });
    expect(withoutSessionStart(after)).toEqual({ text });
    expect(withoutSessionStart(text)).toEqual({ text });
  });

  test('any JSON object, in any layout', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, 2, '\t'), (settings, indent) => {
        fc.pre(Object.keys(settings).length > 0 && !('hooks' in settings));
        const text = JSON.stringify(settings, null, indent);
        const after = added(text);
        expect(JSON.parse(after)).toEqual({ ...(JSON.parse(text) as object), hooks: { SessionStart: [entry] } });
        expect(withoutSessionStart(after)).toEqual({ text });
      }),
    );
  });
});

test('an empty object gets it in lines of its own', () => {
  expect(added('{}')).toBe(added(null).trimEnd());
  expect(added('{"hooks": {}}')).toContain('"hooks": {\n  "SessionStart": [\n');
});

test('a hook that somebody changed is not added again, and not removed', () => {
  const text = added(null).replace('"timeout": 5', '"timeout": 9');
  expect(withSessionStart(text)).toEqual({ text });
  expect(withoutSessionStart(text)).toEqual({ problem: 'its hook was edited' });
});

test.each([
  ['', 'it is not a JSON object'],
  ['// a remark\n{}', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['{"hooks": []}', '"hooks" in it is not an object'],
  ['{"hooks": {"SessionStart": {}}}', '"hooks.SessionStart" in it is not a list'],
])('a file that is no settings is not touched: %s', (text, problem) => {
  expect(withSessionStart(text)).toEqual({ problem });
  expect(withoutSessionStart(text)).toEqual({ problem });
});
