/* oxlint-disable unicorn/no-thenable -- THEN is a word of the format */
/** Two changes of one permanent spec, archived one after the other. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderSpec } from '../../documents/spec.ts';
import { elementTexts, takeApart } from '../../documents/spec-elements.ts';
import { lossesOf } from './merged-by-hand.ts';
import { mergeSpec, type MergeInput, type MergeResult } from './merge-specs.ts';

const textsOf = (text: string) => elementTexts(takeApart(text, 'login.md'));

function merge(main: string | undefined, change: string, base: MergeInput['base']): MergeResult {
  const ids = { specId: 'login', changeId: 'c', archivedAt: '2026-01-02T03:04:05Z' };
  return mergeSpec({ main, change, base, ...ids });
}

function reasonsOf(...args: Parameters<typeof merge>): readonly string[] {
  const result = merge(...args);
  return result.kind === 'conflict' ? result.reasons : [];
}

function textOf(...args: Parameters<typeof merge>): string {
  const result = merge(...args);
  if (result.kind === 'conflict') throw new Error(result.reasons.join('\n'));
  return result.text;
}

const BASE = `# Login

## Overview

All of it.

## Requirements

### R1: One

one

### R2: Two

two

## Acceptance Criteria

### Scenario: works

- WHEN used
- THEN works

## Interfaces

login()
logout()
`;
const base = textsOf(BASE);

const delta = (body: string): string => `# Login\n\n## Overview\n\nThe change.\n\n${body}`;
const scenario = (name: string, then: string): string =>
  delta(`## Acceptance Criteria\n\n### Scenario: ${name}\n\n- WHEN used\n- THEN ${then}\n`);

describe('a conflict', () => {
  test.each([
    ['scenario', scenario('fails', 'a message'), scenario('Fails', 'an error'), /^Scenario: fails was added/],
    ['section', delta('## Flow\n\nfirst\n'), delta('## Flow\n\nsecond\n'), /^Section: Flow was added/],
    ['requirement', delta('## Requirements\n\n### R3: A\n\na\n'), delta('## Requirements\n\n### R3: B\n\nb\n'), /^R3 /],
  ])('[D5] two changes that add the same %s with different texts', (_, first, second, reason) => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const reasons = reasonsOf(textOf(BASE, one, base), other, base);
      expect(reasons).toEqual([expect.stringMatching(new RegExp(reason, 'i'))]);
    }
    expect(merge(textOf(BASE, first, base), first, base)).toMatchObject({ kind: 'merged', added: [], modified: [] });
  });

  test('[D5] a scenario or section of the base that both changed', () => {
    const main = textOf(BASE, scenario('works', 'works well'), base);
    expect(reasonsOf(main, scenario('works', 'works fast'), base)).toEqual([
      expect.stringContaining('Scenario: works'),
    ]);
    const extended = textOf(BASE, delta('## Interfaces\n\nlogin()\nlogout()\nrenew()\n'), base);
    const other = delta('## Interfaces\n\nlogin()\nlogout()\nrevoke()\n');
    expect(reasonsOf(extended, other, base)).toEqual([expect.stringContaining('Section: Interfaces was changed')]);
  });

  test('[D5] a section that would lose lines by being replaced as a whole', () => {
    expect(reasonsOf(BASE, delta('## Interfaces\n\nrenew()\n'), base)).toEqual([
      'Section: Interfaces would lose the line "login()": a section is replaced as a whole',
    ]);
  });

  test('[D11] "## Modified Requirements" that matches nothing', () => {
    const change = delta('## Modified Requirements\n\n### R9: Nine\n\nnine\n');
    const reason = 'R9 stands under "## Modified Requirements", but the permanent spec has no R9';
    for (const [main, before] of [
      [BASE, base],
      [BASE, undefined],
      [undefined, undefined],
    ] as const)
      expect(reasonsOf(main, change, before)).toEqual([reason]);
    expect(textOf(BASE, delta('## Modified Requirements\n\n### R2: Two\n\nnew\n'), base)).toContain('\nnew\n');
  });

  test('[D11] "## Added Requirements" that exists with another text', () => {
    const change = delta('## ADDED Requirements\n\n### R1: One\n\nother\n');
    expect(reasonsOf(BASE, change, base)).toEqual([
      'R1 stands under "## Added Requirements", but the permanent spec has it already',
    ]);
    expect(textOf(BASE, delta('## Added Requirements\n\n### R1: One\n\none\n'), base)).toBe(BASE);
  });

  test('[D11] a removal or rename of something missing', () => {
    expect(reasonsOf(BASE, delta('## Removed Requirements\n\n- R9\n'), base)[0]).toContain('has no R9');
    expect(reasonsOf(BASE, delta('## Renamed Requirements\n\n- R9 -> R8\n'), base)[0]).toContain('has no R9');
    expect(reasonsOf(undefined, delta('## Removed Requirements\n\n- R9\n'), undefined)[0]).toContain('has no R9');
  });

  test('a requirement that has the title of another one', () => {
    const change = delta('## Requirements\n\n### WF-R1: One\n\nanother one\n');
    expect(reasonsOf(BASE, change, base)).toEqual([
      'WF-R1 has the title of R1, "One": it may replace it, or both are meant',
    ]);
    expect(textOf(BASE, `${change}\n## Removed Requirements\n\n- R1\n`, base)).not.toContain('### R1');
  });

  test('lines of the change that belong to no element', () => {
    const change = delta('## Requirements\n\nOnly for administrators.\n\n### R3: Three\n\nthree\n');
    expect(reasonsOf(BASE, change, base)).toEqual([
      'line 9 of the spec of the change belongs to no requirement, scenario or section: "Only for administrators."',
    ]);
  });

  test('without a base: every difference, and every removal or rename', () => {
    expect(reasonsOf(BASE, scenario('works', 'works well'), undefined)).toHaveLength(1);
    expect(reasonsOf(BASE, delta('## Requirements\n\n### R1: One\n\nother\n'), undefined)).toHaveLength(1);
    expect(reasonsOf(BASE, delta('## Removed Requirements\n\n- R1\n'), undefined)).toHaveLength(1);
    expect(reasonsOf(BASE, delta('## Renamed Requirements\n\n- R1 -> R4\n'), undefined)).toHaveLength(1);
    expect(textOf(BASE, scenario('fails', 'a message'), undefined)).toContain('Scenario: fails');
    expect(textOf(BASE, scenario('works', 'works'), undefined)).toBe(BASE);
  });
});

describe('no conflict', () => {
  test('where the change only repeats what others changed or removed since', () => {
    const repeats = delta('## Requirements\n\n### R1: One\n\none\n\n### R3: Three\n\nthree\n');
    const changed = BASE.replace('\none\n', '\nanother one\n');
    expect(textOf(changed, repeats, base)).toContain('\nanother one\n');
    const removed = BASE.replace('### R1: One\n\none\n\n', '');
    expect(textOf(removed, repeats, base)).not.toContain('### R1');
  });

  test('[D5b] a heading without an id: a new spec is copied, an existing one merged by heading', () => {
    const annotations = '# Annotations\n\n## Requirements\n\n### A1: One\n\none\n\n### A1: One\n\ntwice\n';
    expect(merge(undefined, annotations, undefined)).toMatchObject({ kind: 'copied', added: [] });
    const main = BASE.replace('### R1: One', '### A1: One');
    const after = textOf(main, delta('## Requirements\n\n### A2: New\n\nnew\n'), textsOf(main));
    expect(after).toContain('### R2: Two\n\ntwo\n\n### A2: New\n\nnew\n\n## Acceptance');
    expect(after).toContain('### A1: One\n\none\n');
  });
});

describe('line ends', () => {
  const windows = (text: string): string => text.replaceAll('\n', '\r\n');
  const change = delta(
    '## Requirements\n\n### R1: One\n\nnew\n\n### R3: Three\n\nthree\n\n## Flow\n\nflow\n\n## Renamed Requirements\n\n- R2 -> R4\n',
  );

  test('CRLF stays, in front matter and body', () => {
    const front = `---\nid: login # ours\nversion: 3\n---\n${BASE}`;
    const unix = textOf(front, change, base);
    expect(textOf(windows(front), change, base)).toBe(windows(unix));
    expect(textOf(windows(front), windows(change), base)).toBe(windows(unix));
    expect(textOf(`\uFEFF${windows(front)}`, change, base)).toBe(`\uFEFF${windows(unix)}`);
  });

  test('mixed ones and a missing last one stay where nothing changed', () => {
    const mixed = BASE.replace('two\n', 'two\r\n').trimEnd();
    const after = textOf(mixed, delta('## Requirements\n\n### R1: One\n\nnew\n'), base);
    expect(after.slice(after.indexOf('# Login'))).toBe(mixed.replace('\none\n', '\nnew\n'));
    const longer = textOf(windows(BASE).trimEnd(), delta('## Flow\n\nflow\n'), base);
    expect(longer.endsWith('logout()\r\n\r\n## Flow\r\n\r\nflow\r\n')).toBe(true);
  });
});

/** What a change does to an element; two that are alike agree. */
type Touch = { readonly to: 'text' | 'removed' | 'renamed'; readonly variant: number };
type Touches = Readonly<Record<string, Touch>>;

describe('[D5] pairs of random changes', () => {
  const kinds = {
    requirement: ['R1', 'R2', 'R3', 'R5', 'R20'],
    scenario: ['s1', 's2', 's3'],
    section: ['Flow', 'Data Model', 'Notes'],
  } as const;
  const inBase = new Set(['R1', 'R2', 'R3', 's1', 's2', 'Flow', 'Data Model']);
  const all = Object.values(kinds).flat();

  const textFor = (key: string, variant: number): string => `${key} as it was${variant === 0 ? '' : `\nby ${variant}`}`;

  /** Variant 0 of the elements of the base; of a change those that it touches. */
  function render(touches: Touches): string {
    const texts = Object.entries(touches).filter(([, { to }]) => to === 'text');
    const of = (keys: readonly string[]) => texts.filter(([key]) => keys.includes(key));
    const removed = Object.keys(touches).filter((key) => touches[key]?.to === 'removed');
    const renamed = Object.keys(touches).filter((key) => touches[key]?.to === 'renamed');
    return renderSpec({
      id: 'login',
      title: 'Login',
      overview: 'All of it.',
      requirements: of(kinds.requirement).map(([id, { variant }]) => ({
        id,
        title: `Title ${id}`,
        text: textFor(id, variant),
      })),
      scenarios: of(kinds.scenario).map(([name, { variant }]) => ({
        name,
        when: ['used'],
        then: [textFor(name, variant).replace('\n', ' ')],
      })),
      extra: of(kinds.section)
        .map(([name, { variant }]) => `## ${name}\n\n${textFor(name, variant)}`)
        .join('\n\n'),
      removed,
      renamed: renamed.map((from) => ({ from, to: `R2${touches[from]?.variant}` })),
    });
  }

  const base = render(Object.fromEntries([...inBase].map((key) => [key, { to: 'text', variant: 0 }])));

  /** At most one rename, so that a change does not contradict itself. */
  const change = fc
    .record({
      touched: fc.subarray([...all]),
      variants: fc.array(fc.constantFrom(1, 2), { minLength: all.length, maxLength: all.length }),
      removed: fc.subarray(['R1', 'R2', 'R3']),
      renamed: fc.constantFrom(null, 'R1', 'R2'),
      to: fc.constantFrom(0, 1),
    })
    .map(({ touched, variants, removed, renamed, to }): Touches => {
      const touches: Record<string, Touch> = {};
      for (const [at, key] of touched.entries()) touches[key] = { to: 'text', variant: variants[at] ?? 1 };
      for (const key of removed) if (key in touches) touches[key] = { to: 'removed', variant: 0 };
      if (renamed !== null) touches[renamed] = { to: 'renamed', variant: to };
      if (renamed !== null) delete touches[`R2${to}`];
      return touches;
    });

  /** What a change says of each element, a renamed one under both ids. */
  function outcomes(touches: Touches): Map<string, string> {
    return new Map(
      Object.entries(touches).flatMap(([key, { to, variant }]): [string, string][] => {
        if (to === 'text') return [[key, `${key} ${variant}`]];
        if (to === 'removed') return [[key, 'removed']];
        return [
          [key, `renamed to R2${variant}`],
          [`R2${variant}`, `was ${key}`],
        ];
      }),
    );
  }

  const bodyOf = (text: string): string => text.replaceAll('\r\n', '\n').replace(/^---\n[^]*?\n---\n/, '');

  test('archived in either order lose nothing, and conflict exactly when both touch the same element', () => {
    fc.assert(
      fc.property(change, change, fc.boolean(), (first, second, isWindows) => {
        const permanent = isWindows ? base.replaceAll('\n', '\r\n') : base;
        const texts = textsOf(permanent);
        const [ours, theirs] = [outcomes(first), outcomes(second)];
        const differ = [...ours].some(([key, outcome]) => theirs.has(key) && theirs.get(key) !== outcome);
        const results = [
          [first, second],
          [second, first],
        ].map(([one = {}, other = {}]) => merge(textOf(permanent, render(one), texts), render(other), texts));
        expect(results.map(({ kind }) => kind === 'conflict')).toEqual([differ, differ]);
        const [left, right] = results.flatMap((result) => (result.kind === 'conflict' ? [] : [result.text]));
        if (left === undefined || right === undefined) return;
        // Everything that somebody wrote is there, and everything else as it was.
        const wanted = new Map(texts);
        const written = textsOf(render({ ...first, ...second }));
        for (const [key, text] of written) wanted.set(key, text);
        for (const [key, { to, variant }] of Object.entries({ ...first, ...second })) {
          if (to === 'renamed') wanted.set(`R2${variant}`, texts.get(key) ?? '');
          if (to !== 'text') wanted.delete(key);
        }
        for (const after of [left, right]) {
          expect(Object.fromEntries(textsOf(after))).toEqual(Object.fromEntries(wanted));
          if (isWindows) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
        }
        if (ours.size + theirs.size === 0) expect(bodyOf(left)).toBe(bodyOf(base));
      }),
      { numRuns: 500 },
    );
  });

  test('[D12] of what no conflict names the archivist may drop nothing, and need not invent anything', () => {
    fc.assert(
      fc.property(change, change, fc.nat(), (first, second, pick) => {
        const texts = textsOf(base);
        const [ours, theirs] = [outcomes(first), outcomes(second)];
        const clashes = new Set([...ours.keys()].filter((key) => theirs.has(key) && theirs.get(key) !== ours.get(key)));
        fc.pre(clashes.size > 0);
        // Of a rename that clashes, both ids are for judgement.
        for (const [key, touch] of [...Object.entries(first), ...Object.entries(second)]) {
          const ids = [...outcomes({ [key]: touch }).keys()];
          if (ids.some((each) => clashes.has(each))) for (const each of ids) clashes.add(each);
        }
        const main = textOf(base, render(first), texts);
        const clear = Object.entries(second).filter(([key, touch]) =>
          [...outcomes({ [key]: touch }).keys()].every((each) => !clashes.has(each)),
        );
        const good = textOf(main, render(Object.fromEntries(clear)), texts);
        const input = { main, change: render(second), base: texts, specId: 'login', changeId: 'c', archivedAt: 'now' };
        expect(lossesOf(good, input)).toEqual([]);
        const parts = takeApart(good, 'good');
        const droppable = parts.elements.filter(
          ({ kind, key, title }) => !clashes.has(kind === 'requirement' ? key : title),
        );
        const dropped = droppable[pick % droppable.length];
        if (!dropped) return;
        const lines = parts.lines.filter((_, at) => at + 1 < dropped.line || at + 1 >= dropped.endLine);
        expect(lossesOf(lines.join('\n'), input)).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
