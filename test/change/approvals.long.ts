/** Approvals are bound to what was approved: the plan for `impl`, the code for `archive`. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { appendTo, folderOf, id, Prepared, setPhase, stateOf, worked } from './prepared.ts';
import {
  challenge,
  implement,
  implemented,
  issue,
  listTasks,
  planned,
  propose,
  review,
  specify,
  ChangeRepository,
  config,
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

const journalOf = ({ repository }: ChangeRepository): string =>
  readFileSync(join(repository.runFolder('change', id), 'journal.jsonl'), 'utf8');

/** An edit a reader of the plan would notice. */
const edits: readonly (readonly [file: string, edit: (text: string) => string])[] = [
  ['proposal.md', (text) => text.replace('A greeting without a name is cold.', 'Nobody knows why.')],
  ['specs/greeting.md', (text) => text.replace('contains the name', 'contains the whole name')],
  ['tasks.md', (text) => text.replace('Write it.', 'Write it in another language.')],
  // [D5] What the specs are merged against is approved with them.
  ['base/greeting.md', (text) => `${text}# Another past\n`],
];

test.concurrent.each(edits)(
  '[change/approval/impl-refuses-edited-plan] %s edited: exit 4, nobody works; --accept-edits goes on and is recorded as a person’s decision',
  async (file, edit) => {
    const change = approved.copy(implemented);
    const path = `${folderOf()}/${file}`;
    change.repository.write(path, edit(change.repository.read(path)));
    const refused = await change.change('impl', id);
    expect({ code: refused.code, ...refused.json }).toMatchObject({
      code: 4,
      action: 'plan_edited',
      phase: 'challenged',
      next: `pawl change plan ${id}`,
    });
    expect(worked(refused.json)).toEqual([]);
    expect(stateOf(change)['phase']).toBe('challenged');

    const accepted = await change.change('impl', id, '--accept-edits');
    expect([accepted.code, accepted.json['phase']]).toEqual([0, 'complete']);
    expect(journalOf(change)).toMatch(/"signal":"accepted".*"approvedPlan":\{"digest":"sha256:\w+","by":"person"/);
    expect((await change.change('archive', id)).json['phase']).toBe('archived');
  },
);

test.concurrent('[change/approval/bound-to-plan] plan after an edit: proposed and challenged again, then impl goes on', async () => {
  const change = approved.copy([...planned, challenge('approved'), ...implemented]);
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\n## Notes\n\nBe quick.\n');
  const again = await change.change('plan', id);
  expect(again.json['dispatches'].map(({ step }: { step: string }) => step).slice(4)).toEqual(['challenge']);
  expect([again.code, again.json['phase']]).toEqual([0, 'challenged']);
  expect((await change.change('impl', id)).json['phase']).toBe('complete');
});

test.concurrent('[change/approval/bound-to-plan] review blocks, task status and line ends are no edits of the plan', async () => {
  const change = approved.copy(implemented);
  const proposal = `${folderOf()}/proposal.md`;
  const tasks = `${folderOf()}/tasks.md`;
  appendTo(
    change,
    proposal,
    '\n<review iteration="2" reviewer="a person" status="approved" of="plan">\n\n## Summary\n\nFine.\n\n</review>\n',
  );
  change.repository.write(
    tasks,
    change.repository.read(tasks).replace('status: pending', 'status: in_progress').replaceAll('\n', '\r\n'),
  );
  const { code, json } = await change.change('impl', id);
  expect([code, json['phase']], json['diagnostics']?.[0]?.message).toEqual([0, 'complete']);
});

test.concurrent('[change/approval/impl-refuses-edited-plan] edited while implementing: refused too', async () => {
  const change = approved.copy([implement(['1.1']), implement(['1.2']), review('APPROVED')]);
  await change.change('impl', id, '--tasks', '1.1');
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\n## Notes\n\nBe quick.\n');
  for (const flags of [[], ['--review']]) {
    const { code, json } = await change.change('impl', id, ...flags);
    expect([code, json['action'], json['phase']]).toEqual([4, 'plan_edited', 'implementing']);
    expect(json['next']).toBe(`pawl change impl ${id} --accept-edits`);
  }
  expect((await change.change('impl', id, '--accept-edits')).json['phase']).toBe('complete');
});

test.concurrent('accepted edits that nobody can read are named with file and line, and nobody works', async () => {
  const change = approved.copy(implemented);
  const path = `${folderOf()}/tasks.md`;
  change.repository.write(path, change.repository.read(path).replace('action: CREATE', 'action: INVENT'));
  const { code, json } = await change.change('impl', id, '--accept-edits');
  expect([code, json['action'], worked(json)]).toEqual([4, 'plan_invalid', []]);
  expect(json['diagnostics'][0].message).toMatch(/tasks\.md:\d+: .*INVENT/);
});

test.concurrent.each([
  ['a file of the change', (change: ChangeRepository) => appendTo(change, 'src/1.1.mjs', '// later\n')],
  ['another file', (change: ChangeRepository) => change.repository.write('src/new.mjs', '')],
  ['a deleted file', (change: ChangeRepository) => void change.repository.git('rm', '--quiet', 'src/greet.mjs')],
])(
  '[change/approval/archive-refuses-changed-code] %s changed after the review: exit 4, naming impl --review',
  async (_, edit) => {
    const change = complete.copy([...implemented, review('APPROVED')]);
    edit(change);
    const refused = await change.change('archive', id);
    expect({ code: refused.code, ...refused.json }).toMatchObject({
      code: 4,
      action: 'code_changed',
      phase: 'complete',
      next: `pawl change impl ${id} --review`,
    });
    expect(refused.json['diagnostics'][0].message).toContain('impl --review');
    expect(change.repository.exists('agentd/specs/greeting.md')).toBe(false);

    expect((await change.change('impl', id, '--review')).code).toBe(0);
    expect((await change.change('archive', id)).json['phase']).toBe('archived');
  },
);

test.concurrent('[change/approval/archive-refuses-changed-code] committing is no change; the documents of the workflow are no code', async () => {
  const change = complete.copy();
  change.repository.write('agentd/project.md', '# A project\n');
  change.repository.git('add', '--all');
  change.repository.git('commit', '--quiet', '--message=greet');
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test.concurrent('a plan edited after the review is not archived', async () => {
  const change = complete.copy();
  const path = `${folderOf()}/specs/greeting.md`;
  const before = change.repository.read(path);
  appendTo(change, path, '\n### R9: Smuggled in\n\nNobody judged this.\n');
  const refused = await change.change('archive', id);
  expect([refused.code, refused.json['action'], refused.json['phase']]).toEqual([4, 'plan_edited', 'complete']);
  change.repository.write(path, before);
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

/** A check of the project that edits a spec of the plan, as a person may do meanwhile. */
const editsPlan = `[checks]\ntest = ["node", "-e", "require('fs').appendFileSync('${folderOf()}/specs/greeting.md', 'Edited.')"]`;

test.concurrent('[trial 2 B1] a plan edited while the checks run: the code is not judged by it', async () => {
  const change = approved.copy([...planned, ...implemented, review('APPROVED')]);
  change.repository.write('agentd/config.toml', config.replace(/\[checks\]\n.*$/m, editsPlan));
  const refused = await change.change('impl', id);
  expect([refused.code, refused.json['action'], refused.json['phase']]).toEqual([4, 'plan_edited', 'implementing']);
  expect(worked(refused.json)).not.toContain('review:approved');
  expect(refused.json['next']).toBe(`pawl change impl ${id} --accept-edits`);
  change.repository.write('agentd/config.toml', config);
  expect((await change.change('impl', id, '--accept-edits')).json['phase']).toBe('complete');
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test.concurrent('[trial 2 B1] where git ignores the plan, an edit during the review is seen as well', async () => {
  const change = ChangeRepository.create([...planned, implement()], config);
  onTestFinished(() => change.repository.remove());
  change.repository.write('.gitignore', 'agentd/\n');
  const first = await change.change('plan', id, 'Greet people');
  expect(first.code, first.stderr).toBe(0);
  const path = `${folderOf()}/specs/greeting.md`;
  const edited = { ...review('APPROVED'), write: { [path]: '# Another spec\n' } };
  change.script([...planned, implement(), edited, review('APPROVED')]);
  const { json, stderr } = await change.change('impl', id);
  expect(stderr).toContain(`the reviewer, which may change none, was judging them (${path}, put back)`);
  expect(worked(json).filter((step) => step.startsWith('review'))).toEqual(['review:out_of_bounds', 'review:approved']);
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test.concurrent('[trial 2 B1] a fresh review of an edited plan is refused unless the edit is accepted', async () => {
  const change = complete.copy([...planned, ...implemented, review('APPROVED')]);
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\nOne more word.\n');
  const refused = await change.change('impl', id, '--review');
  expect([refused.code, refused.json['phase'], refused.json['next']]).toEqual([
    4,
    'complete',
    `pawl change impl ${id} --review --accept-edits`,
  ]);
  expect((await change.change('impl', id, '--review', '--accept-edits')).json['phase']).toBe('complete');
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

test.concurrent('[change/approval/phase-by-hand] past a gate: only when confirmed; then it approves what is there now, on record', async () => {
  const settings = '[workflow]\nplanning_iterations = 0\nretry_delay_secs = 0\n[checks]\ntest = false\n';
  const turns = [propose(), specify(), listTasks(), challenge('rejected', [issue]), ...implemented];
  const prepared = await Prepared.make({ settings, commands: [] });
  const change = prepared.copy(turns);
  expect((await change.change('plan', id, 'Greet people')).code).toBe(3);

  setPhase(change, 'challenged');
  const asked = await change.change('impl', id);
  expect(asked.code).toBe(3);
  expect(`${asked.stdout}${asked.stderr}`).toMatch(/approval of the plan[^]*--edits keep/);
  expect(journalOf(change)).not.toContain('state.edited');

  const confirmed = await change.change('impl', id, '--edits', 'keep');
  expect([confirmed.code, confirmed.json['phase']]).toEqual([0, 'complete']);
  expect(journalOf(change)).toMatch(/"type":"state\.edited","phase":"challenged".*"how":"edit"/);
  prepared.remove();
});

test.concurrent('[change/approval/phase-by-hand] --edits discard puts the recorded phase back', async () => {
  const change = approved.copy();
  setPhase(change, 'complete');
  expect((await change.change('archive', id)).code).toBe(3);
  const { code, json } = await change.change('archive', id, '--edits', 'discard');
  expect([code, json['phase']]).toEqual([4, 'challenged']);
  expect(stateOf(change)['phase']).toBe('challenged');
});

test.concurrent('[change/approval/phase-by-hand] complete by hand vouches for the code as it is now, and for no other', async () => {
  const change = approved.copy();
  change.repository.write('src/by-hand.mjs', 'export {};\n');
  setPhase(change, 'complete');
  expect((await change.change('impl', id, '--edits', 'keep')).json['action']).toBe('already_complete');
  change.repository.write('src/by-hand.mjs', 'export default 1;\n');
  expect((await change.change('archive', id)).json['action']).toBe('code_changed');
  change.repository.write('src/by-hand.mjs', 'export {};\n');
  expect((await change.change('archive', id)).json['phase']).toBe('archived');
});

/** A step that cannot be had, at once and without retries. */
const broken = (role: string, step: string) => ({ role, step, fault: 'crash' });
const withoutRetries = '[workflow]\nscript_retries = 0\n';

test.concurrent('[change/approval/impl-refuses-edited-plan] retry of a failed implementer after an edit: refused, and goes on once the edit is taken back', async () => {
  const change = approved.copy([broken('implementer', 'implement'), ...implemented]);
  change.repository.write('agentd/config.toml', withoutRetries);
  expect((await change.change('impl', id)).code).toBe(1);
  const spec = `${folderOf()}/specs/greeting.md`;
  const before = change.repository.read(spec);
  appendTo(change, spec, '\n## Notes\n\nBe quick.\n');
  const refused = await change.pawl('retry', id);
  expect([refused.code, refused.json['action'], refused.json['phase']]).toEqual([4, 'plan_edited', 'implementing']);
  expect(worked(refused.json)).toHaveLength(1);

  change.repository.write(spec, before);
  const again = await change.pawl('retry', id);
  expect([again.code, again.json['phase']]).toEqual([0, 'complete']);
});

test.concurrent('[change/approval/archive-refuses-changed-code] a fresh review that failed does not lead back into an archive', async () => {
  const change = complete.copy([...planned, ...implemented, broken('reviewer', 'review'), review('APPROVED')]);
  change.repository.write('agentd/config.toml', withoutRetries);
  const failed = await change.change('impl', id, '--review');
  expect([failed.code, failed.json['phase']]).toEqual([1, 'complete']);
  change.repository.write('src/greet.js', 'export const other = 1;\n');
  expect((await change.change('archive', id)).code).toBe(4);
  const again = await change.pawl('retry', id);
  expect([again.code, again.json['phase']]).toEqual([4, 'complete']);
});

test('[D24] impl --accept-edits on a complete change that nobody edited spends no review', async () => {
  const change = complete.copy();
  const { code, json } = await change.change('impl', id, '--accept-edits');
  expect([code, json['action'], json['phase']]).toEqual([0, 'already_complete', 'complete']);
});

test('[D5] archive refuses when the base of a spec was edited or deleted, and says how to go on', async () => {
  for (const content of ['# Another past\n', null]) {
    const change = complete.copy([review('APPROVED')]);
    const path = `${folderOf()}/base/greeting.md`;
    if (content === null) rmSync(join(change.repository.root, path));
    else change.repository.write(path, content);
    const { code, json } = await change.change('archive', id);
    const next = content === null ? `pawl restore ${id}` : `pawl change impl ${id} --review --accept-edits`;
    expect([code, json['action'], json['next']]).toEqual([4, 'plan_edited', next]);
  }
});

test('[D24] plan on a change that is implemented: after an edit, Next accepts it', async () => {
  const change = complete.copy();
  appendTo(change, `${folderOf()}/specs/greeting.md`, '\n## Notes\n\nBe quick.\n');
  const { code, json } = await change.change('plan', id);
  expect([code, json['next']]).toEqual([0, `pawl change impl ${id} --accept-edits`]);
});

test('[change/approval/phase-by-hand] who passes a gate by hand is shown the findings and the failed checks on record', async () => {
  const change = ChangeRepository.create([
    ...planned,
    implement(),
    review('MAJOR_ISSUES', [{ ...issue, severity: 'High' }]),
  ]);
  change.repository.write('agentd/config.toml', config.replace('"0"', '"process.exit(1)"'));
  onTestFinished(() => change.repository.remove());
  await change.change('plan', id, 'Greet people');
  await change.change('impl', id);
  setPhase(change, 'complete');
  const { code, json } = await change.change('archive', id);
  const { message } = json['diagnostics'][0];
  expect([code, message]).toEqual([
    3,
    expect.stringContaining('On record against it:\n- the review says MAJOR_ISSUES'),
  ]);
  expect(message).toContain(`- High: ${issue.title}\n- check test: failed (`);
});
