import { expect, test } from 'vitest';
import { changedTests } from './named-tests.ts';

const script = "import { test } from 'node:test';\ntest('adds', () => { assert.equal(f(1), 2); });\n";
const python = 'class TestF:\n    @mark\n    def test_adds(self):\n        assert f(1) == 2\n';
const rust = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(f(1), 2); }\n}\n';

test.each<[string, string, string, [from: string, to: string]]>([
  ['a.test.mjs', script, 'suite > adds', ['assert.equal(f(1), 2);', '']],
  ['test_a.py', python, 'test_a.py::TestF::test_adds[1]', ['assert f(1) == 2', 'pass']],
  ['test_a.py', python, 'test_adds', ['@mark', '@skip']],
  ['lib.rs', rust, 'tests::adds', ['assert_eq!(f(1), 2);', '']],
  ['a_test.go', 'func TestAdds(t *testing.T) {}\n', 'TestAdds', ['TestAdds', 'TestOther']],
])('[trial 2 10] %s: notices that a test was changed or removed', async (path, before, name, [from, to]) => {
  expect(await changedTests(path, { before, after: before.replace(from, to) }, [name])).toEqual([name]);
  expect(await changedTests(path, { before, after: '' }, [name])).toEqual([name]);
  const more = { before, after: `${before}\n\n${path.endsWith('.py') ? '#' : '//'} more\n` };
  expect(await changedTests(path, more, [name, 'unknown'])).toEqual([]);
});
