import { describe, expect, test } from 'vitest';
import { renderSpec } from '../../documents/spec.ts';
import { elementTexts, takeApart } from '../../documents/spec-elements.ts';
import { mergeSpec } from './merge-specs.ts';
import { lossesOf, mergedByHand } from './merged-by-hand.ts';

const scenarios = [{ name: 'works', when: ['used'], then: ['works'] }];

function spec(texts: Readonly<Record<string, string>>, renamed: readonly { from: string; to: string }[] = []): string {
  const requirements = Object.entries(texts).map(([id, text]) => ({ id, title: `Title ${id}`, text }));
  return renderSpec({ id: 'login', title: 'Login', overview: 'All of it.', requirements, scenarios, renamed });
}

const input = {
  main: spec({ R1: 'stays', R2: 'changes', R3: 'goes', R4: 'moves' }),
  change: spec({ R2: 'changed', R6: 'new' }, [{ from: 'R4', to: 'R5' }]),
  base: undefined,
  specId: 'login',
  archivedAt: '2026-01-02T03:04:05Z',
  changeId: 'add-login',
};

const settled = spec({ R1: 'stays', R2: 'changed', R5: 'moves', R6: 'new' });

test('what became of each requirement is counted; archived_at and the counts are set', () => {
  const miscounted = settled.replace('total: 4', 'total: 9');
  expect(mergedByHand(miscounted, input)).toEqual({
    kind: 'merged',
    text: settled.replace('version: 1', 'version: 2').replace('R6]\n', 'R6]\narchived_at: "2026-01-02T03:04:05Z"\n'),
    added: ['R6'],
    modified: ['R2'],
    removed: ['R3'],
    renamed: [{ from: 'R4', to: 'R5' }],
  });
});

test('without a main spec everything is new', () => {
  const { main: _, ...rest } = input;
  const result = mergedByHand(settled, { ...rest, main: undefined });
  expect(result).toMatchObject({ kind: 'copied', added: ['R1', 'R2', 'R5', 'R6'], modified: [], removed: [] });
});

test('a main spec with broken front matter is compared all the same', () => {
  const main = input.main.replace('type: spec', 'type: [');
  const result = mergedByHand(settled, { ...input, main });
  expect(result).toMatchObject({ added: ['R6'], modified: ['R2'], removed: ['R3'] });
});

describe('[D12] what a text loses', () => {
  const main = spec({ R1: 'stays', R2: 'of others', R3: 'stays too' })
    .replace('version: 1', 'version: 7\nowner: us')
    .replace('# Login\n', '# Login\n\nPreface.\n')
    .concat('\n## Data Model\n\nOne.\n\n## Notes\n\nKept  as it is.\n');
  const base = elementTexts(takeApart(main.replace('of others', 'as planned'), 'base'));
  const conflicting = { ...input, main, base, change: spec({ R2: 'of the change', R6: 'new' }) };
  const good = main
    .replace('of others', 'of both')
    .replace('## Acceptance', '### R6: Title R6\n\nnew\n\n## Acceptance');

  test('nothing, where only the conflict was touched', () => {
    expect(mergeSpec(conflicting)).toMatchObject({ kind: 'conflict', reasons: [expect.stringContaining('R2 was')] });
    expect(lossesOf(good, conflicting)).toEqual([]);
    expect(lossesOf(good.replaceAll('\n', '\r\n'), conflicting)).toEqual([]);
  });

  test.each([
    ['### R1: Title R1\n\nstays\n\n', '', ['R1']],
    ['stays too', 'stays, too', ['R3']],
    ['### R6: Title R6\n\nnew\n\n', '', ['R6 as the change has it']],
    ['\nPreface.\n', '', ['the line "Preface."']],
    ['All of it.', 'Some of it.', ['the line "All of it."']],
    ['## Data Model\n\nOne.\n\n', '', ['Section: Data Model']],
    ['Kept  as', 'Kept as', ['Section: Notes']],
    ['- **THEN** works', '- **THEN** fails', ['Scenario: works']],
    ['owner: us\n', '', ["the front matter's owner"]],
    ['version: 7', 'version: 6', ['version 7, which 6 is lower than']],
    ['title: Login', 'title: Log in', ["the front matter's title"]],
  ])('%j as %j', (text, by, losses) => {
    expect(good).toContain(text);
    expect(lossesOf(good.replace(text, by), conflicting)).toEqual(losses);
  });

  test('a higher version stays, and line ends are those of the permanent spec', () => {
    const windows = { ...conflicting, main: main.replaceAll('\n', '\r\n') };
    const { text } = mergedByHand(good.replace('version: 7', 'version: "7.5"'), windows);
    expect(text).toContain('version: "7.5"\r\n');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(mergedByHand(good, windows).text).toContain('version: 8\r\n');
  });
});
