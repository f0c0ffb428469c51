import { agentScenarios } from './agent-scenarios.ts';

agentScenarios({
  agent: 'copilot',
  env: (server) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_BASE_URL: server.url,
    COPILOT_PROVIDER_API_KEY: 'dummy',
  }),
  config: '[copilot]\nmodels = [{ name = "claude-sonnet-4.6", max_complexity = "critical" }]',
  resumes: true,
});
