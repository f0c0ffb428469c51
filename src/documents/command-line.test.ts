import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommand } from './command-line.ts';

test.each([
  ['npm test', ['npm', 'test']],
  ['  npm   run\tlint  ', ['npm', 'run', 'lint']],
  [`node -e 'console.log("a b")'`, ['node', '-e', 'console.log("a b")']],
  [`echo "a \\"b\\" \\\\ \\n"`, ['echo', 'a "b" \\ \\n']],
  ['echo a\\ b', ['echo', 'a b']],
  [`grep 'a|b' src/*.ts`, ['grep', 'a|b', 'src/*.ts']],
  [`echo '' ""`, ['echo', '', '']],
  [`echo 'it'\\''s'`, ['echo', "it's"]],
  ['echo "costs $ 5" 5$', ['echo', 'costs $ 5', '5$']],
  [`echo '$HOME' \\$HOME "\\$HOME"`, ['echo', '$HOME', '$HOME', '$HOME']],
  ['vitest run --reporter=default', ['vitest', 'run', '--reporter=default']],
])('%j is a program and its arguments', (text, argv) => {
  expect(splitCommand(text)).toEqual({ argv });
});

test.each([
  ['npm test | tee log', '"|" is a pipe'],
  ['npm test && npm run lint', '"&" is'],
  ['a; b', '";" is'],
  ['a > out', '">" is a redirection'],
  ['a < in', '"<" is a redirection'],
  ['echo `date`', '"`" is a command substitution'],
  ['echo $(date)', '"$" would be expanded'],
  ['echo $HOME', '"$" would be expanded'],
  ['echo "${HOME}"', '"$" in double quotes would be expanded'],
  ['echo "`date`"', '"`" in double quotes would be expanded'],
  ['(cd x)', '"(" is a subshell'],
  ['a\nb', 'is a line break'],
  ['CI=1 npm test', 'CI=1 sets a variable'],
])('%j needs a shell', (text, problem) => {
  expect(splitCommand(text)).toEqual({
    problem: expect.stringContaining(problem),
    fix: expect.stringContaining(`write sh -c '${text}'`),
  });
});

test('the way out that is proposed is one', () => {
  const [, command = ''] = /write (sh -c '.*')/.exec(JSON.stringify(splitCommand("echo 'a b' | cat"))) ?? [];
  const proposed: unknown = JSON.parse(`"${command}"`);
  const argv = ['sh', '-c', "echo 'a b' | cat"];
  expect(splitCommand(String(proposed))).toEqual({ argv });
});

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ["''", 'empty'],
  ["echo 'a", 'single quote'],
  ['echo "a', 'double quote'],
  ['echo a\\', 'backslash'],
  ['echo \0', 'null'],
])('%j is no command', (text, problem) => {
  expect(splitCommand(text)).toEqual({ problem: expect.stringContaining(problem), fix: expect.any(String) });
});

test('sh takes the same words for the same arguments', () => {
  // Without what only a shell expands: globs, tilde, comments, reserved words in first place.
  const piece = fc.constantFrom(
    'a',
    'B-',
    '=',
    '.',
    ' ',
    '  ',
    "'",
    '"',
    '\\',
    "'x y'",
    '"x y"',
    '""',
    '$ ',
    '|',
    '$a',
    'é',
    ',',
    '%',
  );
  const commands = fc.sample(
    fc.array(piece, { minLength: 1, maxLength: 10 }).map((parts) => `p ${parts.join('')}`),
    { numRuns: 300, seed: 7 },
  );
  const read = commands.flatMap((text) => {
    const command = splitCommand(text);
    return 'argv' in command ? [{ text, argv: command.argv }] : [];
  });
  const script = ['p() { printf "%s\\037" "$@"; printf "\\036"; }', ...read.map(({ text }) => text)].join('\n');
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\u001E').slice(0, -1);
  expect(read.length).toBeGreaterThan(50);
  expect(said).toEqual(read.map(({ argv }) => (argv.length === 1 ? ['', ''] : [...argv.slice(1), '']).join('\u001F')));
});
