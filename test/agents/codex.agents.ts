import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { agentScenarios } from './agent-scenarios.ts';
import type { AgentUnderTest } from './agent-run.ts';
import type { ModelServer } from './model/model-server.ts';

/** A provider of the user's own, as people have them for gateways: the adapter knows none. */
function configure(repository: ScratchRepository, server: ModelServer): void {
  mkdirSync(join(repository.home, '.codex'));
  writeFileSync(
    join(repository.home, '.codex', 'config.toml'),
    `model = "scripted-model"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${server.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`,
  );
}

const codex: AgentUnderTest = { agent: 'codex', env: () => ({ SCRIPTED_KEY: 'dummy' }), prepare: configure };

agentScenarios(codex);
