/** `archive`: from a complete change to permanent specs. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJournalFile } from '../../src/store/read-journal.ts';
import { everyFile, id, Prepared, stateOf, worked } from './prepared.ts';
import {
  challenge,
  ChangeRepository,
  config,
  implement,
  issue,
  listTasks,
  planned,
  propose,
  review,
  specify,
  task,
  type Turn,
} from './scripts.ts';

interface Requirement {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const requirement = (id: string, text: string, title = `About ${id}`): Requirement => ({ id, title, text });

const farewell = `---
id: farewell
type: spec
title: Farewell
version: 7
requirements:
  total: 4
  ids: [R1, R2, R3, R4]
---

# Farewell

## Overview

How people are sent off.

## Requirements

### R1: Politeness

Nobody   is sent off without a word.

### R2: Length

At most 40 letters.

### R3: Bells

A bell rings.

### R4: Doors

The door is opened.

## Acceptance Criteria

### Scenario: Somebody leaves

- **WHEN** somebody leaves
- **THEN** a word is said
`;

function farewellSpec(args: Readonly<Record<string, unknown>>): Turn {
  const scenarios = [{ name: 'Somebody is named', when: ['somebody leaves'], then: ['the name is said'] }];
  const common = { spec_id: 'farewell', title: 'Farewell', overview: 'Names, when leaving.', scenarios };
  return { role: 'planner', step: 'specify', call: [{ tool: 'create_spec', args: { ...common, ...args } }] };
}

/** `greeting` is new; `farewell` exists and is changed in every way there is. Alphabetical order would be the wrong one. */
const turns: readonly Turn[] = [
  propose([
    { id: 'farewell', depends: ['greeting'] },
    { id: 'greeting', depends: [] },
  ]),
  specify('greeting', 'R1'),
  farewellSpec({
    requirements: [requirement('R2', 'At most 80 letters.', 'Length'), requirement('R6', 'The name is said.', 'Names')],
    removed: ['R3'],
    renamed: [{ from: 'R4', to: 'R5' }],
  }),
  listTasks([task('1.1'), task('1.2', { spec_ref: 'farewell:R2' })]),
  challenge('approved'),
  implement(['1.1']),
  implement(['1.2']),
  review('APPROVED'),
];

let complete: Prepared;

beforeAll(async () => {
  complete = await Prepared.make({
    turns,
    files: { 'agentd/specs/farewell.md': farewell, 'agentd/specs/CHANGELOG.md': '# Our changes\n\nWhat we did.\n' },
    commands: [
      ['plan', id, 'Greet people'],
      ['impl', id],
    ],
  });
});

afterAll(() => complete.remove());

const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');

test.concurrent('[change/table/archive-complete] [change/archive/copy-and-merge] [change/archive/archived-at] a new spec is copied, an existing one merged by requirement', async () => {
  const change = complete.copy();
  const { repository } = change;
  const own = repository.read(`agentd/changes/${id}/specs/greeting.md`);
  const { code, json } = await change.change('archive', id);
  expect({ code, ...json }).toMatchObject({
    code: 0,
    action: 'archived',
    phase: 'archived',
    next: expect.stringMatching(/^pawl finish /),
  });
  expect(worked(json)).toHaveLength(3);

  expect(withoutTimes(repository.read('agentd/specs/greeting.md'))).toBe(
    own.replace('ids: [R1]\n', 'ids: [R1]\narchived_at: "<time>"\n'),
  );
  const added = '### R6: Names\n\nThe name is said.\n';
  const scenario = '### Scenario: Somebody is named\n\n- **WHEN** somebody leaves\n- **THEN** the name is said\n';
  expect(withoutTimes(repository.read('agentd/specs/farewell.md'))).toBe(
    farewell
      .replace('version: 7', 'version: 8')
      .replace('[R1, R2, R3, R4]\n', '[R1, R2, R5, R6]\narchived_at: "<time>"\n')
      .replace('40 letters', '80 letters')
      .replace('### R3: Bells\n\nA bell rings.\n\n', '')
      .replace('### R4: Doors\n\nThe door is opened.\n', `### R5: Doors\n\nThe door is opened.\n\n${added}`)
      .replace('a word is said\n', `a word is said\n\n${scenario}`),
  );
});

test.concurrent('[change/archive/copy-and-merge] deterministic: the same again gives the same texts', async () => {
  const texts = await Promise.all(
    [1, 2].map(async () => {
      const change = complete.copy();
      await change.change('archive', id);
      const files = [...everyFile(join(change.repository.root, 'agentd/specs'))];
      return files.map(([path, content]) => [path, withoutTimes(Buffer.from(content, 'base64').toString())]);
    }),
  );
  expect(texts[0]).toEqual(texts[1]);
});

test.concurrent('[change/archive/changelog] [change/folder/archive] an entry in the order of the specs, the folder moved, the journal with it', async () => {
  const change = complete.copy();
  const { repository } = change;
  const { stderr } = await change.change('archive', id);
  expect(withoutTimes(repository.read('agentd/specs/CHANGELOG.md'))).toBe(
    `# Our changes\n\nWhat we did.\n\n## ${id} (<time>)\n\nGreet by name\n\n- \`greeting\`: new (R1)\n- \`farewell\`: added R6; modified R2; removed R3; renamed R4 → R5\n`,
  );
  expect(stderr).toMatch(/greeting\.md: new\s+agentd\/specs\/farewell\.md: \+R6 ~R2 -R3 R4→R5\s[^]*\+### R6/);
  expect(repository.exists(`agentd/changes/${id}`)).toBe(false);
  const archive = `agentd/archive/${id}`;
  expect(stateOf(change, archive)).toMatchObject({ change_id: id, phase: 'archived', verdict: 'APPROVED' });
  for (const name of ['proposal.md', 'tasks.md', 'REVIEW.md', 'specs/greeting.md']) {
    expect(repository.exists(`${archive}/${name}`)).toBe(true);
  }
  const exported = readJournalFile(join(repository.root, archive, 'journal.jsonl'));
  const own = readJournalFile(join(repository.runFolder('change', id), 'journal.jsonl'));
  expect(exported?.map(({ type, at }) => [type, at])).toEqual(own?.map(({ type, at }) => [type, at]));
});

test.concurrent('[change/archive/dry-run] shows what would happen and changes not a byte, the run’s folder included', async () => {
  const change = complete.copy();
  const before = everyFile(change.repository.folder);
  const { code, json } = await change.change('archive', id, '--dry-run');
  expect(code).toBe(0);
  expect(json).toMatchObject({
    run: id,
    action: 'dry_run',
    specs: [
      { spec: 'agentd/specs/greeting.md', what: 'new' },
      {
        spec: 'agentd/specs/farewell.md',
        what: '+R6 ~R2 -R3 R4→R5',
        diff: expect.arrayContaining(['-At most 40 letters.', '+At most 80 letters.', '-### R3: Bells']),
      },
    ],
    judgement: [],
  });
  const text = await change.repository.pawl(['change', 'archive', id, '--dry-run']);
  expect(text.stdout).toMatch(
    /would write agentd\/specs\/greeting\.md[^]*would move agentd\/changes\/greet to agentd\/archive\/greet/,
  );
  expect(everyFile(change.repository.folder)).toEqual(before);
});

test.concurrent('[change/archive/new-needs-flag] [change/folder/archive] an archived id is reused only with --new, and archived as <id>-2', async () => {
  const again = [...planned, implement(['1.1', '1.2']), review('APPROVED')];
  const change = complete.copy(again);
  const { repository } = change;
  await change.change('archive', id);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=archived');

  const plain = await change.change('plan', id);
  expect([plain.code, plain.json['action'], plain.json['phase']]).toEqual([0, 'beyond_planning', 'archived']);
  const described = await change.change('plan', id, 'Greet people again');
  expect([described.code, `${described.stdout}${described.stderr}`]).toEqual([2, expect.stringContaining('--new')]);
  expect(repository.exists(`agentd/changes/${id}`)).toBe(false);

  const planned2 = await change.change('plan', id, 'Greet people again', '--new');
  expect([planned2.code, planned2.json['phase']]).toEqual([0, 'challenged']);
  expect((await change.change('impl', id)).json['phase']).toBe('complete');
  const archived = await change.change('archive', id);
  expect(archived.code).toBe(0);
  expect(stateOf(change, `agentd/archive/${id}-2`)['phase']).toBe('archived');
  expect(stateOf(change, `agentd/archive/${id}`)['phase']).toBe('archived');
  expect(repository.read('agentd/specs/CHANGELOG.md')).toMatch(/## greet-2 \([^]*## greet \(/);

  const listed = await change.pawl('change', 'list', '--archived');
  expect(listed.json['changes'].map((one: { id: string }) => one.id).toSorted()).toEqual([id, `${id}-2`]);
  expect((await change.pawl('change', 'list')).json['changes']).toEqual([]);
  const { runs } = (await change.pawl('runs', '--all')).json;
  expect(runs.map((one: { run: string; phase: string }) => `${one.run} ${one.phase}`).toSorted()).toEqual([
    `${id} archived`,
    `${id}.1 archived`,
  ]);
});

test.concurrent('[change/archive/dry-run] names the folder that the archive will really use', async () => {
  const change = complete.copy();
  change.repository.write(`agentd/archive/${id}/STATE.yaml`, 'phase: archived\n');
  const { stdout } = await change.repository.pawl(['change', 'archive', id, '--dry-run']);
  expect(stdout).toContain(`would move agentd/changes/${id} to agentd/archive/${id}-2`);
  await change.change('archive', id);
  expect(stateOf(change, `agentd/archive/${id}-2`)['phase']).toBe('archived');
});

test.concurrent('[change/archive/new-needs-flag] --new is for archived ids only', async () => {
  const change = complete.copy();
  const { code, stdout, stderr } = await change.change('plan', id, 'Greet people', '--new');
  expect([code, `${stdout}${stderr}`]).toEqual([2, expect.stringContaining('is neither')]);
  expect(stateOf(change)['phase']).toBe('complete');
});

describe('[change/archive/judgement] two changes modify the same requirement', () => {
  const planOf = (text: string): readonly Turn[] => [
    propose([{ id: 'farewell', depends: [] }]),
    farewellSpec({ requirements: [requirement('R2', text, 'Length')] }),
    listTasks([task('1.1', { spec_ref: 'farewell:R2' })]),
    challenge('approved'),
  ];
  const first = [...planOf('At most 50 letters.'), implement(['1.1']), review('APPROVED')];
  const second = [...planOf('At most 60 letters.'), implement(['1.1']), review('APPROVED')];

  const named = '### Scenario: Somebody is named\n\n- **WHEN** somebody leaves\n- **THEN** the name is said\n';
  const both = farewell
    .replace('version: 7', 'version: 8')
    .replace('At most 40 letters.', 'At most 60 letters, 50 in small rooms.')
    .replace('a word is said\n', `a word is said\n\n${named}`);
  const merge = (content = both, more: Turn = {}): Turn => ({
    role: 'archivist',
    call: [{ tool: 'write_main_spec', args: { spec_id: 'farewell', content } }],
    ...more,
  });
  const judge = (verdict: string): Turn => ({
    ...review(verdict, verdict === 'APPROVED' ? [] : [issue]),
    step: 'review_merge',
  });
  const main = 'agentd/specs/farewell.md';

  let contested: Prepared;

  beforeAll(async () => {
    const change = ChangeRepository.create([], config);
    change.repository.write(main, farewell);
    change.script(first);
    await change.change('plan', 'first', 'Fifty');
    change.script(second);
    await change.change('plan', 'second', 'Sixty');
    change.script(first);
    await change.change('impl', 'first');
    await change.change('archive', 'first');
    change.script(second);
    await change.change('impl', 'second');
    contested = Prepared.of(change);
  });

  afterAll(() => contested.remove());

  test.concurrent('the archivist merges, the reviewer judges, and only then the spec changes', async () => {
    const change = contested.copy([
      ...second,
      merge(both, { expect_prompt: ['R2 was changed in the permanent spec since the change was planned', main] }),
      { ...judge('APPROVED'), expect_prompt: ['agentd/changes/second/merged/farewell.md', main] },
    ]);
    const { repository } = change;
    const dryRun = await change.change('archive', 'second', '--dry-run');
    expect(dryRun.json).toMatchObject({ specs: [], judgement: [{ spec: main }] });

    const { code, json } = await change.change('archive', 'second');
    expect(worked(json).slice(2), json['diagnostics']?.[0]?.message).toEqual([
      'merge_by_hand:reported',
      'review_merge:approved',
    ]);
    expect([code, json['phase'], json['verdict']]).toEqual([0, 'archived', 'APPROVED']);
    expect(withoutTimes(repository.read(main))).toBe(
      both
        .replace('version: 8', 'version: 9')
        .replace('[R1, R2, R3, R4]\n', '[R1, R2, R3, R4]\narchived_at: "<time>"\n'),
    );
    expect(repository.read('agentd/specs/CHANGELOG.md')).toMatch(
      /## second [^]*- `farewell`: modified R2\n[^]*## first /,
    );
    expect(repository.read('agentd/archive/second/merged/REVIEW.md')).toContain('# Code Review (Iteration 1)');
    expect(repository.read('agentd/archive/second/REVIEW.md')).toContain('I say APPROVED.');
  });

  test.concurrent('NEEDS_FIX: merged again with the review at hand, archive_iterations times', async () => {
    const better = both.replace('in small rooms', 'in rooms below ten square metres');
    const change = contested.copy([
      ...second,
      merge(),
      judge('NEEDS_FIX'),
      merge(better, { expect_prompt: ['agentd/changes/second/merged/REVIEW.md'] }),
      judge('APPROVED'),
    ]);
    const { code, json } = await change.change('archive', 'second');
    expect(worked(json).slice(2), json['diagnostics']?.[0]?.message).toEqual([
      'merge_by_hand:reported',
      'review_merge:needs_fix',
      'merge_by_hand:reported',
      'review_merge:approved',
    ]);
    expect([code, json['phase']]).toEqual([0, 'archived']);
    expect(change.repository.read(main)).toContain('below ten square metres');
  });

  test.concurrent('still NEEDS_FIX: exit 3, complete as before, the spec untouched; archive again begins anew', async () => {
    const change = contested.copy([
      ...second,
      merge(),
      judge('NEEDS_FIX'),
      merge(`${both}\n`, {}),
      judge('MAJOR_ISSUES'),
      merge(),
      judge('APPROVED'),
    ]);
    const before = change.repository.read(main);
    const stopped = await change.change('archive', 'second');
    expect({ code: stopped.code, ...stopped.json }).toMatchObject({
      code: 3,
      action: 'merge_needs_person',
      phase: 'complete',
      next: 'pawl change archive second',
    });
    expect(stopped.json['diagnostics'][0].message).toContain('agentd/changes/second/merged/REVIEW.md');
    expect(change.repository.read(main)).toBe(before);
    expect(change.repository.exists('agentd/archive/second')).toBe(false);

    expect((await change.change('archive', 'second')).json['phase']).toBe('archived');
  });

  test.concurrent('archive_iterations = 0: the first NEEDS_FIX stops', async () => {
    const change = contested.copy([...second, merge(), judge('NEEDS_FIX'), merge(), judge('APPROVED')]);
    change.repository.write('agentd/config.toml', config.replace('[workflow]', '[workflow]\narchive_iterations = 0'));
    const { code, json } = await change.change('archive', 'second');
    expect([code, json['phase']]).toEqual([3, 'complete']);
    expect(worked(json).slice(2)).toEqual(['merge_by_hand:reported', 'review_merge:needs_fix']);
  });

  test.concurrent('a text that is no spec is refused by the tool: no merge, exit 1, nothing changed', async () => {
    const change = contested.copy([...second, merge('# Farewell\n\nAnything goes.\n')]);
    change.repository.write('agentd/config.toml', '[workflow]\nscript_retries = 0\n');
    const before = change.repository.read(main);
    const { code, json } = await change.change('archive', 'second');
    expect([code, json['action'], json['phase']]).toEqual([1, 'failed', 'complete']);
    expect(json['diagnostics'][0].message).toContain('there is no requirement');
    expect(change.repository.read(main)).toBe(before);
  });
});
