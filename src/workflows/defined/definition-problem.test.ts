import { expect, test } from 'vitest';
import type { StateDefinition, WorkflowDefinition } from './definition.ts';
import { definitionProblem } from './definition-problem.ts';
import { page } from './page.fixture.ts';

const withState = (name: string, state: StateDefinition): WorkflowDefinition => ({
  ...page,
  states: { ...page.states, [name]: state },
});

function found(definition: WorkflowDefinition): string | null {
  const problem = definitionProblem(definition);
  return problem && `${problem.path.join('.')}: ${problem.problem}; ${problem.expected}`;
}

test('accepts a definition whose names all exist', () => {
  expect(found(page)).toBe(null);
  expect(found(withState('stopped', { rests: 'failed', on: { retry: 'return' } }))).toBe(null);
});

test.each<[string, WorkflowDefinition, string]>([
  ['a beginning nowhere', { ...page, begin: 'lits' }, 'begin: there is no state "lits"; "list"'],
  [
    'a role nobody plays',
    withState('draft', { role: 'witer', prompt: 'p.md', on: {} }),
    'states.draft.role: there is no role "witer"; "writer"',
  ],
  [
    'a role that no name resembles',
    withState('draft', { role: 'astronaut', prompt: 'p.md', on: {} }),
    'states.draft.role: there is no role "astronaut"; one of writer, reviewer',
  ],
  [
    'a role that every object has',
    withState('draft', { role: 'constructor', prompt: 'p.md', on: {} }),
    'states.draft.role: there is no role "constructor"; one of writer, reviewer',
  ],
  [
    'an advisor nobody plays',
    withState('draft', { role: 'writer', prompt: 'p.md', beside: { role: 'reviwer', prompt: 'p.md' }, on: {} }),
    'states.draft.beside.role: there is no role "reviwer"; "reviewer"',
  ],
  [
    'something made that is not there',
    withState('draft', { role: 'writer', prompt: 'p.md', makes: 'pge', on: {} }),
    'states.draft.makes: there is no artifact "pge"; "page"',
  ],
  [
    'something unchanged that is not there',
    withState('same', { unchanged: 'toString', on: {} }),
    'states.same.unchanged: there is no artifact "toString"; one of page, images',
  ],
  [
    'a gate of something that is not there',
    { ...page, gates: { out: { of: 'pag', guards: ['published'], passedBy: ['accept.good'] } } },
    'gates.out.of: there is no artifact "pag"; "page"',
  ],
  [
    'an artifact where there is none',
    { ...page, artifacts: {} },
    'states.draft.makes: there is no artifact "page"; one that is there; there is none yet',
  ],
  [
    'a stopped that works',
    withState('stopped', { ends: 'failed' }),
    'states.stopped: stopped is where runs stop after faults; a state that rests',
  ],
  [
    'an artifact that hides what prompts name',
    { ...page, artifacts: { ...page.artifacts, description: { path: 'a.md' } } },
    'artifacts.description: {{description}} has another meaning in prompts; another name',
  ],
  [
    'a budget that Pawl keeps itself',
    { ...page, budgets: { retries: { limit: 9, scope: 'run' } } },
    'budgets.retries: Pawl counts the retries itself; retries: at the top',
  ],
  [
    'a command there is already',
    { ...page, commands: ['publish', 'status'] },
    'commands: every workflow has a command "status" already; another name',
  ],
  [
    'a report that could be a fault',
    { ...page, roles: { ...page.roles, writer: { reports: ['done', 'failed'] } } },
    'roles.writer.reports: "failed" is what Pawl calls a fault; another name',
  ],
  [
    'such a report of a state',
    withState('draft', { role: 'writer', prompt: 'p.md', reports: ['interrupted'], on: {} }),
    'states.draft.reports: "interrupted" is what Pawl calls a fault; another name',
  ],
])('%s', (_, definition, expected) => {
  expect(found(definition)).toBe(expected);
});
