/* oxlint-disable unicorn/no-thenable -- THEN is a word of the format */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSpec, renderSpec, type SpecInput } from '../../documents/spec.ts';
import { elementTexts, takeApart, type ElementTexts } from '../../documents/spec-elements.ts';
import { appendChangelog, changelogEntry } from './checks/archiving.ts';
import { mergeSpec, type Merged, type MergeResult } from './merge-specs.ts';

type Requirements = SpecInput['requirements'];
const requirement = (id: string, text = `text of ${id}`, title = `Title ${id}`): Requirements[number] => ({
  id,
  title,
  text,
});

function spec(requirements: Requirements, more: Partial<SpecInput> = {}): string {
  const scenarios = [{ name: 'works', when: ['used'], then: ['works'] }];
  return renderSpec({ id: 'login', title: 'Login', overview: 'All of it.', requirements, scenarios, ...more });
}

const textsOf = (text: string): ElementTexts => elementTexts(takeApart(text, 'login.md'));

function merge(
  main: string | undefined,
  change: string,
  base: ReadonlyMap<string, string> | undefined = main === undefined ? undefined : textsOf(main),
): MergeResult {
  return mergeSpec({ main, change, base, specId: 'login', changeId: 'add-login', archivedAt: '2026-01-02T03:04:05Z' });
}

function merged(...args: Parameters<typeof merge>): Merged {
  const result = merge(...args);
  if (result.kind === 'conflict') throw new Error(result.reasons.join('\n'));
  return result;
}

function reasons(...args: Parameters<typeof merge>): readonly string[] {
  const result = merge(...args);
  return result.kind === 'conflict' ? result.reasons : [];
}

const MAIN = spec([requirement('R1'), requirement('R2'), requirement('R3')]);

describe('a new spec', () => {
  test('[change/archive/archived-at] is copied, with archived_at in the front matter', () => {
    const change = spec([requirement('R1')]);
    const result = merged(undefined, change);
    expect(result).toMatchObject({ kind: 'copied', added: ['R1'], modified: [], removed: [], renamed: [] });
    expect(result.text).toBe(change.replace('ids: [R1]\n', 'ids: [R1]\narchived_at: "2026-01-02T03:04:05Z"\n'));
  });

  test('without front matter gets one', () => {
    const result = merged(undefined, '# Login\n\n## Requirements\n\n### R1: A\n');
    expect(result.text).toBe(
      '---\nid: login\ntype: spec\ntitle: Login\nversion: 1\nrequirements:\n  total: 1\n  ids: [R1]\narchived_at: "2026-01-02T03:04:05Z"\n---\n\n# Login\n\n## Requirements\n\n### R1: A\n',
    );
  });

  test('cannot remove or rename', () => {
    expect(reasons(undefined, spec([], { removed: ['R1'], renamed: [{ from: 'R2', to: 'R3' }] }))).toHaveLength(2);
  });

  test('whose permanent file vanished meanwhile is a conflict', () => {
    expect(reasons(undefined, spec([requirement('R1')]), textsOf(MAIN))).toHaveLength(1);
  });
});

describe('merging', () => {
  test('[change/archive/copy-and-merge] adds at the end, replaces in place, removes, renames in place', () => {
    const change = spec([requirement('R5'), requirement('R1', 'new words')], {
      removed: ['R2'],
      renamed: [{ from: 'R3', to: 'R4' }],
    });
    const result = merged(MAIN, change);
    expect(result).toMatchObject({
      added: ['R5'],
      modified: ['R1'],
      removed: ['R2'],
      renamed: [{ from: 'R3', to: 'R4' }],
    });
    const after = readSpec(result.text, 'login.md');
    expect(after.requirements.map(({ id, title, text }) => [id, title, text])).toEqual([
      ['R1', 'Title R1', 'new words'],
      ['R4', 'Title R3', 'text of R3'],
      ['R5', 'Title R5', 'text of R5'],
    ]);
    expect(after.stated).toEqual({ total: '3', ids: ['R1', 'R4', 'R5'] });
    expect(after.version).toBe('2');
    expect(after.removed).toEqual([]);
    expect(result.text).toContain('archived_at: "2026-01-02T03:04:05Z"');
  });

  test('the whole text', () => {
    expect(merged(spec([requirement('R1')]), spec([requirement('R2')], { scenarios: [] })).text).toBe(`---
id: login
type: spec
title: Login
version: 2
requirements:
  total: 2
  ids: [R1, R2]
archived_at: "2026-01-02T03:04:05Z"
---

# Login

## Overview

All of it.

## Requirements

### R1: Title R1

text of R1

### R2: Title R2

text of R2

## Acceptance Criteria

### Scenario: works

- **WHEN** used
- **THEN** works
`);
  });

  test('a rename may give a new title, or new text under the new id', () => {
    const titled = merged(MAIN, spec([], { renamed: [{ from: 'R2', to: 'R9', title: 'Better' }] }));
    expect(titled.text).toContain('### R9: Better\n\ntext of R2\n');
    const reworded = merged(MAIN, spec([requirement('R9', 'other')], { renamed: [{ from: 'R2', to: 'R9' }] }));
    expect(reworded).toMatchObject({ added: [], modified: ['R9'], renamed: [{ from: 'R2', to: 'R9' }] });
    expect(readSpec(reworded.text, 'x').requirements.map(({ id }) => id)).toEqual(['R1', 'R9', 'R3']);
  });

  test('two requirements may swap their ids', () => {
    const result = merged(
      MAIN,
      spec([], {
        renamed: [
          { from: 'R1', to: 'R2' },
          { from: 'R2', to: 'R1' },
        ],
      }),
    );
    expect(readSpec(result.text, 'x').requirements.map(({ id, text }) => [id, text])).toEqual([
      ['R2', 'text of R1'],
      ['R1', 'text of R2'],
      ['R3', 'text of R3'],
    ]);
  });

  test('scenarios by name, sections by heading; title and overview stay', () => {
    const main = spec([requirement('R1')], { extra: '## Data Model\n\nold\n\n## Notes\n\nkept' });
    const change = spec([requirement('R1')], {
      title: 'Change of login',
      overview: 'What changes.',
      scenarios: [
        { name: 'Works', when: ['used twice'], then: ['works'] },
        { name: 'fails', when: ['broken'], then: ['says so'] },
      ],
      extra: '## Data model\n\nold\n\nnew\n\n## Flow\n\nflow',
    });
    const after = readSpec(merged(main, change).text, 'login.md');
    expect(after).toMatchObject({ title: 'Login', overview: 'All of it.' });
    expect(after.scenarios.map(({ name, when }) => [name, when])).toEqual([
      ['Works', ['used twice']],
      ['fails', ['broken']],
    ]);
    expect(after.sections.map(({ name, text }) => [name, text]).slice(3)).toEqual([
      ['Data model', 'old\n\nnew'],
      ['Notes', 'kept'],
      ['Flow', 'flow'],
    ]);
  });

  test('missing sections of main are added, an empty overview is filled', () => {
    const after = readSpec(merged('# Login\n\n## Overview\n', spec([requirement('R1')])).text, 'login.md');
    expect(after.sections.map(({ kind }) => kind)).toEqual(['overview', 'requirements', 'criteria']);
    expect(after.overview).toBe('All of it.');
  });

  test('versions are bumped in their last number', () => {
    expect(merged(MAIN.replace('version: 1', 'version: "1.9"'), spec([requirement('R7')])).text).toContain(
      'version: "1.10"',
    );
  });

  test('M3: nothing new changes nothing at all', () => {
    const main = MAIN.replace('text of R2', 'text of R2   ');
    expect(merged(main, MAIN)).toMatchObject({ kind: 'merged', text: main, added: [], modified: [] });
  });
});

describe('conflicts', () => {
  const elsewhere = textsOf(spec([requirement('R1', 'as planned'), requirement('R2'), requirement('R3')]));
  test.each([
    ['removed id that main does not have', MAIN, spec([], { removed: ['R9'] }), undefined, /R9 is to be removed/],
    [
      'renamed id that main does not have',
      MAIN,
      spec([], { renamed: [{ from: 'R9', to: 'R8' }] }),
      undefined,
      /R9 is to be renamed/,
    ],
    [
      '[D29] rename onto an existing id',
      MAIN,
      spec([], { renamed: [{ from: 'R1', to: 'R2' }] }),
      undefined,
      /R2 would be there twice after renaming R1/,
    ],
    [
      'removed and kept',
      MAIN,
      spec([requirement('R1')], { removed: ['R1'] }),
      undefined,
      /R1 is removed or renamed, and defined/,
    ],
    ['modified in main since the base', MAIN, spec([requirement('R1', 'ours')]), elsewhere, /R1 was changed/],
    ['removed after a change in main', MAIN, spec([], { removed: ['R1'] }), elsewhere, /R1 was changed/],
    [
      'renamed after a change in main',
      MAIN,
      spec([], { renamed: [{ from: 'R1', to: 'R4' }] }),
      elsewhere,
      /R1 was changed/,
    ],
    ['added in main meanwhile under the same id', MAIN, spec([requirement('R1', 'ours')]), new Map(), /R1 was added/],
    [
      'removed from main meanwhile',
      spec([requirement('R2')]),
      spec([requirement('R1', 'ours')]),
      elsewhere,
      /R1 is modified, but was removed/,
    ],
    [
      'scenario changed meanwhile',
      MAIN,
      spec([], { scenarios: [{ name: 'works', when: ['x'], then: ['y'] }] }),
      new Map([['Scenario: works', 'z']]),
      /Scenario: works/,
    ],
    [
      'duplicate ids in main',
      spec([requirement('R1'), requirement('R1')]),
      spec([requirement('R2')]),
      undefined,
      /R1 twice/,
    ],
    ['unreadable main', '---\nid: [\n---\n', spec([requirement('R2')]), new Map(), /valid YAML/],
    [
      'an unclosed fence in main',
      `${MAIN}\n### R8: x\n\`\`\`\n`,
      spec([requirement('R2', 'new')], { extra: '## Flow\n\n### R7: y' }),
      undefined,
      /does not read/,
    ],
  ])('%s', (...[, main, change, base, reason]) => {
    expect(
      reasons(
        main,
        change,
        base ?? (base === undefined && !main.startsWith('---\nid: [') ? textsOf(main) : undefined),
      )[0],
    ).toMatch(reason);
  });
});

describe('properties', () => {
  const ids = ['R1', 'R2', 'R3', 'WF-R4'];
  const requirements = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids, 'R5', 'R6'),
      title: fc.constantFrom('A', 'B c', 'C: d'),
      text: fc.constantFrom(
        '',
        'one',
        'one\n\ntwo',
        '- a\n- b\n\n```\n### R1: code\n```',
        '#### Scenario: in\n- WHEN a\n- THEN b',
      ),
    }),
    { selector: ({ id }) => id },
  );
  const renamed = fc.uniqueArray(
    fc.record({
      from: fc.constantFrom(...ids),
      to: fc.constantFrom(...ids, 'R20', 'R21'),
      title: fc.constantFrom(null, 'New'),
    }),
    { maxLength: 3, selector: ({ from }) => from },
  );
  const change = fc.record({ requirements, removed: fc.subarray(ids), renamed });
  const spacing = fc.constantFrom('\n', '\n\n', '  \n');

  test('M1: what the change does not name survives byte for byte; M3: merging again changes nothing', () => {
    fc.assert(
      fc.property(requirements, change, spacing, (ours, theirs, space) => {
        // Ids that change places among requirements of the same words cannot be told from ids that did not.
        const distinct = ours.map((one) => ({ ...one, title: `${one.title} ${one.id}` }));
        const main = spec(distinct).replaceAll('\n### ', `${space}### `);
        const altered = spec(theirs.requirements, theirs);
        const base = textsOf(main);
        const result = merge(main, altered, base);
        fc.pre(result.kind === 'merged');
        if (result.kind !== 'merged') return;
        const named = new Set([
          ...theirs.requirements.map(({ id }) => id),
          ...theirs.removed,
          ...theirs.renamed.map(({ from }) => from),
        ]);
        for (const { id, line, endLine } of readSpec(main, 'x').requirements) {
          if (!named.has(id))
            expect(result.text).toContain(
              main
                .split('\n')
                .slice(line - 1, endLine - 1)
                .join('\n')
                .trimEnd(),
            );
        }
        expect(merge(result.text, altered, base)).toEqual({
          kind: 'merged',
          text: result.text,
          added: [],
          modified: [],
          removed: [],
          renamed: [],
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('changelog', () => {
  const result = merged(
    MAIN,
    spec([requirement('R5'), requirement('R1', 'new')], { removed: ['R2'], renamed: [{ from: 'R3', to: 'R4' }] }),
  );
  const entry = changelogEntry('add-login', '2026-01-02T03:04:05Z', 'Adds a login.\n', [
    { id: 'login', result },
    { id: 'new', result: merged(undefined, MAIN) },
  ]);

  test('an entry says what happened to each spec', () => {
    expect(entry).toBe(`## add-login (2026-01-02T03:04:05Z)

Adds a login.

- \`login\`: added R5; modified R1; removed R2; renamed R3 → R4
- \`new\`: new (R1, R2, R3)
`);
  });

  test('[change/archive/changelog] newest first, once, and what people wrote stays', () => {
    const second = entry.replace('add-login', 'later');
    const once = appendChangelog(undefined, entry);
    expect(once).toBe(`# Changelog\n\n${entry}`);
    expect(appendChangelog(once, entry)).toBe(once);
    expect(appendChangelog(once, second)).toBe(`# Changelog\n\n${second}\n${entry}`);
    expect(appendChangelog('# Our changes\n\nIntro.\n', entry)).toBe(`# Our changes\n\nIntro.\n\n${entry}`);
  });
});
