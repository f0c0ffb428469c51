/** Real agents over the Agent Client Protocol: the same scenarios as with their own drivers. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { implemented, planned } from '../change/scripts.ts';
import { run } from './agent-run.ts';
import { agentScenarios, startRun, timesIn } from './agent-scenarios.ts';
import type { ScenarioOptions } from './scenario-options.ts';
import { makeHostile, sprung } from './hostile-repository.ts';

/** Told as a time: OpenCode does not know when an answer that names seconds was sent. */
const limitEnds = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 7_200_000);

function userFile({ home }: ScratchRepository, path: string, content: unknown): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const gemini: ScenarioOptions = {
  agent: 'gemini',
  env: (server) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: server.url }),
  config: '[gemini]\ndriver = "acp"\nmodels = [{ name = "gemini-2.5-pro", max_complexity = "critical" }]',
  prepare: (repository) =>
    userFile(repository, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, maxAttempts: 2 },
      privacy: { usageStatisticsEnabled: false },
    }),
};

agentScenarios(gemini);

test('gemini goes on with a conversation that was begun in another minute: in the same one it overwrites it', async (context) => {
  const silent = { role: 'planner', say: 'All done, the proposal is written.' };
  const work = await startRun(context, gemini, [silent]);
  const ran = await work.change('plan', 'Greet people by name');
  expect(ran.code, ran.stderr).toBe(1);
  await wait(60_000 - (Date.now() % 60_000));
  work.play([silent, ...planned]);
  const resumed = await work.pawl(['resume', run]);
  expect(resumed.code, resumed.stderr).toBe(1);
  const [first, second] = work.dispatches();
  expect(second).toMatchObject({ signal: 'unparseable', session: first?.session });
  const told = work.server.asked.map(({ request }) => timesIn(request.text, 'Greet people by name'));
  expect(told).toEqual([told[0], 2 * (told[0] ?? 0)]);
});

agentScenarios({
  agent: 'opencode',
  resumes: true,
  env: () => ({}),
  config: '[opencode]\ndriver = "acp"\nmodels = [{ name = "scripted/model", max_complexity = "critical" }]',
  tellsCost: true,
  skips: { 'hostile repository': 'plugins of the repository run whatever it is told' },
  limit: {
    error: { status: 429, message: 'Slow down.', headers: { 'retry-after': limitEnds.toUTCString() } },
    until: limitEnds.toISOString(),
  },
  prepare: (repository, { url }) => {
    const model = {
      name: 'Model',
      tool_call: true,
      limit: { context: 200_000, output: 8_000 },
      cost: { input: 3, output: 15 },
    };
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
      models: { model },
    };
    // With these it has no need to install anything from npm.
    const plugin = { dependencies: { '@opencode-ai/plugin': '1.18.33' } };
    userFile(repository, '.config/opencode/opencode.json', { enabled_providers: ['scripted'], provider: { scripted } });
    userFile(repository, '.config/opencode/package.json', plugin);
    userFile(repository, '.config/opencode/package-lock.json', { lockfileVersion: 3, packages: { '': plugin } });
    mkdirSync(join(repository.home, '.config/opencode/node_modules'));
  },
});

agentScenarios({
  agent: 'claude',
  resumes: true,
  packages: ['claude-acp'],
  env: (server) => ({ ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: server.url }),
  config: '[claude]\ndriver = "acp"',
  tellsCost: true,
});

const runsItsCode = 'it would run code of the repository, so it is not started there';

const codex: ScenarioOptions = {
  agent: 'codex',
  resumes: true,
  skips: { 'hostile repository': runsItsCode },
  packages: ['codex-acp'],
  env: () => ({ OPENAI_API_KEY: 'dummy' }),
  config: '[codex]\ndriver = "acp"',
  prepare: (repository, { url }) =>
    userFile(
      repository,
      '.codex/config.toml',
      `model = "scripted-model"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
    ),
};

const copilot: ScenarioOptions = {
  agent: 'copilot',
  resumes: true,
  skips: { 'hostile repository': runsItsCode },
  env: (server) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_BASE_URL: server.url,
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'claude-sonnet-4.6',
  }),
  config: '[copilot]\ndriver = "acp"',
};

test('copilot goes on after a permission was refused: by itself it would end its turn', async (context) => {
  const [first, ...others] = implemented;
  const outside = { '../outside.mjs': 'export {};\n', ...(first?.['write'] as Record<string, string>) };
  const work = await startRun(context, copilot, [{ ...first, write: outside }, ...others]);
  await work.planFirst(planned);
  const asked = work.server.asked.length;
  const ran = await work.change('impl');
  expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, 'complete']);
  const [implementing, reviewing] = work.dispatches().slice(-2);
  expect([implementing?.problem, reviewing?.problem]).toEqual(['', '']);
  expect(work.server.asked.some(({ request }) => request.text.includes('Not permitted:'))).toBe(true);
  const tokens = (implementing?.usage.inputTokens ?? 0) + (reviewing?.usage.inputTokens ?? 0);
  expect(tokens).toBe((work.server.asked.length - asked) * 1_000);
});

for (const subject of [codex, copilot]) {
  agentScenarios(subject);

  test(`${subject.agent} is not started where it would run code of the repository`, async (context) => {
    const work = await startRun(context, subject, planned);
    makeHostile(work.repository);
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(69);
    expect(ran.stderr).toContain('driver = "native"');
    expect(sprung(work.repository)).toEqual([]);
  });
}
