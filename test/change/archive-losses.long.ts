/** `archive` loses nothing that anybody wrote: specs of any name, changes that meet, archivists that forget. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryFor } from './observed.ts';
import { Prepared, worked } from './prepared.ts';
import { challenge, ChangeRepository, config, implement, listTasks, planned, propose } from './scripts.ts';
import { review, specify, task, type Turn } from './scripts.ts';

const permanent = `---
id: login
type: spec
title: Login
version: 3
owner: us
requirements:
  total: 2
  ids: [R1, R2]
---

# Login

Preface.

## Overview

All of it.

## Requirements

### R1: Names

A name is asked for.

### R2: Secrets

A secret is asked for.

## Acceptance Criteria

### Scenario: Known

- **WHEN** a name is known
- **THEN** it is greeted

## Interfaces

login(name)
`;

/** A spec as a change has it: only what it alters, below headings that every spec needs. */
const delta = (requirements: string, scenarios = '### Scenario: Any\n\n- WHEN a\n- THEN b\n', more = ''): string =>
  `# Login\n\n## Overview\n\nThe change.\n\n## Requirements\n\n${requirements}\n## Acceptance Criteria\n\n${scenarios}${more}`;

const requirement = (id: string, text: string, title = `About ${id}`): string => `### ${id}: ${title}\n\n${text}\n`;

type Specs = Readonly<Record<string, string>>;

/** A plan that somebody wrote by hand, approved. */
async function plan(change: ChangeRepository, id: string, specs: Specs): Promise<void> {
  const { repository } = change;
  const folder = `agentd/changes/${id}`;
  const affected = Object.keys(specs)
    .filter((path) => !/(?:^|\/)_/.test(path) && path.endsWith('.md'))
    .map((path) => `  - {id: ${path.replace(/^.*\//, '').replace('.md', '')}, path: specs/${path}, depends: []}`);
  repository.write(
    `${folder}/proposal.md`,
    `---\nid: ${id}\naffected_specs:\n${affected.join('\n')}\n---\n\n<proposal>\n\n# Change: ${id}\n\n## Summary\n\nS\n\n## Why\n\nW\n\n## What Changes\n\n- C\n\n## Impact\n\n- I\n\n</proposal>\n`,
  );
  for (const [path, text] of Object.entries(specs)) repository.write(`${folder}/specs/${path}`, text);
  repository.write(
    `${folder}/tasks.md`,
    `---\nid: ${id}-tasks\nchange_id: ${id}\ntype: tasks\n---\n\n## 2. Logic Layer\n\n### Task 1.1: Do\n\n\`\`\`yaml\nid: "1.1"\naction: CREATE\nstatus: pending\nfile: src/1.1.mjs\n\`\`\`\n\nDo it.\n`,
  );
  change.script([challenge('approved')]);
  const ran = await change.change('plan', id, 'Do it', '--share-tree');
  expect([ran.code, ran.json['phase']], ran.stderr + ran.stdout).toEqual([0, 'challenged']);
}

const work: readonly Turn[] = [challenge('approved'), implement(['1.1']), review('APPROVED')];

async function implementAll(change: ChangeRepository, id: string): Promise<void> {
  change.script(work);
  const ran = await change.change('impl', id);
  expect([ran.code, ran.json['phase']], ran.stderr).toEqual([0, 'complete']);
}

/** As in a fresh clone: the change's folder is there, its journal is not. */
const withoutJournal = ({ repository }: ChangeRepository) =>
  rmSync(join(repository.root, '.git/pawl'), { recursive: true });

const main = 'agentd/specs/login.md';

/** `first` and `second` were planned on the same permanent spec; `first` is archived, `second` complete. */
async function meeting(first: string, second: string, text = permanent): Promise<ChangeRepository> {
  const change = ChangeRepository.create([], config);
  change.repository.write(main, text);
  await plan(change, 'first', { 'login.md': first });
  await plan(change, 'second', { 'login.md': second });
  await implementAll(change, 'first');
  const archived = await change.change('archive', 'first');
  expect(archived.code, archived.stderr).toBe(0);
  await implementAll(change, 'second');
  return change;
}

const archivist = (content: string, more: Turn = {}): Turn => ({
  role: 'archivist',
  call: [{ tool: 'write_main_spec', args: { spec_id: 'login', content } }],
  ...more,
});
const approved: Turn = { ...review('APPROVED'), step: 'review_merge' };

describe('[D5] [change/archive/three-way] two changes add a scenario and a section of the same name', () => {
  const by = (name: string, id: string): string =>
    delta(
      requirement(id, `By ${name}.`),
      `### Scenario: Late\n\n- WHEN late\n- THEN ${name}\n`,
      `\n## Flow\n\n${name}\n`,
    );
  let met: Prepared;
  beforeAll(async () => {
    met = Prepared.of(await meeting(by('first', 'R3'), by('second', 'R4')));
  });
  afterAll(() => met.remove());

  const merged = (change: ChangeRepository): string =>
    change.repository
      .read(main)
      .replace('THEN first\n', 'THEN first, then second\n')
      .replace('## Flow\n\nfirst', '## Flow\n\nfirst and second')
      .replace('\n## Acceptance', `\n${requirement('R4', 'By second.')}\n## Acceptance`);

  test.concurrent('is a conflict, and the archivist is given base, main and change', async () => {
    const change = met.copy();
    const before = change.repository.read(main);
    expect(before).toContain('THEN first');
    const dry = await change.change('archive', 'second', '--dry-run');
    expect(dry.json['judgement']).toEqual([
      { spec: main, reasons: [expect.stringMatching(/^Scenario: Late /), expect.stringMatching(/^Section: Flow /)] },
    ]);
    change.script([
      ...work,
      archivist(merged(change), {
        expect_prompt: ['agentd/changes/second/base/login.md', main, 'agentd/changes/second/specs/login.md'],
      }),
      approved,
    ]);
    const { code, json, stderr } = await change.change('archive', 'second');
    expect([code, json['phase']], stderr).toEqual([0, 'archived']);
    const after = change.repository.read(main);
    for (const text of ['By first.', 'By second.', 'first, then second', 'first and second', 'Preface.', 'owner: us'])
      expect(after).toContain(text);
    expect(after).toContain('version: 5\n');
    expect(change.repository.read('agentd/archive/second/base/login.md')).toBe(permanent);
  });

  test.concurrent('[D12] [change/archive/nothing-lost] a text that loses something is refused by name, and asked for again', async () => {
    const change = met.copy();
    const good = merged(change);
    const bad = good
      .replace(requirement('R1', 'A name is asked for.', 'Names'), '')
      .replace('Preface.\n', '')
      .replace('version: 4', 'version: 2');
    change.script([
      ...work,
      archivist(bad),
      archivist(good, { expect_prompt: ['it lost R1', 'it lost the line "Preface."', 'it lost version 4'] }),
      approved,
    ]);
    const { code, json } = await change.change('archive', 'second');
    expect(worked(json).slice(2)).toEqual([
      'merge_by_hand:text_lost',
      'merge_by_hand:reported',
      'review_merge:approved',
    ]);
    expect([code, json['phase']]).toEqual([0, 'archived']);
    expect(change.repository.read(main)).toContain('### R1: Names\n\nA name is asked for.\n');
  });

  test.concurrent('[D12] archive_iterations spent: exit 3, the permanent spec is untouched and no reviewer was asked', async () => {
    const change = met.copy();
    const before = change.repository.read(main);
    const bad = merged(change).replace(/## Interfaces[^]*?(?=## Flow)/, '');
    change.script([...work, archivist(bad), archivist(bad), approved]);
    const { code, json } = await change.change('archive', 'second');
    expect(worked(json).slice(2)).toEqual(['merge_by_hand:text_lost', 'merge_by_hand:text_lost']);
    expect([code, json['action'], json['phase']]).toEqual([3, 'merge_needs_person', 'complete']);
    expect(json['diagnostics'][0].message).toContain('Section: Interfaces');
    expect(change.repository.read(main)).toBe(before);
  });
});

describe('[change/archive/base] the base', () => {
  const second = delta(requirement('R1', 'A name and a title are asked for.', 'Names'));
  let met: Prepared;
  beforeAll(async () => {
    met = Prepared.of(await meeting(delta(requirement('R3', 'New.')), second));
  });
  afterAll(() => met.remove());

  test.concurrent('lets a change modify what nobody else touched, also without a journal', async () => {
    for (const flags of [[], ['--accept-state']]) {
      const change = met.copy();
      if (flags.length > 0) withoutJournal(change);
      const { code, json, stderr } = await change.change('archive', 'second', ...flags);
      expect([code, json['phase']], stderr).toEqual([0, 'archived']);
      const after = change.repository.read(main);
      for (const text of ['A name and a title', 'New.', 'A secret']) expect(after).toContain(text);
    }
  });

  test.concurrent('that nobody knows makes every difference a conflict', async () => {
    const change = met.copy();
    withoutJournal(change);
    rmSync(join(change.repository.root, 'agentd/changes/second/base'), { recursive: true });
    const { json } = await change.change('archive', 'second', '--dry-run', '--accept-state');
    const reason = 'R1 differs, and nobody recorded the permanent spec when the change was planned';
    expect(json['judgement']).toEqual([{ spec: main, reasons: [reason] }]);
  });

  /** A change to R2 that is planned, then edited and challenged again after others changed the permanent spec. */
  async function replanned(edit: (text: string) => string): Promise<ChangeRepository> {
    const change = met.copy();
    const { repository } = change;
    await plan(change, 'third', { 'login.md': delta(requirement('R2', 'Three.', 'Secrets')) });
    const before = repository.read(main);
    repository.write(main, edit(before));
    const spec = 'agentd/changes/third/specs/login.md';
    for (const text of ['Three of ten letters.', 'Three of ten small letters.']) {
      repository.write(spec, repository.read(spec).replace(/Three.*\./, text));
      change.script(Array.from({ length: 4 }, () => challenge('approved')));
      expect((await change.change('plan', 'third')).json['phase']).toBe('challenged');
    }
    expect(repository.read('agentd/changes/third/base/login.md')).toBe(before);
    await implementAll(change, 'third');
    return change;
  }

  test.concurrent('[trial 2 A9] stays when the plan is edited and challenged again: what both touched is a conflict', async () => {
    const change = await replanned((text) => text.replace('A secret is asked for.', 'A secret of ten letters.'));
    const { json } = await change.change('archive', 'third', '--dry-run');
    const reason = 'R2 was changed in the permanent spec since the change was planned';
    expect(json['judgement']).toEqual([{ spec: main, reasons: [reason] }]);
  });

  test.concurrent('[trial 2 A9] and what only others touched is none', async () => {
    const change = await replanned((text) => text.replace('A name is asked for.', 'A long name is asked for.'));
    const { code, json } = await change.change('archive', 'third');
    expect([code, json['phase']]).toEqual([0, 'archived']);
    const after = change.repository.read(main);
    for (const text of ['A long name is asked for.', 'Three of ten small letters.']) expect(after).toContain(text);
  });

  test.concurrent('[trial 2 A9] that was lost is not made up from what the permanent spec is now', async () => {
    const change = met.copy();
    const { repository } = change;
    await plan(change, 'third', { 'login.md': delta(requirement('R2', 'Three.', 'Secrets')) });
    repository.write(main, repository.read(main).replace('A secret is asked for.', 'A secret of ten letters.'));
    rmSync(join(repository.root, 'agentd/changes/third/base'), { recursive: true });
    change.script([challenge('approved'), challenge('approved')]);
    await change.change('plan', 'third');
    expect(repository.exists('agentd/changes/third/base/login.md')).toBe(false);
    await implementAll(change, 'third');
    const { json } = await change.change('archive', 'third', '--dry-run');
    expect(json['judgement'][0].reasons).toEqual([expect.stringMatching(/^R2 differs, and nobody recorded/)]);
  });

  test('is kept in the worktree of the change', async (context) => {
    const change = repositoryFor(context, [...planned]);
    change.repository.write('agentd/specs/greeting.md', permanent);
    change.repository.git('add', '--all');
    change.repository.git('commit', '--quiet', '--message=spec');
    expect((await change.change('plan', 'greet', 'Greet by name', '--worktree')).code).toBe(0);
    const base = join(change.repository.folder, 'repo-change-greet/agentd/changes/greet/base/greeting.md');
    expect(readFileSync(base, 'utf8')).toBe(permanent);
  });
});

describe('[D5b] [change/archive/every-spec] specs of any name', () => {
  const text = delta(requirement('R1', 'Any text.'));
  const names = ['advanced_query.md', 'API.md', 'http/v1.2/routes.md'];

  test('with underscores, capitals and in subfolders are merged; a template and other files are named', async (context) => {
    const change = repositoryFor(context);
    const { repository } = change;
    repository.write('agentd/specs/http/v1.2/routes.md', permanent);
    const specs = Object.fromEntries(names.map((name) => [name, text.replaceAll('R1', 'R7')]));
    await plan(change, 'wide', { ...specs, 'diagram.txt': 'a -> b\n' });
    await implementAll(change, 'wide');
    const dry = await change.repository.pawl(['change', 'archive', 'wide', '--dry-run']);
    for (const name of [...names, 'diagram.txt is no spec']) expect(dry.stdout).toContain(name);
    const { code, stderr } = await change.change('archive', 'wide');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('specs/diagram.txt is no spec: it is not merged');
    for (const name of names) expect(repository.read(`agentd/specs/${name}`)).toContain('Any text.');
    expect(repository.read('agentd/specs/http/v1.2/routes.md')).toContain('A name is asked for.');
    expect(repository.read('agentd/specs/CHANGELOG.md')).toMatch(/`advanced_query`[^]*`API`[^]*`http\/v1\.2\/routes`/);
  });

  test('in subfolders, with the same last part, are planned by the tools, worked on one by one and merged', async (context) => {
    const change = repositoryFor(context, [
      propose([
        { id: 'a/x', depends: [] },
        { id: 'b/x', depends: ['a/x'] },
      ]),
      specify('a/x'),
      specify('b/x', 'R2'),
      listTasks([task('1.1', { spec_ref: 'a/x:R1' }), task('1.2', { spec_ref: 'specs/b/x.md#R2' })]),
      challenge('approved'),
      implement(['1.1']),
      implement(['1.2']),
      review('APPROVED'),
    ]);
    for (const args of [
      ['plan', 'greet', 'Greet people'],
      ['impl', 'greet'],
      ['archive', 'greet'],
    ]) {
      const { code, stderr } = await change.change(...args);
      expect(code, stderr).toBe(0);
    }
    expect(change.repository.read('agentd/specs/a/x.md')).toContain('### R1: Names');
    expect(change.repository.read('agentd/specs/b/x.md')).toContain('### R2: Names');
  });

  test('that no permanent spec can have are refused, naming the file and the fix', async (context) => {
    const change = repositoryFor(context);
    const { repository } = change;
    await plan(change, 'odd', { 'login.md': text });
    await implementAll(change, 'odd');
    repository.write('agentd/changes/odd/specs/CHANGELOG.md', text);
    withoutJournal(change);
    for (const flags of [['--dry-run'], []]) {
      const { code, json } = await change.change('archive', 'odd', '--accept-state', ...flags);
      expect([code, json['phase']], JSON.stringify(json)).toEqual([3, 'complete']);
      expect(json['diagnostics'][0].message).toMatch(/specs\/CHANGELOG\.md cannot become a permanent spec: rename it/);
    }
    expect(repository.exists('agentd/specs/login.md')).toBe(false);
  });
});

test('[D11] Modified Requirements that match nothing and Added Requirements that exist go to judgement', async (context) => {
  const change = repositoryFor(context);
  change.repository.write(main, permanent);
  const spec = delta(requirement('R9', 'Nine.')).replace('## Requirements', '## Modified Requirements');
  await plan(change, 'headed', {
    'login.md': `${spec}\n## Added Requirements\n\n${requirement('R1', 'Other.', 'Names')}`,
  });
  await implementAll(change, 'headed');
  const { json } = await change.change('archive', 'headed', '--dry-run');
  expect(json['judgement'][0].reasons).toEqual([
    'R1 stands under "## Added Requirements", but the permanent spec has it already',
    'R9 stands under "## Modified Requirements", but the permanent spec has no R9',
  ]);
});

test('[change/archive/line-ends] [change/archive/dry-run] CRLF stays in spec and changelog, and the dry run shows the same diff', async (context) => {
  const change = repositoryFor(context);
  const { repository } = change;
  const windows = (text: string): string => text.replaceAll('\n', '\r\n');
  const changelog = windows('# Changes\n\n\nOurs.  \n\n## old (2025)\n\n- `x`: new\n');
  repository.write(main, windows(permanent));
  repository.write('agentd/specs/CHANGELOG.md', changelog);
  await plan(change, 'crlf', { 'login.md': delta(requirement('R2', 'Two secrets.', 'Secrets')) });
  await implementAll(change, 'crlf');
  const dry = await change.change('archive', 'crlf', '--dry-run');
  const { code, stderr } = await change.change('archive', 'crlf');
  expect(code, stderr).toBe(0);
  const [spec, log] = [repository.read(main), repository.read('agentd/specs/CHANGELOG.md')];
  expect(`${spec}${log}`.replaceAll('\r\n', '')).not.toContain('\n');
  const [head = '', rest = ''] = changelog.split('## old');
  expect(log.startsWith(`${head}## crlf (`)).toBe(true);
  expect(log.endsWith(`\r\n\r\n## old${rest}`)).toBe(true);
  const { diff } = dry.json['specs'][0];
  expect(diff.filter((line: string) => /^[+-]/.test(line))).toEqual([
    '-A secret is asked for.',
    '+Two secrets.',
    '+',
    '+### Scenario: Any',
    '+',
    '+- WHEN a',
    '+- THEN b',
  ]);
  const shown = stderr.split('\n').map((line) => line.trim());
  for (const line of diff) expect(shown).toContain(line.trim());
});
