import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { initialSnapshot } from '../../engine/snapshot.ts';
import { unknownUsage, type Usage } from '../../engine/usage.ts';
import { openingOf } from '../../runs/caller.ts';
import { resultOf, type WorkResult } from '../../runs/run-command.ts';
import type { Rest } from '../../runtime/drive.ts';
import { Run } from '../../runtime/run.ts';
import { thisComputer, type Host } from '../../runtime/host.ts';
import { change } from '../../workflows/change/change.ts';
import { question } from './event-samples.fixture.ts';
import { linePresenter } from './presenter.ts';
import { noticeLines, resultDocument, showResult } from './result.ts';
import { screenOf } from './screen.ts';
import { scratchStore } from '../../../test/scratch-store.ts';

const done: Rest = { outcome: 'done', refusal: null, decision: null };
const asking: Rest = {
  outcome: 'needs_person',
  refusal: null,
  decision: { id: 'revision', question, options: ['continue', 'view'] },
};
const cheap: Usage = { inputTokens: 1_200, outputTokens: 300, costUsd: 0.01 };

let folder: string;
let runs: Run[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-result-'));
  mkdirSync(join(folder, 'agentd'));
});
afterEach(() => {
  for (const run of runs) run.close();
  runs = [];
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function runIn(state: string, config = ''): Run {
  writeFileSync(join(folder, 'agentd/config.toml'), config);
  const host: Host = {
    ...thisComputer,
    agent: () => Promise.reject(new Error('no agent here')),
    installed: () => [],
    toolServer: () => Promise.reject(new Error('no tools here')),
    person: null,
    observe: () => {},
    now: () => Date.now(),
    sleep: () => Promise.resolve(),
    interrupted: new AbortController().signal,
    user: 'ada',
  };
  const place = {
    workflow: change,
    run: 'x',
    store: scratchStore(join(folder, 'runs')),
    workspace: folder,
    commonDir: folder,
  };
  const snapshot = { ...initialSnapshot(change.machine), state };
  const run = Run.open(place, host, { input: {}, limits: {}, snapshot });
  runs.push(run);
  return run;
}

/** One dispatch of the run, as the journal has it. */
function dispatched(run: Run, usage: Usage, signal: string): void {
  const id = `change.x#${run.state.spent.dispatches + 1}`;
  const { state } = run.state.snapshot;
  const step = { step: state, agent: 'codex', model: 'gpt-5', prompt: '', tree: 't', digest: 'd' };
  run.append({ type: 'dispatch.started', id, role: 'challenger', ...step });
  const end = { id, ms: 1_500, usage, session: null, model: null, tree: 't', digest: 'd' };
  const moved = run.move({ name: signal }, { dispatch: end });
  expect(moved.kind).toBe('step');
  // A repeated challenge is validated again first.
  if (run.state.snapshot.state === 'validate') run.move({ name: 'valid' });
}

function result(run: Run, rest: Rest): WorkResult {
  return resultOf(run, rest, { offers: false, end: null });
}

function shown(show: (presenter: ReturnType<typeof linePresenter>) => void): string {
  const stream = new PassThrough();
  show(linePresenter(screenOf(stream, { LANG: 'C.UTF-8' })));
  return String(stream.read() ?? '');
}

describe('before the first dispatch', () => {
  test('role, agent and model, the worst case and what is left of the budgets', async () => {
    const run = runIn('propose', '[codex]\nmodels = [{ name = "gpt-5", max_complexity = "critical" }]\n');
    expect(await opening(run, undefined)).toBe(
      `  planner      gemini  (its default model)
  challenger   codex   up to gpt-5
  implementer  claude  (its default model)
  author       claude  (its default model)
  reviewer     codex   up to gpt-5
  archivist    claude  (its default model)
  agent calls  at most 15 + 6·specs (69 + 24·specs with retries)
  budget left  60 agent calls, 20M tokens, $50.00, 8h 00m of agent time
  sandbox      none (PAWL_SANDBOX is off)
`,
    );
  });

  test('one agent for all, and plainly when it is scripted', async () => {
    expect(await opening(runIn('review'), 'scripted')).toMatch(
      /^ {2}every role {3}scripted {2}\(plays a script, calls no model\)\n {2}agent calls {2}at most 5 .*\n {2}budget left .*\n {2}sandbox .*\n$/,
    );
  });
});

async function opening(run: Run, agent: string | undefined): Promise<string> {
  const notice = { kind: 'opening', opening: await openingOf(run, { ...(agent !== undefined && { agent }) }) } as const;
  return shown((presenter) => noticeLines(notice, presenter.style).forEach((line) => presenter.say(line)));
}

describe('the result', () => {
  test('is the summary, what the run used, and the next command; the exit code follows the outcome', () => {
    const run = runIn('challenge');
    dispatched(run, cheap, 'approved');
    let code: number | undefined;
    const here = { ...result(run, done), workspace: process.cwd() };
    const text = shown((presenter) => (code = showResult(here, { json: false, presenter })));
    const { message, next } = change.summarize(run.view(), { outcome: 'done', refusal: null });
    expect(text).toBe(`\n✓ ${message}\n  1 agent call · 1.5k tokens · $0.010 · 1.5s\n\nNext: ${next}\n`);
    expect(code).toBe(0);
  });

  test('[DEF-28] names the folder that paths belong to, where that is another one', () => {
    const other = mkdtempSync(join(tmpdir(), 'pawl-other-'));
    const there = { ...result(runIn('challenge'), done), workspace: other };
    const text = shown((presenter) => showResult(there, { json: false, presenter }));
    expect(text).toContain(`\n  in ${relative(process.cwd(), other)}\n`);
    rmSync(other, { recursive: true });
    expect(shown((presenter) => showResult(there, { json: false, presenter }))).not.toContain('  in ');
  });

  test.each([
    [[cheap, unknownUsage], '2 agent calls · 1.5k tokens, unknown for 1 of 2 · $0.010, unknown for 1 of 2 · 3.0s'],
    [[unknownUsage], '1 agent call · tokens unknown · cost unknown · 1.5s'],
  ])('says what is unknown: %#', (usages, totals) => {
    const run = runIn('challenge');
    for (const usage of usages) {
      dispatched(run, usage, 'failed');
    }
    expect(shown((presenter) => showResult(result(run, done), { json: false, presenter }))).toContain(totals);
  });

  test('a pending decision comes with what to read and a command for each answer', () => {
    const run = runIn('ask_revision');
    let code: number | undefined;
    const text = shown((presenter) => (code = showResult(result(run, asking), { json: false, presenter })));
    expect(text).toContain(`
? The plan still needs a revision
  The length is not checked.
  read  agentd/changes/x/proposal.md
        agentd/changes/x/tasks.md
  pawl answer x revision continue  one more round
`);
    expect(text).not.toContain('revision view');
    expect(code).toBe(3);
  });

  test('a refusal is told in the words of the workflow', () => {
    const run = runIn('proposed');
    const refusal = { kind: 'refusal', reason: 'ChangeNotReady', outcome: 'not_ready' } as const;
    const rest = { outcome: 'not_ready', refusal, decision: null } as const;
    let code: number | undefined;
    const text = shown((presenter) => (code = showResult(result(run, rest), { json: false, presenter })));
    expect(text).toContain('! x is not ready to be implemented: its phase is proposed');
    expect(text).toContain('Next: pawl change plan x');
    expect(code).toBe(4);
  });

  test('with --json exactly one document is on stdout, and people still read the same', () => {
    const run = runIn('challenged');
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const text = shown((presenter) => showResult(result(run, done), { json: true, presenter }));
    vi.restoreAllMocks();
    expect(JSON.parse(written.join(''))).toMatchObject({ run: 'x', outcome: 'done', exitCode: 0 });
    expect(text).toContain('Next: pawl change impl x');
  });
});

describe('the document', () => {
  const documentOf = (run: Run, rest: Rest) => resultDocument(result(run, rest));

  test('has these keys: scripts rely on them', () => {
    const run = runIn('challenge', '[workflow]\nplaning_iterations = 3\n');
    dispatched(run, cheap, 'failed');
    expect(documentOf(run, asking)).toEqual({
      workflow: 'change',
      run: 'x',
      state: 'challenge',
      phase: 'proposed',
      verdict: null,
      action: expect.any(String),
      outcome: 'needs_person',
      exitCode: 3,
      next: expect.any(String),
      until: null,
      decisions: [
        {
          id: 'revision',
          title: 'The plan still needs a revision',
          detail: 'The length is not checked.',
          answers: { continue: 'one more round' },
          paths: ['agentd/changes/x/proposal.md', 'agentd/changes/x/tasks.md'],
        },
      ],
      dispatches: [
        {
          id: 'change.x#1',
          role: 'challenger',
          step: 'challenge',
          agent: 'codex',
          model: 'gpt-5',
          signal: 'failed',
          ms: 1_500,
          usage: { inputTokens: 1_200, outputTokens: 300, costUsd: 0.01 },
          problem: null,
        },
      ],
      checks: [],
      usage: {
        dispatches: 1,
        reruns: 0,
        inputTokens: 1_200,
        outputTokens: 300,
        costUsd: 0.01,
        unknownTokens: 0,
        unknownCost: 0,
        wallMs: 1_500,
      },
      budget: {
        limits: { dispatches: 60, tokens: 20_000_000, costUsd: 50, wallMs: 28_800_000 },
        remaining: { dispatches: 59, tokens: 19_998_500, costUsd: 49.99, wallMs: 28_798_500 },
      },
      worktree: null,
      diagnostics: [
        {
          severity: 'warning',
          code: 'UnknownSetting',
          message: expect.stringContaining('planning_iterations'),
          target: 'agentd/config.toml',
          fix: null,
        },
        {
          severity: 'warning',
          code: expect.any(String),
          message: expect.any(String),
          target: null,
          fix: expect.any(String),
        },
      ],
    });
  });

  test('sums of money carry no binary dust', () => {
    const run = runIn('challenge');
    for (const costUsd of [0.1, 0.2]) dispatched(run, { ...cheap, costUsd }, 'failed');
    const { usage, budget } = documentOf(run, done);
    expect([usage.costUsd, budget.remaining.costUsd]).toEqual([0.3, 49.7]);
  });

  test('what no dispatch told is null, not zero', () => {
    const run = runIn('challenge');
    dispatched(run, unknownUsage, 'failed');
    expect(documentOf(run, done).usage).toMatchObject({
      inputTokens: null,
      outputTokens: null,
      costUsd: null,
      unknownCost: 1,
    });
  });

  test('a refusal is an error with its reason; success has nothing to report', () => {
    const run = runIn('proposed');
    const refusal = { kind: 'refusal', reason: 'ChangeNotReady', outcome: 'not_ready' } as const;
    expect(documentOf(run, { outcome: 'not_ready', refusal, decision: null }).diagnostics).toEqual([
      {
        severity: 'error',
        code: 'ChangeNotReady',
        message: 'x is not ready to be implemented: its phase is proposed',
        target: null,
        fix: 'pawl change plan x',
      },
    ]);
    expect(documentOf(run, done)).toMatchObject({ decisions: [], dispatches: [], diagnostics: [] });
  });
});

describe('a question that is answered in own words', () => {
  const parts = [
    { id: 'UD-1', text: 'Which database?', answers: { 'use "sqlite"': 'a file' }, required: false },
    { id: 'UD-2', text: 'Who may write?', answers: {}, required: true },
  ];
  const freeText = { parts, ownWords: true, read: () => ({ unclear: '' }), reAsks: 3, onExhausted: null };
  const free = { ...question, title: 'Two things are open', detail: 'They matter.', answers: {}, freeText };
  const rest: Rest = { ...asking, decision: { id: 'details', question: free, options: ['answered', 'noted'] } };

  test('is shown as its open decisions, each with the commands that answer it', () => {
    const text = shown((presenter) => showResult(result(runIn('challenged'), rest), { json: false, presenter }));
    expect(text).toContain(`
? Two things are open
  They matter.
  read  agentd/changes/x/proposal.md
        agentd/changes/x/tasks.md

  Which database?
  pawl answer x UD-1 "use \\"sqlite\\""  a file
  pawl answer x UD-1 "<answer>"        in your own words

  Who may write?
  pawl answer x UD-2 "<answer>"
`);
    expect(text).not.toContain('noted');
  });

  test('is in the document as one decision for each part', () => {
    const { paths } = question;
    expect(resultDocument(result(runIn('challenged'), rest)).decisions).toEqual([
      {
        id: 'UD-1',
        title: 'Which database?',
        detail: 'Two things are open\nThey matter.',
        answers: { 'use "sqlite"': 'a file' },
        paths,
      },
      { id: 'UD-2', title: 'Who may write?', detail: 'Two things are open\nThey matter.', answers: {}, paths },
    ]);
  });
});
