import { agentScenarios } from './agent-scenarios.ts';

agentScenarios({
  agent: 'gemini',
  env: (server) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: server.url }),
  config: '[gemini]\nmodels = [{ name = "gemini-2.5-pro", max_complexity = "critical" }]',
});
