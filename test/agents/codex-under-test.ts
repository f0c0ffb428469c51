/** Codex with a provider of the user's own, as people have them for gateways: the adapter knows none. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import type { AgentUnderTest } from './agent-run.ts';

export function codexUnderTest(
  more: { model?: string; lines?: (repository: ScratchRepository) => string } = {},
): AgentUnderTest {
  const { model = 'scripted-model', lines = () => '' } = more;
  return {
    agent: 'codex',
    env: () => ({ SCRIPTED_KEY: 'dummy' }),
    prepare: (repository, server) => {
      mkdirSync(join(repository.home, '.codex'));
      writeFileSync(
        join(repository.home, '.codex', 'config.toml'),
        `model = "${model}"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${server.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

${lines(repository)}
`,
      );
    },
  };
}
