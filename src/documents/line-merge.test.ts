import { expect, test } from 'vitest';
import { mergeLines } from './line-merge.ts';

const base = 'a\n- [ ] one\n- [ ] two\n- [ ] three\nz\n';

test.each([
  [
    'neighbours',
    'a\n- [x] one\n- [ ] two\n- [ ] three\nz\n',
    'a\n- [ ] one\n- [x] two\n- [ ] three\nz\n',
    'a\n- [x] one\n- [x] two\n- [ ] three\nz\n',
  ],
  ['both the same', base.replace('two', '2'), base.replace('two', '2'), base.replace('two', '2')],
  ['two insertions in one place', `${base}ours\n`, `${base}theirs\n`, `${base}ours\ntheirs\n`],
  [
    'an insertion below a changed line',
    base.replace('[ ] two', '[x] two'),
    base.replace('two\n', 'two\n  - [ ] new\n'),
    base.replace('[ ] two\n', '[x] two\n  - [ ] new\n'),
  ],
  [
    'a removed line beside a changed one',
    base.replace('- [ ] one\n', ''),
    base.replace('[ ] two', '[x] two'),
    'a\n- [x] two\n- [ ] three\nz\n',
  ],
  ['one line in two ways', base.replace('two', '2'), base.replace('two', 'II'), null],
  ['an insertion into what is removed', 'a\nz\n', base.replace('two\n', 'two\nnew\n'), null],
  ['nothing', base, base, base],
  ['a text without a last line end', 'a\nb', 'a\nc', null],
])('%s', (_, ours, theirs, merged) => {
  const from = ours === 'a\nb' ? 'a\nx' : base;
  expect(mergeLines(from, ours, theirs)).toBe(merged);
});
