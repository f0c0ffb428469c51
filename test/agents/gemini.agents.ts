import { expect } from 'vitest';
import { agentScenarios } from './agent-scenarios.ts';

agentScenarios({
  agent: 'gemini',
  env: (server) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: server.url }),
  config: '[gemini]\nmodels = [{ name = "gemini-2.5-pro", max_complexity = "critical" }]',
  resumes: true,
  limit: {
    error: { status: 429, message: 'Quota exceeded for this model. Please retry in 3600s.' },
    until: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
  },
});
