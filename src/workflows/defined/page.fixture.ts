/** A small definition that uses every kind of state, and views of a run of it, for the tests of this folder. */

import { initialSnapshot, type Snapshot } from '../../engine/snapshot.ts';
import type { CheckContext, CommandRun, DispatchContext, DispatchSummary, FileView, RunView } from '../workflow.ts';
import { noGit } from '../no-git.fixture.ts';
import type { WorkflowDefinition } from './definition.ts';
import { machineOf } from './machine-of.ts';

export const page: WorkflowDefinition = {
  name: 'page',
  about: 'Writes a page.',
  begin: 'list',
  roles: {
    writer: { agent: 'claude', writes: ['docs/**'] },
    reviewer: { agent: 'codex', reports: ['approved', 'needs_work'] },
  },
  artifacts: { page: { path: 'docs/{{run}}.md', sections: ['Usage', 'Limits'] }, images: { path: 'docs/{{run}}/' } },
  budgets: { rounds: { limit: 2, scope: 'run' } },
  flags: { seen: ['no', 'yes'] },
  lists: ['parts'],
  commands: ['publish'],
  gates: { out: { of: 'page', guards: ['published'], passedBy: ['accept.good'], confirmedBy: ['same.yes'] } },
  states: {
    list: {
      run: ['node', 'list.mjs'],
      on: { passed: { to: 'draft', load: 'parts' }, failed: 'dropped', empty: 'dropped' },
    },
    draft: {
      role: 'writer',
      prompt: 'prompts/draft.md',
      makes: 'page',
      each: 'parts',
      on: {
        done: [
          { when: { more: 'parts' }, to: 'draft', finish: true },
          { to: 'review', finish: true },
        ],
      },
    },
    review: {
      role: 'reviewer',
      prompt: 'prompts/review.md',
      retryFrom: 'list',
      on: {
        approved: { to: 'accept', set: { seen: 'yes' } },
        needs_work: [{ when: { left: 'rounds' }, to: 'list', spend: 'rounds' }, { to: 'accept' }],
      },
    },
    accept: {
      ask: 'Is it good?',
      answers: { good: 'it is', bad: 'it is not' },
      on: { good: 'idle', bad: 'dropped' },
    },
    idle: { rests: 'needs_person', on: { publish: 'same' } },
    same: { unchanged: 'page', on: { yes: 'published', no: 'accept' } },
    published: { ends: 'done' },
    dropped: { ends: 'failed' },
  },
};

export function filesFrom(files: Readonly<Record<string, string>>): FileView {
  return {
    read: (path) => files[path],
    exists: (path) => Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
    list: (folder) =>
      Object.keys(files)
        .filter((file) => file.startsWith(`${folder}/`))
        .toSorted(),
  };
}

export const goodPage = '# Install\n\n## Usage\n\n## Limits\n';

export function viewOf(
  snapshot: Partial<Snapshot> = {},
  files: Readonly<Record<string, string>> = {},
  history: readonly DispatchSummary[] = [],
): RunView {
  return {
    run: 'install',
    snapshot: { ...initialSnapshot(machineOf(page)), ...snapshot },
    files: filesFrom(files),
    at: '2026-01-01T00:00:00.000Z',
    history,
  };
}

export function contextOf(
  { step, role }: { readonly step: string; readonly role: string },
  view: RunView = viewOf(),
  more: Partial<DispatchContext> = {},
): DispatchContext {
  return { ...view, step, role, agent: 'scripted', dispatch: 'page.install#1', workspace: '/repository', ...more };
}

export function checkContextOf(view: RunView, ran: Partial<CommandRun> = {}): CheckContext {
  return {
    ...view,
    exec: (command) =>
      Promise.resolve({
        command,
        exitCode: 0,
        timedOut: false,
        missing: false,
        output: '',
        outputFile: '/runs/checks/1-node.log',
        ...ran,
      }),
    git: noGit,
    isConfined: () => Promise.resolve(false),
    treeDigest: () => Promise.resolve(''),
    watch: () => Promise.resolve(() => Promise.resolve([])),
    changedFiles: () => Promise.resolve([]),
    diff: () => Promise.resolve(''),
  };
}

export function dispatched(step: string, role: string, signal: string): DispatchSummary {
  return {
    id: `page.install#${step}`,
    role,
    step,
    agent: 'scripted',
    model: null,
    signal,
    at: '2026-01-01T00:00:00.000Z',
    ms: 1,
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
    session: null,
    tree: null,
    problem: null,
  };
}
