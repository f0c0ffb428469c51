import { describe, expect, test } from 'vitest';
import { chosenEnv } from './agent-options.ts';
import { claudeVariables, geminiVariables, opencodeVariables } from './credentials.ts';
import { machineWith } from './launched.fixture.ts';

const secrets = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  OPENROUTER_API_KEY: 'r',
  AWS_SECRET_ACCESS_KEY: 'aws',
  AZURE_API_KEY: 'azure',
  GOOGLE_APPLICATION_CREDENTIALS: '/key.json',
  MY_GATEWAY_KEY: 'mine',
  GITHUB_TOKEN: 'github',
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Those of the secrets that an agent sees, with these variables and files of the user's. */
function seen(
  choose: (environment: Environment) => readonly string[],
  more: Environment = {},
  files: Readonly<Record<string, string>> = {},
): string[] {
  const { home } = machineWith('1.0.0', files);
  const environment = { HOME: home, ...secrets, ...more };
  const chosen = chosenEnv(environment, choose(environment));
  return Object.keys(secrets).filter((name) => name in chosen);
}

describe('Claude sees a cloud only where it is told to use it (attack 4.2)', () => {
  test.each([
    [{}, []],
    [{ CLAUDE_CODE_USE_BEDROCK: '0' }, []],
    [{ CLAUDE_CODE_USE_BEDROCK: '1' }, ['AWS_SECRET_ACCESS_KEY']],
    [{ CLAUDE_CODE_USE_VERTEX: 'true' }, ['GOOGLE_APPLICATION_CREDENTIALS']],
    [{ CLAUDE_CODE_USE_FOUNDRY: '1' }, ['AZURE_API_KEY']],
  ])('%j', (more, cloud) => {
    expect(seen(claudeVariables, more)).toEqual(['ANTHROPIC_API_KEY', ...cloud]);
  });

  test('in its settings, too', () => {
    const files = { '.claude/settings.json': '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }' };
    expect(seen(claudeVariables, {}, files)).toEqual(['ANTHROPIC_API_KEY', 'AWS_SECRET_ACCESS_KEY']);
  });
});

test('Gemini sees a key for Google Cloud only where it uses Vertex (attack 4.2)', () => {
  expect(seen(geminiVariables)).toEqual(['GEMINI_API_KEY']);
  const both = ['GEMINI_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'];
  expect(seen(geminiVariables, { GOOGLE_GENAI_USE_VERTEXAI: 'true' })).toEqual(both);
  const files = { '.gemini/settings.json': '{ "security": { "auth": { "selectedType": "vertex-ai" } } }' };
  expect(seen(geminiVariables, {}, files)).toEqual(both);
});

describe('OpenCode sees the key of its provider (attack 4.2)', () => {
  const by = (model: string | null) => (environment: Environment) => opencodeVariables(model, environment);
  const config = (settings: object) => ({ '.config/opencode/opencode.json': JSON.stringify(settings) });

  test.each([
    ['anthropic/claude-sonnet-4-5', ['ANTHROPIC_API_KEY']],
    ['openrouter/anthropic/claude', ['OPENROUTER_API_KEY']],
    ['amazon-bedrock/claude', ['AWS_SECRET_ACCESS_KEY']],
    ['azure/gpt', ['AZURE_API_KEY']],
    ['google/gemini', ['GEMINI_API_KEY']],
    ['google-vertex/gemini', ['GOOGLE_APPLICATION_CREDENTIALS']],
    ['__proto__/x', []],
  ])('of the model that is asked for: %s', (model, names) => {
    expect(seen(by(model), {}, config({ model: 'openai/gpt' }))).toEqual(names);
  });

  test('of its own configuration', () => {
    expect(seen(by(null), {}, config({ model: 'openai/gpt' }))).toEqual(['OPENAI_API_KEY']);
    expect(seen(by(null), {}, config({ enabled_providers: ['anthropic'] }))).toEqual(['ANTHROPIC_API_KEY']);
    const provider = { gateway: { options: { apiKey: '{env:MY_GATEWAY_KEY}' } } };
    expect(seen(by('gateway/x'), {}, config({ provider }))).toEqual(['MY_GATEWAY_KEY']);
  });

  test('of the only one there is; of none where that is not clear', () => {
    const none = Object.fromEntries(Object.keys(secrets).map((name) => [name, undefined]));
    expect(seen(by(null))).toEqual([]);
    expect(seen(by(null), { ...none, ANTHROPIC_API_KEY: 'a' })).toEqual(['ANTHROPIC_API_KEY']);
  });
});
