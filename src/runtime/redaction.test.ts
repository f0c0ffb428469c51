import { expect, test } from 'vitest';
import { redactionFor } from './redaction.ts';

const env = {
  ANTHROPIC_API_KEY: 'my-own-secret-value',
  HOME: '/home/ada-lovelace',
  SHORT_TOKEN: 'abc',
  PATH: '/usr/bin',
};

test('K1: a secret that was passed on is replaced by its name, other values stay', () => {
  const redact = redactionFor(env);
  expect(redact('failed with my-own-secret-value in /home/ada-lovelace, abc')).toBe(
    'failed with [ANTHROPIC_API_KEY] in /home/ada-lovelace, abc',
  );
});

test('K1: in everything a report holds, keys aside', () => {
  const redact = redactionFor(env);
  const report = { summary: 'x my-own-secret-value', list: [{ deep: 'my-own-secret-value' }, 1, null, true] };
  expect(redact(report)).toEqual({
    summary: 'x [ANTHROPIC_API_KEY]',
    list: [{ deep: '[ANTHROPIC_API_KEY]' }, 1, null, true],
  });
});

test.each([
  `sk-ant-${'a1'.repeat(20)}`,
  `ghp_${'a1'.repeat(18)}`,
  `AKIA${'A1'.repeat(8)}`,
  `eyJ${'a1'.repeat(10)}.eyJ${'b2'.repeat(10)}.${'c3'.repeat(10)}`,
])('K2: %s has the form of a token', (token) => {
  expect(redactionFor()(`before ${token} after`)).toBe('before [redacted] after');
});

test('K2: ordinary text stays', () => {
  const text = 'ask-me about sk-8 boards, gh_pages, the key eyJ, and a digest 0123456789abcdef0123456789abcdef';
  expect(redactionFor()(text)).toBe(text);
});
