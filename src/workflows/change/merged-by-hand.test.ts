import { expect, test } from 'vitest';
import { renderSpec } from '../../documents/spec.ts';
import { mergedByHand } from './merge-specs.ts';

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
    text: settled.replace('R6]\n', 'R6]\narchived_at: "2026-01-02T03:04:05Z"\n'),
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

test('a main spec that could not be read may have said anything', () => {
  const result = mergedByHand(settled, { ...input, main: '---\nid: [\n---\n', change: '---\nid: [\n---\n' });
  expect(result).toMatchObject({ added: [], modified: ['R1', 'R2', 'R5', 'R6'], removed: [], renamed: [] });
});
