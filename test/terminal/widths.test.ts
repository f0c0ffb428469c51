/** The main screens at 80 and 120 columns: no line is wider than the terminal, and no word is broken. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { repositoryFor, settings } from '../change/observed.ts';
import { challenge, issue, planned, propose, revise, type ChangeRepository } from '../change/scripts.ts';
import { slowly } from '../durability/at-work.ts';
import { ctrlC, noTerminal, Terminal } from './terminal.ts';

const why = noTerminal === null ? '' : ` (skipped: ${noTerminal})`;
const isSkipped = noTerminal !== null && process.env['CI'] !== 'true';
const description =
  'Greet by name, with a description that is long enough to need more than a single line of a terminal';

function at({ repository }: ChangeRepository, wide: number, ...args: string[]): Terminal {
  const terminal = Terminal.pawl(repository, args, { PAGER: 'cat' }, wide);
  onTestFinished(() => terminal.kill());
  return terminal;
}

function plan(change: ChangeRepository, wide: number, ...args: string[]): Terminal {
  return at(change, wide, 'change', 'plan', 'greet', ...args, '--agent', 'scripted', '--script', change.scriptFile);
}

/** Of a screen that was read whole; a path is one word, whatever its length. */
function expectToFit(terminal: Terminal, wide: number, { paths = [] as string[] } = {}): void {
  const tooWide = terminal.rows.filter((row) => [...row].length > wide && !paths.some((path) => row.includes(path)));
  expect(tooWide).toEqual([]);
}

describe.skipIf(isSkipped).each([80, 120])(`at %i columns${why}`, (wide) => {
  test('help: of the program, of a workflow, of a command', async (context) => {
    const change = repositoryFor(context, planned);
    for (const words of [[], ['change'], ['change', 'plan'], ['feature'], ['resume']]) {
      const help = at(change, wide, ...words, '--help');
      expect(await help.ended).toBe(0);
      expectToFit(help, wide);
      const flat = help.text.replaceAll(/\s+/g, ' ');
      expect(flat).toContain('print one JSON document on stdout, prose on stderr');
      expect(flat).toContain('never ask: exit with code 3 where a person is needed');
    }
  });

  test('plan to its end: each agent call on one line with its result, cost and what follows; then show', async (context) => {
    const change = repositoryFor(context, planned);
    const terminal = plan(change, wide, description);
    await terminal.shows('Your answer');
    terminal.type('stop\n');
    expect(await terminal.ended).toBe(0);
    expectToFit(terminal, wide, { paths: [change.scriptFile] });
    expect(terminal.text).toMatch(/✓ challenger +scripted +challenge: approved → challenged +[\d.]+s/);
    expect(terminal.text).not.toMatch(/· (?:check|command) /);
    const show = at(change, wide, 'show', 'greet');
    expect(await show.ended).toBe(0);
    expectToFit(show, wide);
    expect(show.text).not.toContain('|---|');
    expect(show.text).toContain('Run greet of change: at challenged');
    const table = at(change, wide, 'show', 'change');
    expect(await table.ended).toBe(0);
    expectToFit(table, wide);
    expect(table.text).toContain('needs_minor_revision');
  });

  test('a question that is answered', async (context) => {
    const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
    const turns = [...asked, revise, challenge('approved')];
    const change = repositoryFor(context, turns, settings('planning_iterations = 0'));
    const terminal = plan(change, wide, description);
    await terminal.shows('Your answer');
    terminal.type('continue\n');
    await terminal.shows('Your answer');
    terminal.type('stop\n');
    expect(await terminal.ended).toBe(0);
    expectToFit(terminal, wide, { paths: [change.scriptFile] });
    expect(terminal.text).toMatch(/planning budget\s+is\s+spent/);
  });

  test('a failure is told once, with local times and without command lines', async (context) => {
    const change = repositoryFor(context, [{ role: 'planner', fault: 'rate_limited:3600' }]);
    const terminal = plan(change, wide, description);
    expect(await terminal.ended).toBe(75);
    expectToFit(terminal, wide, { paths: [change.scriptFile] });
    expect(terminal.text).toMatch(/rate limited until [-\d ]*\d\d:\d\d \(in (?:1h 00m|59m \d\ds)\)/);
    expect(terminal.text).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  test('Ctrl-C', async (context) => {
    const change = repositoryFor(context, [slowly(propose())]);
    const terminal = plan(change, wide, description);
    await terminal.shows(/agent calls, \$\d+\.\d\d left/);
    terminal.type(ctrlC);
    await terminal.shows('stopped; everything finished so far is kept');
    expect(await terminal.ended).toBe(130);
    expectToFit(terminal, wide, { paths: [change.scriptFile] });
    expect(terminal.text).not.toContain('error:');
    expect(terminal.text).toContain('Next: pawl resume greet');
  });
});
