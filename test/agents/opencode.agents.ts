import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentScenarios } from './agent-scenarios.ts';

agentScenarios({
  agent: 'opencode',
  env: () => ({}),
  config: '[opencode]\nmodels = [{ name = "scripted/model", max_complexity = "critical" }]',
  tellsCost: true,
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
});
