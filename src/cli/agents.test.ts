import { describe, expect, test } from 'vitest';
import { AgentUnavailable } from '../agents/agent.ts';
import { agentNames, loadAgent } from './agents.ts';

type Wanted = Parameters<typeof loadAgent>[1];

/** The programs of ours are not built beside the sources, and each adapter names its own: that tells which one was taken. */
async function complaint(name: string, wanted: Partial<Wanted>): Promise<string> {
  const failure = await loadAgent(name, { command: null, driver: null, mcp: [], ...wanted }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(AgentUnavailable);
  return String(failure);
}

test('the names people can use', () => {
  expect(agentNames).toEqual(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'acp', 'command', 'scripted']);
});

describe('who drives an agent', () => {
  test('its own adapter', async () => {
    expect(await complaint('codex', { command: ['/nowhere/codex'] })).toContain('@openai/codex');
  });

  test.each(['claude', 'mine', 'acp'])('the bridge, when %s is to be driven over ACP', async (name) => {
    const said = await complaint(name, { driver: 'acp', command: [process.execPath] });
    expect(said).toContain(`the bridge to ${name} is missing`);
  });

  test.each(['mine', 'command'])('the runner, when %s has a command and nothing else is said', async (name) => {
    expect(await complaint(name, { command: ['true'] })).toContain(`the runner of ${name} is missing`);
  });

  test('nobody, when the name is not known and has no command', async () => {
    expect(await complaint('clade', {})).toContain('did you mean claude?');
    expect(await complaint('toString', {})).toContain('there is no agent "toString"');
  });
});
