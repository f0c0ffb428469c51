import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DocumentError } from '../documents/document-error.ts';
import { dispatchEntries, outputOf, RepositoryFixture, stateYaml } from '../cli/repository.fixture.ts';
import { Problem } from '../cli/problem.ts';
import { statusCommand } from '../cli/status-command.ts';
import type { Json, Snapshot } from '../engine/snapshot.ts';
import { askingWorkflow, withDetails } from '../runtime/asking.fixture.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { canonicalDocuments, planDigest } from '../workflows/change/documents.ts';
import { textDigest } from '../workflows/digest.ts';
import { changeSurface } from '../workflows/change/surface.ts';
import { findRunOf } from './find.ts';
import { isRefusal } from './refusal.ts';
import { statusDocument, statusOf } from './status.ts';

const id = 'add-login';
const folder = `agentd/changes/${id}`;

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

/** The document that scripts get, or the refusal. */
async function facts(run = id): Promise<Record<string, unknown>> {
  const found = findRunOf(fixture.repository, changeSurface, run);
  const known = isRefusal(found) ? found : await statusOf(fixture.repository, found);
  return isRefusal(known) ? { ...known } : statusDocument(known);
}
const status = statusCommand(changeSurface);
const text = () => outputOf(fixture.root, status, { words: [id] });

describe('a change at rest', () => {
  test('shows its phase, verdict, dispatches, usage and next command', async () => {
    const entries = dispatchEntries('change.add-login#1', { step: 'challenge', signal: 'approved', to: 'challenged' });
    fixture.journal(id, { state: 'challenge', data: { verdict: 'APPROVED', planReviews: 1 } }, { entries });
    fixture.write(`${folder}/STATE.yaml`, stateYaml('challenged', { updated_at: '2026-03-01T10:00:03.000Z' }));
    expect(await facts())['toMatchObject']({
      workflow: 'change',
      run: id,
      state: 'challenged',
      phase: 'challenged',
      verdict: 'APPROVED',
      iteration: 1,
      outcome: 'done',
      next: `pawl change impl ${id}`,
      updatedAt: '2026-03-01T10:00:03.000Z',
      decisions: [],
      dispatches: [{ id: 'change.add-login#1', role: 'challenger', step: 'challenge', signal: 'approved', ms: 12_000 }],
      open: null,
      usage: { dispatches: 1, inputTokens: 1_200, outputTokens: 300, costUsd: 0.01, reruns: 0 },
      stale: [],
      edited: null,
      owner: null,
      workspace: fixture.root,
    });
    const lines = (await text()).split('\n');
    expect(lines[0]).toMatch(/^add-login {2}phase challenged, verdict APPROVED, iteration 1, updated /);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}#1 {2}challenger {2}challenge .* approved {2}12s/));
    expect(lines).toContainEqual(expect.stringMatching(/^Used: agent calls 1 of \d+, tokens 1\.5k of /));
    expect(lines.at(-2)).toBe(`Next: pawl change impl ${id}`);
  });

  test('the JSON keys are pinned', async () => {
    fixture.journal(id, { state: 'challenged' });
    const document = JSON.parse(await outputOf(fixture.root, status, { words: [id], flags: { json: true } })) as object;
    expect(Object.keys(document)).toEqual([
      'workflow',
      'run',
      'state',
      'phase',
      'outcome',
      'message',
      'next',
      'until',
      'updatedAt',
      'decisions',
      'dispatches',
      'open',
      'usage',
      'budget',
      'edited',
      'problems',
      'owner',
      'workspace',
      'landed',
      'cast',
      'verdict',
      'iteration',
      'stale',
      'tasks',
    ]);
  });

  test('shows the budgets of the configuration, or those a person raised', async () => {
    fixture.write('agentd/config.toml', '[budget]\ndispatches = 9\ncost_usd = 3\n');
    const raised = { from: 'proposed', signal: 'retry', change: {}, choice: { raised: { costUsd: 8 } } } as const;
    fixture.journal(id, { state: 'proposed' }, { entries: [{ type: 'moved', ...raised }] });
    expect((await facts())['budget']).toMatchObject({
      limits: { dispatches: 9, costUsd: 8 },
      remaining: { dispatches: 9 },
    });
  });

  test('an unreadable configuration does not prevent the status', async () => {
    fixture.write('agentd/config.toml', '[budget\n');
    fixture.journal(id, { state: 'proposed' });
    expect((await facts())['budget']).toBeNull();
    expect(await text()).toContain('Used: agent calls 0, ');
  });

  test('counts open tasks of every format', async () => {
    fixture.journal(id, { state: 'implementing' });
    fixture.write(
      `${folder}/tasks.md`,
      [
        '## 1. Data Layer',
        '### Task 1.1: one\n```yaml\nid: "1.1"\nstatus: completed\n```',
        '### Task 1.2: two\n```yaml\nid: "1.2"\nstatus: in_progress\n```',
        '## 2. Logic',
        '- [x] 2.1 Three\n- [ ] 2.2 Four\n- [ ] 2.3 Five\n  Status: completed',
        '',
      ].join('\n'),
    );
    expect((await facts())['tasks']).toEqual({ open: 2, total: 5 });
    expect(await text()).toContain('2 of 5 tasks are open');
  });
});

describe('an unfinished step', () => {
  const [started] = dispatchEntries('d1', { step: 'challenge', signal: 'approved', to: 'challenged' });
  const entries = started ? [started] : [];

  test('without a process: shown as interrupted, to be resumed', async () => {
    fixture.journal(id, { state: 'challenge' }, { entries });
    expect(await facts())['toMatchObject']({
      state: 'challenge',
      phase: 'proposed',
      outcome: 'interrupted',
      next: `pawl resume ${id}`,
      open: { id: 'd1', role: 'challenger', step: 'challenge', agent: 'codex', model: 'o9' },
      owner: null,
    });
    const shown = await text();
    expect(shown).toContain('add-login was interrupted in challenge; everything finished so far is kept');
    expect(shown).toMatch(
      /interrupted: challenger \(codex\) on challenge, started .*; pawl resume add-login starts it again/,
    );
  });

  test('with a process: names the process', async () => {
    fixture.journal(id, { state: 'challenge' }, { entries });
    const release = fixture.hold(id);
    expect(await facts())['toMatchObject']({
      outcome: null,
      next: `pawl attach ${id}`,
      owner: { pid: process.pid },
    });
    expect(await text()).toContain(`process ${process.pid} on `);
    release();
    expect((await facts())['outcome']).toBe('interrupted');
  });
});

describe('a pending decision', () => {
  const review = [
    '<review iteration="1" reviewer="codex" status="needs_revision" of="plan">',
    '## Summary',
    'Nearly there.',
    '## Issues',
    '### Issue: No upper bound',
    '- **Severity**: Medium',
    '- **Category**: edge case',
    '- **Description**: none',
    '- **Location**: specs/a.md',
    '- **Recommendation**: add one',
    '## Verdict',
    'NEEDS_REVISION',
    '</review>',
  ];
  const proposal = [
    '---',
    `id: ${id}`,
    'type: proposal',
    '---',
    '<proposal>',
    `# Change: ${id}`,
    '</proposal>',
    ...review,
    '',
  ].join('\n');

  function ask(flags: Readonly<Record<string, string>>, judged?: string): void {
    fixture.write(`${folder}/proposal.md`, proposal);
    const judgedPlan = judged ?? planDigest(workspaceFiles(fixture.root), id);
    fixture.journal(id, {
      state: 'ask_revision',
      flags: { high: 'no', repaired: 'no', stalled: 'no', rereview: 'no', ...flags },
      data: { judgedPlan },
    });
  }

  test('is shown with its answers and how to give them', async () => {
    ask({});
    expect(await facts())['toMatchObject']({
      outcome: 'needs_person',
      next: `pawl answer ${id} revision <answer>`,
      decisions: [
        {
          id: 'revision',
          detail: 'Nearly there.\n- Medium: No upper bound',
          answers: { implement_anyway: expect.any(String), continue: expect.any(String) },
          withdrawn: null,
          answerWith: `pawl answer ${id} revision <answer>`,
        },
      ],
    });
    expect(await text()).toMatch(/pawl answer add-login revision continue {2,}one more round/);
  });

  test('offers only the answers that are possible', async () => {
    ask({ high: 'yes' });
    const answers = { continue: expect.any(String) };
    expect((await facts())['decisions']).toEqual([expect.objectContaining({ answers })]);
  });

  test('is withdrawn when the plan was changed since', async () => {
    ask({}, 'sha256:other');
    expect(await facts())['toMatchObject']({
      decisions: [{ withdrawn: 'the plan was changed since it was judged' }],
      message: 'the question was withdrawn: the plan was changed since it was judged',
      next: `pawl change plan ${id}`,
    });
  });

  test('is shown even when its proposal cannot be read', async () => {
    ask({});
    fixture.write(`${folder}/proposal.md`, proposal.replace('status="needs_revision"', 'status="perhaps"'));
    const path = `${folder}/proposal.md`;
    expect((await facts())['decisions']).toMatchObject([
      { id: 'revision', paths: [path], detail: expect.stringContaining(path), answers: { continue: 'continue' } },
    ]);
    expect(await text()).toMatch(/pawl answer add-login revision continue/);
  });
});

describe('STATE.yaml', () => {
  test('an edited phase is shown beside that of the journal', async () => {
    fixture.journal(id, { state: 'implementing' });
    fixture.write(`${folder}/STATE.yaml`, stateYaml('complete'));
    expect(await facts())['toMatchObject']({
      phase: 'implementing',
      edited: { phase: 'complete', journal: 'implementing' },
      next: `pawl change archive ${id}`,
    });
    expect(await text()).toContain('STATE.yaml says complete; the journal says implementing: the next command ');
  });

  test('an earlier projection does not count as an edit', async () => {
    const entries = dispatchEntries('d1', { step: 'challenge', signal: 'approved', to: 'challenged' });
    const before = { type: 'moved', from: 'survey', signal: 'complete', change: { state: 'challenge' } } as const;
    fixture.journal(id, { state: 'survey' }, { entries: [before, ...entries] });
    fixture.write(`${folder}/STATE.yaml`, stateYaml('proposed', { updated_at: '2026-03-01T10:00:02.000Z' }));
    expect(await facts())['toMatchObject']({ phase: 'challenged', edited: null });
    fixture.write(`${folder}/STATE.yaml`, stateYaml('rejected', { updated_at: '2026-03-01T10:00:02.000Z' }));
    expect((await facts())['edited']).toEqual({ phase: 'rejected', journal: 'challenged', adoptable: true });
  });

  test('a mistake in it is shown with its line, beside the phase of the journal', async () => {
    fixture.journal(id, { state: 'implementing' });
    fixture.write(`${folder}/STATE.yaml`, 'change_id: add-login\nphase: finished\n');
    const problem = `${folder}/STATE.yaml:2: phase is "finished"`;
    expect(await facts())['toMatchObject']({ phase: 'implementing', problems: [expect.stringContaining(problem)] });
    expect(await text()).toContain(`! ${problem}`);
  });

  test('a mistake in it is an error without a journal', async () => {
    fixture.write(`${folder}/STATE.yaml`, 'change_id: add-login\nphase: finished\n');
    await expect(facts()).rejects.toThrow(DocumentError);
    await expect(facts()).rejects.toThrow(`${folder}/STATE.yaml:2: phase is "finished"`);
  });

  test('shown without a journal, with a note that there is none', async () => {
    fixture.write(`${folder}/STATE.yaml`, stateYaml('challenged', { verdict: 'APPROVED', iteration: 2 }));
    expect(await facts())['toMatchObject']({
      state: null,
      phase: 'challenged',
      verdict: 'APPROVED',
      iteration: 2,
      outcome: null,
      next: `pawl change impl ${id}`,
      usage: null,
    });
    expect(await text()).toContain('has no journal in this repository');
  });
});

describe('documents changed since they were validated', () => {
  const documents = {
    'proposal.md': '# Change\n',
    'specs/a.md': '# A\n',
    'specs/b.md': '# B\n',
    'tasks.md': '# Tasks\n',
  };

  beforeEach(() => {
    for (const [path, content] of Object.entries(documents)) fixture.write(`${folder}/${path}`, content);
    const now = canonicalDocuments(workspaceFiles(fixture.root), id);
    const lines = [...now].flatMap(([path, content]) => [
      `  ${path}:`,
      `    hash: ${textDigest(content ?? '')}`,
      '    validated_at: 2026-03-01T09:00:00.000Z',
    ]);
    const validations = 'validations:\n  - at: 2026-03-01T09:00:00.000Z\n    valid: true\n';
    fixture.write(`${folder}/STATE.yaml`, `${stateYaml('challenged')}${validations}checksums:\n${lines.join('\n')}\n`);
    fixture.journal(id, { state: 'challenged' });
  });

  test('none', async () => {
    expect((await facts())['stale']).toEqual([]);
  });

  test('an edited proposal makes specs and tasks stale, an edited spec the tasks', async () => {
    fixture.write(`${folder}/proposal.md`, '# Another change\n');
    fixture.write(`${folder}/specs/b.md`, '# Bee\n');
    const validatedAt = '2026-03-01T09:00:00.000Z';
    expect((await facts())['stale']).toEqual([
      { path: 'proposal.md', what: 'edited', validatedAt, later: ['specs/a.md', 'specs/b.md', 'tasks.md'] },
      { path: 'specs/b.md', what: 'edited', validatedAt, later: ['tasks.md'] },
    ]);
    expect(await text()).toContain(
      'proposal.md was edited since the plan was validated: specs/a.md, specs/b.md and tasks.md, made from it, may be stale',
    );
  });

  test('added and removed documents count too; edited tasks make nothing stale', async () => {
    fixture.write(`${folder}/specs/c.md`, '# C\n');
    fixture.write(`${folder}/tasks.md`, '# Other tasks\n');
    expect((await facts())['stale']).toEqual([
      { path: 'specs/c.md', what: 'added', validatedAt: null, later: ['tasks.md'] },
      { path: 'tasks.md', what: 'edited', validatedAt: '2026-03-01T09:00:00.000Z', later: [] },
    ]);
  });
});

describe('finding a change', () => {
  test('an archived one is found, with and without its journal', async () => {
    const archived: Json = 'add-login-2';
    fixture.write('agentd/archive/add-login-2/STATE.yaml', stateYaml('archived', { verdict: 'APPROVED' }));
    fixture.journal(id, { state: 'archived', outcome: 'done', data: { archivedAs: archived } });
    expect(await facts())['toMatchObject']({
      phase: 'archived',
      outcome: 'done',
      next: null,
      edited: null,
    });
    fixture.write('agentd/archive/elsewhere/STATE.yaml', stateYaml('archived'));
    expect(await facts('elsewhere')).toMatchObject({
      state: null,
      phase: 'archived',
      next: null,
    });
  });

  test('one in another work tree is read there', async () => {
    fixture.journal(id, { state: 'implementing' }, { workspace: `${fixture.root}/elsewhere` });
    fixture.write(`elsewhere/${folder}/STATE.yaml`, stateYaml('implementing'));
    fixture.write(`${folder}/STATE.yaml`, stateYaml('complete'));
    expect(await facts())['toMatchObject']({ edited: null, workspace: `${fixture.root}/elsewhere` });
  });

  test('an unknown one is refused, with the nearest id and exit code 2', async () => {
    fixture.write('agentd/changes/add-logout/STATE.yaml', stateYaml('proposed'));
    const message = 'there is no change "add-login"; did you mean add-logout?';
    expect(await facts())['toMatchObject']({ code: 'ChangeNotFound', message });
    await expect(text()).rejects.toMatchObject({ exitCode: 2, message });
  });

  test.each(['..', 'a/b', '/etc', 'a\u0007', 'x'.repeat(300), 'Upper'])(
    'refuses %j as an id without building a path from it',
    async (word) => {
      const refused = outputOf(fixture.root, status, { words: [word] });
      await expect(refused).rejects.toBeInstanceOf(Problem);
      await expect(refused).rejects.toMatchObject({ exitCode: 2, diagnostic: { code: 'InvalidChangeId' } });
    },
  );
});

describe('runs of any workflow', () => {
  const statusIn = (state: string, snapshot: Partial<Snapshot> = {}) => {
    fixture.journal('one', { ...snapshot, state }, { workflow: 'asking' });
    const load = () => Promise.resolve(askingWorkflow);
    const workflows = { ...fixture.repository.workflows, load, read: load };
    return statusOf({ ...fixture.repository, workflows }, { workflow: 'asking', run: 'one' });
  };

  test('shows the question that is asked', async () => {
    expect(await statusIn('choosing')).toMatchObject({
      pending: { id: 'side' },
      status: {
        outcome: 'needs_person',
        decisions: [
          {
            id: 'side',
            title: 'Which side?',
            answers: { left: 'once more', right: 'the end' },
            withdrawn: null,
            answerWith: 'pawl answer one side <answer>',
          },
        ],
      },
    });
  });

  test('shows a free-text question part by part', async () => {
    const { decisions, asked } = withDetails();
    const first = { ...decisions['UD-1']!, status: 'answered', answer: 'a file' } as const;
    expect(await statusIn('asking', { decisions: { ...decisions, 'UD-1': first }, asked })).toMatchObject({
      pending: { id: 'details' },
      status: {
        decisions: [
          { id: 'UD-2', title: 'Who may write?', answerWith: 'pawl answer one UD-2 "<answer>"' },
          { id: 'UD-3', title: 'What shall it be called?' },
        ],
      },
    });
  });

  test('a run without its first command is shown as interrupted', async () => {
    expect(await statusIn('idle')).toMatchObject({
      finished: false,
      status: { phase: null, outcome: 'interrupted', message: 'one was interrupted before it began', decisions: [] },
    });
  });

  test('a run in a final state is finished', async () => {
    expect(await statusIn('done')).toMatchObject({
      finished: true,
      status: { outcome: 'done', message: 'it is done' },
    });
  });

  test('refuses a run in a state that its workflow does not have', async () => {
    await expect(statusIn('gone')).rejects.toThrow('is in the state "gone", which the workflow asking does not have');
  });
});
