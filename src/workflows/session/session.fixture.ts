/** A session in memory, for tests: its documents, and what checks, questions and dispatches see of it. */

import { pendingDecision, type Decision, type Query } from '../../engine/decision.ts';
import { transition, type Signal } from '../../engine/transition.ts';
import { decisionIn } from '../../runtime/answering.ts';
import { withDecisions } from '../../runtime/decisions.ts';
import { initialSnapshot, type Json, type Snapshot, type WorkItem } from '../../engine/snapshot.ts';
import { unknownUsage } from '../../engine/usage.ts';
import type {
  CheckContext,
  CommandRun,
  DispatchContext,
  DispatchSummary,
  EndedDispatch,
  FileView,
  JudgedTree,
  Reading,
  RunView,
} from '../workflow.ts';
import { noGit } from '../no-git.fixture.ts';
import { configPath } from '../workflow-config.ts';
import { renderAcceptance } from './files/acceptance-file.ts';
import { renderTasks, type SessionTask } from './files/tasks-file.ts';
import * as paths from './files/session-paths.ts';
import { writeStatus, type Status } from './files/status-file.ts';
import { machine } from './transition-table.ts';
import { session } from './session.ts';
import type { Context } from './session-words.ts';

export const run = '2026-05-01_csv-export';
export const at = '2026-05-01T10:00:00.000Z';
export const later = '2026-05-01T11:00:00.000Z';

export interface Setting extends Partial<Omit<Snapshot, 'data'>> {
  readonly data?: Readonly<Record<string, Json>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly history?: readonly DispatchSummary[];
  readonly at?: string;
}

export function viewOf({ files = {}, config, history = [], at: now = at, ...snapshot }: Setting = {}): RunView {
  const initial = initialSnapshot(machine);
  return {
    run,
    snapshot: {
      ...initial,
      ...snapshot,
      budgets: { ...initial.budgets, ...snapshot.budgets },
      flags: { ...initial.flags, ...snapshot.flags },
    },
    files: filesOf({ ...files, ...(config !== undefined && { [configPath]: config }) }),
    at: now,
    history,
  };
}

export function filesOf(files: Readonly<Record<string, string>>): FileView {
  const names = Object.keys(files);
  return {
    read: (path) => files[path],
    exists: (path) => names.some((file) => file === path || file.startsWith(`${path}/`)),
    list: (folder) => names.filter((path) => path.startsWith(`${folder}/`)).toSorted(),
  };
}

export interface DispatchSetting extends Setting {
  readonly state: string;
  readonly judged?: JudgedTree;
  readonly hint?: string;
}

/** A dispatch of whoever works in the state; on the first open task where it works on tasks. */
export function dispatchOf({ judged, hint, ...setting }: DispatchSetting): DispatchContext {
  const view = viewOf(setting);
  const state = Object.entries(machine.states).find(([name]) => name === setting.state)?.[1];
  const role = state?.kind === 'dispatch' ? state.role : 'SpecAgent';
  const item = view.snapshot.lists['tasks']?.items[0];
  return {
    ...view,
    step: setting.state,
    role,
    agent: 'scripted',
    dispatch: 'd1',
    workspace: '/repository',
    ...(item && { item }),
    ...(judged && { judged }),
    ...(hint !== undefined && { hint }),
  };
}

export function endedOf(setting: DispatchSetting, changed: readonly string[] = []): EndedDispatch {
  return { ...dispatchOf(setting), changed };
}

export interface CheckSetting extends Setting {
  readonly item?: WorkItem;
  readonly tree?: string;
  /** Once a program has run. */
  readonly treeAfter?: string;
  /** How programs end, by their command line. */
  readonly ends?: Readonly<Record<string, Partial<CommandRun>>>;
  /** Whether programs run in a sandbox. */
  readonly confined?: boolean;
}

/** Everything it was asked to run, in `commands`. */
export function checkOf({
  item,
  tree = 'tree',
  treeAfter = tree,
  ends = {},
  confined = true,
  ...setting
}: CheckSetting): CheckContext & {
  readonly commands: string[];
  readonly timeouts: number[];
} {
  const commands: string[] = [];
  const timeouts: number[] = [];
  return {
    ...viewOf(setting),
    ...(item && { item }),
    commands,
    timeouts,
    exec: (command, { timeoutMs }) => {
      const line = command.join(' ');
      commands.push(line);
      timeouts.push(timeoutMs);
      const usual = {
        command,
        exitCode: 0,
        timedOut: false,
        missing: false,
        output: '',
        outputFile: '/r/checks/1/output.log',
      };
      return Promise.resolve({ ...usual, ...ends[line] });
    },
    git: noGit,
    isConfined: () => Promise.resolve(confined),
    treeDigest: () => Promise.resolve(commands.length === 0 ? tree : treeAfter),
    watch: () => Promise.resolve(() => Promise.resolve(treeAfter === tree ? [] : [`${treeAfter}.txt`])),
    changedFiles: () => Promise.resolve([]),
    diff: () => Promise.resolve(''),
  };
}

export function dispatched(step: string, more: Partial<DispatchSummary> = {}): DispatchSummary {
  return {
    id: 'd0',
    role: 'Reviewer',
    step,
    agent: 'scripted',
    model: null,
    signal: 'passed',
    at,
    ms: 1_000,
    usage: unknownUsage,
    session: null,
    tree: 'tree',
    problem: null,
    ...more,
  };
}

export const tasksList = (...ids: readonly string[]): Snapshot['lists'] => ({
  tasks: { items: ids.map((id) => ({ id, after: [] })), done: [] },
});

export function decisionOf(more: Partial<Decision> = {}): Decision {
  const asked = { at, context: 'IMPLEMENT_LOOP' };
  return { ...pendingDecision('UD-1', { question: 'Which format?' }, asked), ...more };
}

export const answeredDecision = (id: string, answer: string): Decision =>
  decisionOf({ id, status: 'answered', answer, resolvedAt: at });

/** Decisions as the snapshot has them. */
export const ledger = (...decisions: readonly Decision[]): Snapshot['decisions'] =>
  Object.fromEntries(decisions.map((decision) => [decision.id, decision]));

/** A session at a question about these decisions, or about the one the state has itself. */
export function askedOf(
  state: string,
  parts: readonly Query[] = [],
  { title = 'Asked', detail = '', ...setting }: Setting & { readonly title?: string; readonly detail?: string } = {},
): RunView {
  const { snapshot, ...view } = viewOf({ ...setting, state: 'code' });
  const entering = { kind: 'step', delta: { state }, snapshot: { ...snapshot, state }, effect } as const;
  const signal = { name: 'asks', ...(parts.length > 0 && { asks: { title, detail, parts } }) };
  return { ...view, snapshot: withDecisions(machine, snapshot, entering, { signal, at: view.at }).snapshot };
}

const effect = { type: 'rest', outcome: 'needs_person' } as const;

/** The question a session waits with. */
export function questionIn(view: RunView) {
  const { question } = decisionIn(session, view) ?? {};
  if (!question?.freeText) throw new Error(`${view.snapshot.state} asks nothing`);
  return { ...question, freeText: question.freeText };
}

/** What words for one part of it come to. */
export function said(view: RunView, words: string | null, part?: string): Reading {
  const { parts, read } = questionIn(view).freeText;
  return read({ part: part ?? parts[0]?.id ?? '', words, by: 'alice', at: later });
}

/** The session once that is on record. */
export function after(view: RunView, signal: Signal): RunView {
  const step = transition(machine, view.snapshot, signal);
  if (step.kind === 'refusal') throw new Error(`${view.snapshot.state} refuses ${signal.name}`);
  return { ...view, snapshot: withDecisions(machine, view.snapshot, step, { signal, at: later }).snapshot };
}

/** The decision as an answer leaves it. */
export function decided(view: RunView, words: string | null, id = 'UD-1'): Decision | undefined {
  const reading = said(view, words, id);
  return 'signal' in reading ? after(view, reading.signal).snapshot.decisions[id] : undefined;
}

export function taskOf(more: Partial<SessionTask> = {}): SessionTask {
  return {
    id: 'T-001',
    status: 'not-started',
    type: 'feature',
    title: 'Write rows',
    depends_on: [],
    goal: 'Rows become lines',
    non_goals: [],
    context_files: [],
    files_expected: ['src/csv.ts'],
    acceptance_checks: ['cmd: npm test'],
    risk_flags: [],
    done_when: ['a file is written'],
    ...more,
  };
}

export function tasksFile(...tasks: readonly Partial<SessionTask>[]): Readonly<Record<string, string>> {
  const project = { name: 'csv', definition_of_done: ['all tests pass'] };
  return { [paths.tasksPath(run)]: renderTasks({ project, tasks: tasks.map(taskOf) }) };
}

export function statusFile(more: Partial<Status> = {}): Readonly<Record<string, string>> {
  return {
    [paths.statusPath(run)]: writeStatus(undefined, {
      current_state: 'IMPLEMENT_LOOP',
      session: run,
      mode: 'full',
      assumptions: [],
      user_decisions: [],
      gate_tracking: {},
      runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: at },
      retry_counts: {},
      known_issues: [],
      last_ci_result: 'unknown',
      last_update: at,
      ...more,
    }),
  };
}

export const spec =
  '# CSV export\n\n## Goals\nR-1: people get files.\n\n## Acceptance Criteria\nAC-001\n\n## Definition of Done\nTests pass.\n';
export const architecture =
  '# Architecture\n\n## Overview\nOne module for R-1 and AC-001.\n\n## Modules\ncsv.ts writes rows.\n\n## Data flows\nRows to lines.\n\n## Risks\nNone known.\n';
export const criteria = [{ id: 'AC-001', description: 'A file has all rows', verify: ['cmd: npm test'] }];

/** What a full session has when its design is complete. */
export const designFiles: Readonly<Record<string, string>> = {
  [paths.specPath(run)]: spec,
  [paths.acceptancePath(run)]: renderAcceptance(criteria),
  [paths.architecturePath(run)]: architecture,
};

function answeredOnFile(id: string, answer: string, context: Context): Decision {
  return { ...answeredDecision(id, answer), context };
}

/** The same with both gates passed and one task planned. */
export const plannedFiles: Readonly<Record<string, string>> = {
  ...designFiles,
  ...tasksFile({}),
  ...statusFile({
    user_decisions: [
      answeredOnFile('UD-APPROVE-DESIGN', 'approved', 'APPROVE_DESIGN'),
      answeredOnFile('UD-REVIEW-STRATEGY', 'per-batch', 'REVIEW_STRATEGY'),
    ],
  }),
};
