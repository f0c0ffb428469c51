/** The rows of the command/phase table for `impl` and `archive`, and what they leave untouched. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyFile, id, Prepared, setPhase, stateOf, worked } from './prepared.ts';
import {
  ChangeRepository,
  challenge,
  fix,
  implement,
  implemented,
  issue,
  listTasks,
  planned,
  propose,
  review,
  specify,
  type Turn,
} from './scripts.ts';

let approved: Prepared;
let complete: Prepared;

beforeAll(async () => {
  [approved, complete] = await Promise.all([
    Prepared.make(),
    Prepared.make({
      turns: [...planned, ...implemented],
      commands: [
        ['plan', id, 'Greet people'],
        ['impl', id],
      ],
    }),
  ]);
});

afterAll(() => {
  approved.remove();
  complete.remove();
});

test.concurrent('[change/table/impl-complete] complete: says so, suggests archive, exit 0, and nobody works', async () => {
  const change = complete.copy();
  const { code, json, stderr } = await change.change('impl', id);
  expect({ code, ...json }).toMatchObject({
    code: 0,
    action: 'already_complete',
    phase: 'complete',
    next: `pawl change archive ${id}`,
  });
  expect(worked(json)).toHaveLength(2);
  expect(stderr).toMatch(new RegExp(`${id} is complete[^]*Next: pawl change archive ${id}`));
});

test.concurrent('[change/table/impl-complete-review] --review APPROVED: checked and reviewed anew, stays complete', async () => {
  const change = complete.copy([...implemented, review('APPROVED')]);
  const { code, json } = await change.change('impl', id, '--review');
  expect({ code, ...json }).toMatchObject({ code: 0, action: 'implemented', phase: 'complete' });
  expect(worked(json).slice(2)).toEqual(['review:approved']);
  expect(stateOf(change)).toMatchObject({ phase: 'complete', iteration: 2 });
});

test.concurrent.each(['NEEDS_FIX', 'MAJOR_ISSUES'])(
  '[change/table/impl-complete-review] --review %s: implementing again, and no fix is begun unasked',
  async (verdict) => {
    const change = complete.copy([...implemented, review(verdict), fix(), review('APPROVED')]);
    const { code, json } = await change.change('impl', id, '--review');
    expect({ code, ...json }).toMatchObject({ code: 3, action: 'needs_fix', phase: 'implementing', verdict });
    expect(worked(json).slice(2)).toEqual([`review:${verdict.toLowerCase()}`]);
    expect(stateOf(change)['phase']).toBe('implementing');
    expect((await change.change('archive', id)).code).toBe(4);

    const again = await change.change('impl', id);
    expect(worked(again.json).slice(3)).toEqual(['fix:reported', 'review:approved']);
    expect(again.json['phase']).toBe('complete');
  },
);

test.concurrent('[change/table/impl-complete-review] --review that fails leaves complete', async () => {
  const change = complete.copy([...implemented, { role: 'reviewer', fault: 'exit:3' }, review('APPROVED')]);
  change.repository.write('agentd/config.toml', '[workflow]\nscript_retries = 0\nretry_delay_secs = 0\n');
  const { code, json } = await change.change('impl', id, '--review');
  expect([code, json['action'], json['phase']]).toEqual([1, 'failed', 'complete']);
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test.concurrent('--review in implementing: open tasks are done first, and a fix made by hand is reviewed', async () => {
  const change = approved.copy([implement(['1.1']), implement(['1.2']), review('MAJOR_ISSUES'), review('APPROVED')]);
  await change.change('impl', id, '--tasks', '1.1');
  const first = await change.change('impl', id, '--review');
  expect(worked(first.json)).toEqual(['implement:reported', 'implement:reported', 'review:major_issues']);
  change.repository.write('src/1.1.mjs', 'export const made = "by a person";\n');
  const { code, json } = await change.change('impl', id, '--review');
  expect(worked(json).slice(3)).toEqual(['review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
});

test.concurrent('[change/implement/approved-unchanged] set back to implementing by hand, nothing changed: complete again', async () => {
  const change = complete.copy();
  setPhase(change, 'implementing');
  const { code, json } = await change.change('impl', id);
  expect([code, json['action'], json['phase']]).toEqual([0, 'implemented', 'complete']);
  expect(worked(json)).toHaveLength(2);
});

test.concurrent('[change/implement/approved-unchanged] the same with changed code: reviewed again', async () => {
  const change = complete.copy([...implemented, review('APPROVED')]);
  setPhase(change, 'Implementing');
  change.repository.write('src/1.1.mjs', 'export const made = "otherwise";\n');
  const { code, json } = await change.change('impl', id);
  expect(worked(json).slice(2)).toEqual(['review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
});

/** Each leads to its phase and stops there. */
const ways: readonly (readonly [phase: string, turns: readonly Turn[], commands: readonly (readonly string[])[]])[] = [
  ['proposed', [propose(), specify()], [['plan', id, 'Greet people']]],
  ['rejected', [propose(), specify(), listTasks(), challenge('rejected', [issue])], [['plan', id, 'Greet people']]],
  ['challenged', planned, [['plan', id, 'Greet people']]],
  [
    'implementing',
    [...planned, implement(), review('MAJOR_ISSUES')],
    [
      ['plan', id, 'Greet people'],
      ['impl', id],
    ],
  ],
];

test.concurrent.each(ways)(
  '[change/table/impl-other] [change/table/archive-other] %s',
  async (phase, turns, commands) => {
    const change = ChangeRepository.create(turns);
    for (const command of commands) await change.change(...command);
    expect(stateOf(change)['phase']).toBe(phase);
    const before = judged(change);

    const archive = await change.change('archive', id);
    const toArchive = phase === 'challenged' || phase === 'implementing' ? 'impl' : 'plan';
    expect({ code: archive.code, ...archive.json }).toMatchObject({
      code: 4,
      action: 'not_complete',
      phase,
      next: `pawl change ${toArchive} ${id}`,
      diagnostics: [{ code: 'ChangeNotComplete', severity: 'error', fix: `pawl change ${toArchive} ${id}` }],
    });
    const dryRun = await change.change('archive', id, '--dry-run');
    expect([dryRun.code, `${dryRun.stdout}${dryRun.stderr}`]).toEqual([
      4,
      expect.stringContaining('ChangeNotComplete'),
    ]);

    if (phase === 'proposed' || phase === 'rejected') {
      const impl = await change.change('impl', id);
      expect({ code: impl.code, ...impl.json }).toMatchObject({
        code: 4,
        action: 'not_ready',
        phase,
        next: `pawl change plan ${id}`,
        diagnostics: [{ code: 'ChangeNotReady' }],
      });
    }
    expect(judged(change)).toEqual(before);
    change.repository.remove();
  },
);

/** Documents, code and journal; who holds the lease does not matter here. */
function judged({ repository }: ChangeRepository): Map<string, string> {
  const files = [...everyFile(repository.root)];
  return new Map(files.filter(([path]) => !path.startsWith('.git/') || path.endsWith('journal.jsonl')));
}

test.concurrent('[change/table/impl-other] [change/table/archive-again] [change/table/archive-complete] archived: archive again exits 0, impl exits 4', async () => {
  const change = complete.copy();
  const archived = await change.change('archive', id);
  expect({ code: archived.code, ...archived.json }).toMatchObject({
    code: 0,
    action: 'archived',
    phase: 'archived',
    next: `pawl finish ${id}`,
  });
  const before = judged(change);
  const again = await change.change('archive', id);
  expect([again.code, again.json['action'], again.json['phase']]).toEqual([0, 'already_archived', 'archived']);
  const impl = await change.change('impl', id);
  const next = `pawl finish ${id}`;
  expect([impl.code, impl.json['diagnostics'][0].code, impl.json['next']]).toEqual([4, 'ChangeNotReady', next]);
  expect(judged(change)).toEqual(before);
});

test.concurrent('[change/table/impl-other] [change/table/archive-other] unknown: ChangeNotFound, exit 2', async () => {
  const change = approved.copy();
  for (const verb of ['impl', 'archive']) {
    const { code, stdout, stderr } = await change.change(verb, 'gret');
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).toMatch(/ChangeNotFound[^]*did you mean greet/);
  }
  expect((await change.change('archive', 'gret', '--dry-run')).code).toBe(2);
});

test.concurrent.each([
  ['empty', ''],
  ['prose', '# Tasks\n\nFirst the name, then the greeting.\n'],
  ['unnumbered boxes', '---\nchange_id: greet\n---\n\n- [ ] greet people\n'],
])('D7: a task list without a readable task (%s) is no finished one: exit 4, nobody works', async (_, text) => {
  const change = approved.copy(implemented);
  change.repository.write(`agentd/changes/${id}/tasks.md`, text);
  const { code, json } = await change.change('impl', id, '--accept-edits');
  expect([code, json['phase']]).toEqual([4, 'challenged']);
  expect(json['diagnostics'][0].message).toMatch(/tasks\.md:\d+: there is no task/);
  expect(worked(json)).toEqual([]);
});

const olderReview = (ticked: string) => {
  const box = (verdict: string) => `- [${verdict === ticked ? 'x' : ' '}] **${verdict}**`;
  return `# Code Review\n\n## Verdict\n\n${['APPROVED', 'NEEDS_CHANGES', 'MAJOR_ISSUES'].map(box).join('\n')}\n`;
};

/** All tasks done and a review written by somebody else. */
function reviewedElsewhere(turns: readonly Turn[], text: string): ChangeRepository {
  const change = approved.copy(turns);
  const path = `agentd/changes/${id}/tasks.md`;
  change.repository.write(path, change.repository.read(path).replaceAll('status: pending', 'status: completed'));
  change.repository.write(`agentd/changes/${id}/REVIEW.md`, text);
  return change;
}

test.concurrent('D8: a verdict that is ticked counts: NEEDS_CHANGES is fixed first', async () => {
  const change = reviewedElsewhere([fix(), review('APPROVED')], olderReview('NEEDS_CHANGES'));
  const { code, json } = await change.change('impl', id);
  expect([code, json['phase'], ...worked(json)]).toEqual([0, 'complete', 'fix:reported', 'review:approved']);
});

test.concurrent('D8: a review that cannot be read is told and made again', async () => {
  const change = reviewedElsewhere([review('APPROVED')], '# My thoughts\n\nLooks fine to me.\n');
  const { code, json, stderr } = await change.change('impl', id);
  expect([code, json['phase'], ...worked(json)]).toEqual([0, 'complete', 'review:approved']);
  expect(stderr).toContain('REVIEW.md: there is no "## Verdict" section');
});
