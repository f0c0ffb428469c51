import { agentScenarios } from './agent-scenarios.ts';

agentScenarios({
  agent: 'claude',
  env: (server) => ({ ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: server.url }),
  tellsCost: true,
});
