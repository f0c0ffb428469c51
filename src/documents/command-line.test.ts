import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsShell, splitCommand } from './command-line.ts';

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
  expect(runsShell(argv)).toBe(false);
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
    fix: expect.stringContaining(`write sh -c '${text}' and allow it`),
  });
});

test('the way out that is proposed is one', () => {
  const [, command = ''] = /write (.*) and allow it/.exec(JSON.stringify(splitCommand("echo 'a b' | cat"))) ?? [];
  const proposed: unknown = JSON.parse(`"${command}"`);
  const argv = ['sh', '-c', "echo 'a b' | cat"];
  expect(splitCommand(String(proposed))).toEqual({ argv });
  expect(runsShell(argv)).toBe(true);
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

test.each([
  ["sh -c 'a | b'", true],
  ["/bin/bash -lc 'a'", true],
  ["env CI=1 sh -c 'a'", true],
  ["timeout 5 sh -c 'a'", true],
  ["timeout -k 1 5 env CI=1 /bin/bash -c 'a'", true],
  ["nice -n 10 nohup sh -c 'a'", true],
  ["sudo -u me bash -c 'a'", true],
  ["/usr/bin/time -f %e dash -c 'a'", true],
  ['timeout 5 npm test', false],
  ['timeout 5 sh script.sh', false],
  ['sh script.sh', false],
  ['npm run -c', false],
])('%j runs a text in a shell: %s', (text, shell) => {
  const command = splitCommand(text);
  expect('argv' in command && runsShell(command.argv)).toBe(shell);
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
