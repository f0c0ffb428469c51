import { expect, test } from 'vitest';
import { parseToml } from './toml.ts';

test('tables', () => {
  expect(parseToml('\ufeff[workflow]\nplanning_iterations = 2\n\n[[claude.models]]\nname = "x"\n', 'c.toml')).toEqual({
    workflow: { planning_iterations: 2 },
    claude: { models: [{ name: 'x' }] },
  });
  expect(parseToml('', 'c.toml')).toEqual({});
});

test('an error names file and line', () => {
  expect(() => parseToml('[workflow]\na = 1\nb = \n', 'agentd/config.toml')).toThrow(
    /^agentd\/config\.toml:3: [^\n]+; expected valid TOML$/,
  );
  expect(() => parseToml('a = 1\na = 2\n', 'c.toml')).toThrow(/^c\.toml:2: /);
});
