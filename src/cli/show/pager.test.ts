import { expect, test } from 'vitest';
import { pagerIn } from './pager.ts';

test.each<[string, Record<string, string>, readonly string[]]>([
  ['the default', {}, ['less', '-FRX']],
  ["the user's", { PAGER: 'most -s' }, ['most', '-s']],
  ["Pawl's own wins", { PAWL_PAGER: 'bat --plain', PAGER: 'most' }, ['bat', '--plain']],
  ['cat is no pager', { PAGER: 'cat' }, []],
  ['none', { PAGER: 'less', PAWL_PAGER: '' }, []],
  ['P1: a shell has no part in it', { PAGER: 'less; touch x' }, ['less;', 'touch', 'x']],
  ['P1: nothing of the current folder', { PAGER: 'tools/less' }, []],
  ['an absolute path', { PAGER: '/opt/pager' }, ['/opt/pager']],
])('%s', (_, env, words) => {
  expect(pagerIn(env)).toEqual(words);
});
