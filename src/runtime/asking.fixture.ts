/** A workflow that does nothing but ask: for an approval, and then about several things at once. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pendingDecision, type Query } from '../engine/decision.ts';
import { isRecord } from '../schema/values.ts';
import { defineMachine } from '../engine/define-machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import type { FreeQuestion, RunView, Workflow } from '../workflows/workflow.ts';
import { Run } from './run.ts';
import { thisComputer, type Choice, type Person, type PreparedAnswers, type RunEvent, type Host } from './host.ts';
import { scratchStore } from '../../test/scratch-store.ts';

const blocked = { to: 'blocked', remember: true } as const;
const begins = { go: { to: 'approving' }, choose: { to: 'choosing' }, detail: { to: 'asking' } } as const;

const machine = defineMachine({
  initial: 'idle',
  commands: ['go', 'choose', 'detail', 'retry'],
  budgets: {},
  flags: {},
  lists: [],
  artifacts: [],
  gates: {},
  states: {
    idle: {
      kind: 'parked',
      phase: null,
      outcome: 'not_ready',
      on: { ...begins, retry: { refuse: 'NothingToRetry', outcome: 'not_ready' } },
    },
    choosing: {
      kind: 'decide',
      question: 'side',
      on: { left: { to: 'again' }, right: { to: 'done' }, withdrawn: blocked },
    },
    approving: {
      kind: 'decide',
      question: 'approval',
      decision: { id: 'UD-APPROVE', question: 'Is the design fine?' },
      on: {
        approved: { to: 'asking' },
        noted: { to: 'again' },
        given_up: blocked,
        unwritten: blocked,
        withdrawn: blocked,
      },
    },
    asking: {
      kind: 'decide',
      question: 'details',
      on: { noted: { to: 'again' }, answered: { to: 'done' }, unwritten: blocked, withdrawn: blocked },
    },
    blocked: { kind: 'parked', outcome: 'not_ready', on: { ...begins, retry: { to: 'return' } } },
    done: {
      kind: 'final',
      outcome: 'done',
      on: {
        go: { refuse: 'AlreadyDone', outcome: 'done' },
        choose: { refuse: 'AlreadyDone', outcome: 'done' },
        detail: { refuse: 'AlreadyDone', outcome: 'done' },
        retry: { refuse: 'AlreadyDone', outcome: 'done' },
      },
    },
  },
});

const parts: readonly Query[] = [
  { question: 'Which database?', suggestions: ['postgres', 'sqlite'] },
  { question: 'Who may write?', binding: true },
  { question: 'What shall it be called?' },
];

/** A run that has these to ask whenever it comes to them. */
export function withDetails(): Snapshot {
  const decisions = parts.map((part, index) => pendingDecision(`UD-${index + 1}`, part, { at: '', context: 'idle' }));
  return {
    ...initialSnapshot(machine),
    decisions: Object.fromEntries(decisions.map((decision) => [decision.id, decision])),
    asked: { title: 'Some details are open', detail: '', ids: decisions.map(({ id }) => id) },
  };
}

/** What became of each, by its id. */
function answersIn({ snapshot }: RunView): Readonly<Record<string, string>> {
  const resolved = Object.values(snapshot.decisions).filter(({ status }) => status !== 'pending');
  return Object.fromEntries(resolved.map(({ id, answer, reason }) => [id, answer ?? reason ?? '']));
}

const about = { about: 'digest', withdrawn: null, answers: {} };

const approval: FreeQuestion = {
  title: 'Is the design fine?',
  detail: 'Two modules, one file format.',
  about: 'digest',
  paths: ['design.md'],
  suggestions: { approved: 'go on', 'changes-requested: <what>': 'have it corrected' },
  read: (words) => {
    if (words === 'looks good') return { answer: 'approved', signal: 'approved', understood: 'approved' };
    if (words === 'approved') return { answer: words, signal: 'approved' };
    if (!words.startsWith('changes-requested:')) return { unclear: 'say approved, or changes-requested: and what' };
    return { writes: [{ path: 'control/history.txt', content: `${words}\n` }] };
  },
  reAsks: 2,
  onExhausted: { signal: 'given_up', reason: 'no usable answer' },
};

const detailed: FreeQuestion = {
  read: (words, _, { by }) =>
    words === 'huh' ? { unclear: 'that says nothing' } : { answer: words === '' ? words : `${words} (${by})` },
  leave: () => 'answered',
  ownWords: true,
  reAsks: 2,
};

const nothing = (): never => {
  throw new Error('not needed here');
};

export const statePath = 'control/state.json';

export const askingWorkflow: Workflow = {
  name: 'asking',
  machine,
  roles: {},
  writers: [],
  dispatching: () => Promise.reject(new Error('nobody is dispatched')),
  checks: {},
  questions: {
    side: () => ({
      ...about,
      title: 'Which side?',
      detail: '',
      answers: { left: 'once more', right: 'the end' },
      paths: [],
    }),
  },
  decisions: { approval: () => approval, details: () => detailed },
  controlFolder: 'control',
  configPaths: ['control/config.toml'],
  settings: () => ({
    agents: {},
    fallback: [],
    sandbox: { mode: 'off', allow: [], read: [], write: [] },
    modelFor: () => null,
    priced: (_agent, _model, usage) => usage,
    agentOptions: () => ({ command: null, driver: null, mcp: [], env: [] }),
    limits: {},
    spending: { dispatches: 1, tokens: 1, costUsd: 1, wallMs: 1, unknownTokens: 1, unknownCostUsd: 1, crashes: 1 },
    dispatch: { timeoutMs: 1, killGraceMs: 1, outputBytesMax: 1 },
    worktree: { setup: null, copy: [], timeoutMs: 1 },
    retryDelayMs: 1,
    prompts: {},
    notify: { command: null, on: [], bell: false, webhook: null },
    warnings: [],
    notes: [],
  }),
  enter: (name) => ({ name }),
  stateFile: () => ({
    path: () => statePath,
    render: (_, view) =>
      `${JSON.stringify({ phase: view.snapshot.state, updatedAt: view.at, answers: answersIn(view) })}\n`,
    identify: (text) => {
      const { phase, updatedAt } = recordIn(JSON.parse(text));
      return { phase: String(phase), updatedAt: String(updatedAt) };
    },
    adopt: nothing,
  }),
  summarize: ({ snapshot }, { outcome }) => ({
    action: outcome,
    phase: snapshot.state,
    verdict: null,
    message: `it is ${snapshot.state}`,
    next: null,
  }),
  listed: () => ({}),
  nextIn: () => null,
  status: () => ({ keys: {}, title: [], notes: [] }),
  exportTo: () => null,
  undoWrites: () => [],
};

/** A run of it in a folder of its own, with a person who says what they are told to; null is leaving. */
export class AskingRun {
  readonly folder = mkdtempSync(join(tmpdir(), 'pawl-asking-'));
  readonly store = scratchStore(join(this.folder, 'runs'));
  readonly choices: Choice[] = [];
  readonly events: RunEvent[] = [];
  /** What the state file held whenever somebody was asked. */
  readonly shownWhenAsked: string[] = [];
  run: Run;
  readonly #words: readonly (string | null)[] | null;
  readonly #prepared: PreparedAnswers | undefined;

  /** Without words nobody is there. */
  constructor(words: readonly (string | null)[] | null, prepared?: PreparedAnswers) {
    this.#words = words;
    this.#prepared = prepared;
    mkdirSync(join(this.folder, 'control'));
    this.run = this.open();
  }

  open(person: Person | null = this.#person(), prepared = this.#prepared): Run {
    const host: Host = {
      ...thisComputer,
      agent: () => Promise.reject(new Error('no agent here')),
      installed: () => [],
      toolServer: () => Promise.reject(new Error('no tools here')),
      person,
      ...(prepared && { prepared }),
      observe: (event) => this.events.push(event),
      now: () => Date.now(),
      sleep: () => Promise.resolve(),
      interrupted: new AbortController().signal,
      user: 'ada',
    };
    const { folder } = this;
    const place = {
      workflow: askingWorkflow,
      run: 'x',
      store: this.store,
      workspace: folder,
      commonDir: folder,
    };
    this.run = Run.open(place, host, { input: {}, limits: {}, snapshot: withDetails() });
    return this.run;
  }

  get stateText(): string {
    return readFileSync(join(this.folder, statePath), 'utf8');
  }

  /** The person's answers on record: decision, words, how. */
  get answers(): unknown[][] {
    return this.run.records.flatMap((record) => {
      const answered = record.type === 'moved' ? record.change.data?.['answered'] : undefined;
      if (record.type !== 'moved' || answered === undefined) return [];
      const { decision, answer } = recordIn(answered);
      return [[decision, answer, record.by?.how]];
    });
  }

  remove(): void {
    this.run.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #person(): Person | null {
    if (!this.#words) return null;
    const words = [...this.#words];
    return {
      ask: (choice) => {
        this.choices.push(choice);
        this.shownWhenAsked.push(this.stateText);
        const [next] = words.splice(0, 1);
        if (next === undefined) throw new Error(`nothing is left to say to ${choice.id}`);
        return Promise.resolve(next);
      },
    };
  }
}

function recordIn(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new Error(`found ${JSON.stringify(value)} where an object should be`);
}
