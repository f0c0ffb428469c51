import { describe, expect, test } from 'vitest';
import { commands } from './command-table.ts';
import { exitCodes } from './problem.ts';
import { commandHelp, programHelp } from './help.ts';
import { commonFlags, usageOf } from './options.ts';

test('the help of a workflow lists its commands with their words', () => {
  const known = commands('pawl').filter(({ group }) => group === 'change');
  const text = programHelp('pawl', known);
  expect(text).toContain('\nChanges:\n');
  for (const { spec } of known.filter(({ spec: { about } }) => about !== ''))
    expect(text).toContain(`  ${usageOf(spec)}  `);
});

describe.each(['pawl', 'agentd'] as const)('%s --help', (program) => {
  const known = commands(program);
  const text = programHelp(program, known);
  const lines = text.split('\n');

  test('begins with what it is and an example', () => {
    expect(lines[0]).toMatch(new RegExp(`^${program} runs `));
    expect(lines[2]).toBe('Examples:');
    expect(lines[3]).toMatch(new RegExp(`^ {2}${program} `));
  });

  test('lists every command with what it does, and no retired one', () => {
    const older = ['plan-change', 'impl-change', 'merge-change'];
    const flat = text.replaceAll(/\n {6,}/g, ' ');
    for (const { spec, path, group } of known) {
      const isVerb = program === 'pawl' && path.length > 1 && path[0] === group;
      const listed = isVerb
        ? flat.split('\n').filter((line) => new RegExp(`^ {2}${group} .*[ ,]${path[1]}(?:,|$)`).test(line))
        : flat
            .split('\n')
            .filter((line) => line.startsWith(`  ${program === 'pawl' ? path.join(' ') : usageOf(spec)}  `));
      const hidden = spec.about === '' || older.includes(path.at(-1) ?? '');
      expect(listed, spec.name).toHaveLength(hidden ? 0 : 1);
    }
  });

  test('names every exit code', () => {
    for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`(?:^ |,) ${code} [a-z]`, 'm'));
  });

  test('has no line that is only spaces or ends with one', () => {
    expect(lines.filter((line) => /\s$/.test(line))).toEqual([]);
  });
});

test.each(['pawl', 'agentd'])('every line of %s is an imperative that fits in 60 characters', (program) => {
  const abouts = commands(program).flatMap(({ spec }) => [
    spec.about,
    ...Object.values({ ...spec.flags, ...commonFlags }).map(({ about }) => about),
  ]);
  expect(abouts.filter((about) => about.length > 60)).toEqual([]);
  const commandLines = commands(program).map(({ spec }) => spec.about);
  expect(commandLines.filter((about) => about !== '' && !/^[A-Z][a-z]+ /.test(about))).toEqual([]);
});

test('a command is explained with its words, its flags, the common ones, and examples', () => {
  const found = commands('pawl').find(({ spec }) => spec.name === 'pawl change impl');
  const text = commandHelp(found!.spec);
  const { flags } = found!.spec;
  expect(text.startsWith('pawl change impl <id> [flags]\n\nImplement the approved plan')).toBe(true);
  for (const name of [...Object.keys(flags), ...Object.keys(commonFlags)])
    expect(text).toMatch(new RegExp(`^ {2}--${name}( |$)`, 'm'));
  const abouts = Object.values({ ...flags, ...commonFlags }).map(({ about }) => about);
  const starts = new Set(
    abouts.map((about) =>
      text
        .split('\n')
        .find((line) => line.endsWith(`  ${about}`))
        ?.indexOf(about),
    ),
  );
  expect(starts.size, 'all descriptions begin in the same column').toBe(1);
  expect(text).toContain('Examples:\n  pawl change impl add-limit\n');
});
