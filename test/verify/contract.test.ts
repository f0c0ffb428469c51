/** Every workflow keeps what the runtime expects of it, by the contract that is published for workflows of one's own. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Agent, DispatchRequest, Launch } from '../../src/agents/agent.ts';
import { scriptedAgent } from '../../src/agents/scripted/scripted.ts';
import { loadDefined } from '../../src/project/load-workflow.ts';
import { newWorkflow } from '../../src/project/new-workflow.ts';
import { agentContract } from '../../src/testing/agent-contract.ts';
import type { Contract } from '../../src/testing/contract.ts';
import { workflowContract } from '../../src/testing/workflow-contract.ts';
import { change } from '../../src/workflows/change/change.ts';
import { session } from '../../src/workflows/session/session.ts';
import type { Workflow } from '../../src/workflows/workflow.ts';
import { root } from '../source-tree.ts';

const example = await loadDefined(join(root, 'examples/docs-review'), 'workflows/docs-review.yaml');
const folder = mkdtempSync(join(tmpdir(), 'pawl-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.each<[string, Workflow, string]>([
  ['change', change, 'a-run'],
  ['session [session/verify/proofs]', session, '2026-01-01_a-run'],
  ['the example', example, 'a-run'],
])('%s', (_, workflow, run) => {
  const contracts = workflowContract(workflow, { run }).map(({ name, check }) => [name, check] as const);
  test.each(contracts)('%s', async (__, check) => {
    await check();
  });
});

/** What a contract says about something that breaks it; undefined when it holds. */
async function broken(contracts: readonly Contract[]): Promise<readonly (string | undefined)[]> {
  return Promise.all(
    contracts.map(async ({ check }) => {
      try {
        await check();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    }),
  );
}

describe('the contract of workflows rejects', () => {
  const routes = { ...example.machine.states };
  test.each<[string, Partial<Workflow>, number, string]>([
    [
      'a refuted machine',
      {
        machine: {
          ...example.machine,
          states: { ...routes, published: { ...routes['published'], kind: 'final', outcome: 'done', on: {} } },
        },
      },
      0,
      'published',
    ],
    [
      'a missing role',
      { roles: { writer: { mayWrite: ['**'], defaultAgent: 'x' } } },
      1,
      'review: there is no role reviewer',
    ],
    ['a missing check', { checks: {} }, 1, 'check: there is no check check'],
    ['a missing question', { questions: {} }, 1, 'accept: there is no question accept'],
    [
      'a role without a tool',
      { dispatching: async () => ({ ...(await example.dispatching()), tools: {} }) },
      2,
      'writer cannot report',
    ],
    ['a command that becomes another signal', { enter: () => ({ name: 'other' }) }, 3, 'new.start becomes "other"'],
    [
      'a refusal without a message',
      { enter: () => ({ code: 'x', message: '', fix: '' }) },
      3,
      'new.start has no message or fix',
    ],
    [
      'an end without a text',
      { summarize: (...args) => ({ ...example.summarize(...args), message: ' ' }) },
      4,
      'there is no text for interrupted in new',
    ],
    [
      'a refusal without a text',
      {
        summarize: (view, rest) => ({
          ...example.summarize(view, rest),
          ...(rest.refusal === 'NothingToUndo' && { message: '' }),
        }),
      },
      4,
      'there is no text for NothingToUndo in new',
    ],
    [
      'a phase that is read back as another',
      { stateFile: (run) => ({ ...example.stateFile(run), identify: () => ({ phase: 'x', updatedAt: '' }) }) },
      5,
      'is read back as another',
    ],
    [
      'a lost comment',
      {
        stateFile: (run) => ({
          ...example.stateFile(run),
          render: (_before, view) => example.stateFile(run).render(undefined, view),
        }),
      },
      5,
      'a comment is lost',
    ],
  ])('%s', async (_, wrong, index, message) => {
    const said = await broken(workflowContract({ ...example, ...wrong }));
    expect(said[index]).toContain(message);
  });
});

test('the workflow that `pawl new workflow` writes satisfies the contract', async () => {
  for (const { path, content } of newWorkflow('notes', 'yaml').filter(({ path: each }) => !each.endsWith('.mjs'))) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const said = await broken(workflowContract(await loadDefined(folder, 'workflows/notes.yaml')));
  expect(said.filter((each) => each !== undefined)).toEqual([]);
});

const executable = new URL('../../dist/scripted-agent.js', import.meta.url).pathname;
const scripted = scriptedAgent({ script: '- role: writer\n', file: 'script.yaml', executable });
const request: DispatchRequest = {
  id: 'docs-review.install#1',
  role: 'writer',
  step: 'draft',
  prompt: 'Write the page, please.',
  workspace: folder,
  folder: join(folder, 'dispatch'),
  tools: { url: 'http://127.0.0.1:1/mcp', token: 'a-secret-token' },
  access: 'write',
  resume: null,
  model: null,
  earlier: [],
};

describe('the scripted agent', () => {
  test.each(agentContract(scripted, request).map(({ name, check }) => [name, check] as const))(
    '%s',
    async (_, check) => {
      await check();
    },
  );
});

describe('the contract of agents rejects', () => {
  let launches = 0;
  const wrongly = (wrong: (launch: Launch) => Partial<Launch>): Agent => ({
    name: 'wrong',
    launch: (given) => {
      const launch = scripted.launch(given);
      return { ...launch, ...wrong(launch) };
    },
  });

  test.each<[string, Agent, number, string]>([
    [
      'a token among the arguments',
      wrongly(({ args }) => ({ args: [...args, 'a-secret-token'] })),
      0,
      'the token is in',
    ],
    ['a prompt among the arguments', wrongly(() => ({ args: ['-p', request.prompt] })), 0, 'the prompt is in'],
    ['an invalid name of a variable', wrongly(() => ({ env: { 'A-B': 'x' } })), 1, 'A-B is no variable'],
    ['a NUL in a variable', wrongly(() => ({ env: { A: 'x\0' } })), 1, 'A has a NUL in it'],
    ['launches that differ', wrongly(() => ({ args: [String((launches += 1))] })), 2, 'two launches differ'],
    [
      'unknown output that is read as an end',
      wrongly(() => ({ output: { line: () => [{ type: 'finished', error: null }] } })),
      3,
      'is read as finished',
    ],
  ])('%s', async (_, agent, index, message) => {
    expect((await broken(agentContract(agent, request)))[index]).toContain(message);
  });
});
