import { expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { readConfig, settingsOf } from './config.ts';
import { session } from './session.ts';

const filesOf = (text: string | undefined) => ({ read: () => text });
const warningsOf = (text: string) => readConfig(filesOf(text)).warnings.map(({ message }) => message);

test('no file means the usual: three repairs, two retries, no shell [session/commands/config]', () => {
  const { config, warnings } = readConfig(filesOf(undefined));
  expect(warnings).toEqual([]);
  expect(config.session).toEqual({ repairs: 3, retries: 2, ci: null, checkMinutes: 10, tag: null });
  expect(settingsOf(filesOf(undefined))).toMatchObject({
    agents: {},
    limits: { fix_review: 3, fix_tests: 3, fix_security: 3, fix_build: 3, retries: 2 },
  });
});

test('makers and judges have different agents unless the file says otherwise', () => {
  const { Coder, Reviewer, Security } = session.roles;
  expect(Coder?.defaultAgent).toBe('claude');
  expect([Reviewer?.defaultAgent, Security?.defaultAgent]).toEqual(['codex', 'codex']);
});

test('what the file says counts [session/commands/config]', () => {
  const text = [
    'retry_delay_secs = 1',
    '[roles]',
    'Coder = "codex"',
    'planner = "gemini"',
    '[session]',
    'repairs = 1',
    'retries = 0',
    'ci = ["npm", "run", "ci"]',
    'check_minutes = 2',
    'tag = "done/{session}"',
  ].join('\n');
  const { config, warnings } = readConfig(filesOf(text));
  expect(warnings).toEqual([]);
  expect(config.session).toEqual({
    repairs: 1,
    retries: 0,
    ci: ['npm', 'run', 'ci'],
    checkMinutes: 2,
    tag: 'done/{session}',
  });
  expect(settingsOf(filesOf(text))).toMatchObject({
    agents: { Coder: 'codex' },
    limits: { fix_build: 1, retries: 0 },
    retryDelayMs: 1_000,
  });
});

test.each([
  ['[session]\nrepairs = -1', 2, 'repairs'],
  ['[session]\nrepairs = 1.5', 2, 'repairs'],
  ['[session]\nretries = "two"', 2, 'retries'],
  ['[session]\n\nci = [1]', 3, 'ci'],
  ['[session]\ntag = "a b"', 2, 'tag'],
  ['[session]\ntag = "--force"', 2, 'tag'],
  ['[session]\ncheck_minutes = 0', 2, 'check_minutes'],
  ['[roles]\nCoder = 7', 2, 'Coder'],
  ['session = 3', 1, 'session'],
  ['retry_delay_secs = -1', 1, 'retry_delay_secs'],
  ['[session\n', 1, ''],
])('%j is an error in line %d [session/commands/config]', (text, line, key) => {
  let error: unknown;
  try {
    readConfig(filesOf(text));
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(DocumentError);
  expect(String(error)).toContain(`pawl.toml:${line}`);
  expect(String(error)).toContain(key);
});

test('an unknown key is a warning with the nearest known one; what belongs to others is none [session/commands/config]', () => {
  expect(warningsOf('[session]\nrepair = 2\n')).toEqual([expect.stringContaining('repairs')]);
  expect(warningsOf('[sesion]\nrepairs = 2\n')).toEqual([expect.stringContaining('session')]);
  expect(warningsOf('[workflows]\nx = "y"\n')).toEqual([]);
});
