import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planned } from '../change/scripts.ts';
import { run } from './agent-run.ts';
import { agentScenarios, startRun } from './agent-scenarios.ts';
import type { ScenarioOptions } from './scenario-options.ts';
import { makeHostile, sprung } from './hostile-repository.ts';

/** It takes dates too, and those are the same for everybody. */
const limitEnds = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 7_200_000);

const opencode: ScenarioOptions = {
  agent: 'opencode',
  env: () => ({}),
  config: '[opencode]\nmodels = [{ name = "scripted/model", max_complexity = "critical" }]',
  tellsCost: true,
  resumes: true,
  limit: {
    error: {
      status: 429,
      message: 'This request would exceed your rate limit.',
      headers: { 'retry-after': limitEnds.toUTCString() },
    },
    until: limitEnds.toISOString(),
  },
  skips: { 'hostile repository': 'plugins of the repository run whatever it is told' },
  prepare: ({ home }, { url }) => {
    const folder = join(home, '.config', 'opencode');
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
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    for (const [name, content] of Object.entries({
      'opencode.json': { enabled_providers: ['scripted'], provider: { scripted } },
      'package.json': plugin,
      'package-lock.json': { lockfileVersion: 3, packages: { '': plugin } },
    }))
      writeFileSync(join(folder, name), JSON.stringify(content));
  },
};

agentScenarios(opencode);

test('of a hostile repository only its plugins run, as the documentation says', async (context) => {
  const work = await startRun(context, opencode, planned);
  makeHostile(work.repository);
  const ran = await work.pawl(['change', 'plan', run, 'Greet people by name']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(sprung(work.repository)).toEqual(['opencode-plugin', 'opencode-plugins']);
});
