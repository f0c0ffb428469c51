/** What a person at a terminal meets: progress that is redrawn, questions, Ctrl-C. */

import { onTestFinished, describe, expect, test } from 'vitest';
import { journalOf, repositoryFor, settings, stateOf } from '../change/observed.ts';
import { challenge, implemented, issue, planned, propose, revise, type ChangeRepository } from '../change/scripts.ts';
import { agentsOf, slowly, until } from '../durability/at-work.ts';
import { columns, ctrlC, ctrlD, noTerminal, Terminal } from './terminal.ts';

const why = noTerminal === null ? '' : ` (skipped: ${noTerminal})`;
const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
const noRounds = settings('planning_iterations = 0');

function plan(change: ChangeRepository, ...words: string[]): Terminal {
  return planWith({}, change, ...words);
}

function planWith(
  env: Readonly<Record<string, string>>,
  { repository, scriptFile }: ChangeRepository,
  ...words: string[]
) {
  const scripted = ['--agent', 'scripted', '--script', scriptFile];
  const terminal = Terminal.pawl(repository, ['change', 'plan', 'greet', ...words, ...scripted], env);
  onTestFinished(() => terminal.kill());
  return terminal;
}

describe.skipIf(noTerminal !== null)(`at a terminal${why}`, () => {
  test('[change/planning/budget-spent-asks] [change/planning/continue-one-round] the question is asked, a slip is pointed out, the answer counts', async (context) => {
    const change = repositoryFor(context, [...asked, revise, challenge('approved'), ...implemented], noRounds);
    const terminal = plan(change, 'Greet by name');
    await terminal.shows('still needs a revision, and its planning budget is spent');
    await terminal.shows('Medium: No limit is named');
    await terminal.shows('Your answer');
    terminal.type('perhaps\n');
    await terminal.shows('"perhaps" is none of the answers');
    terminal.type('view\n');
    await terminal.shows('greet() takes a name.');
    await terminal.shows('Your answer');
    terminal.type('cont\n');
    await terminal.shows('The plan of greet is approved. Continue?');
    await terminal.shows('Your answer');
    terminal.type('3\n');
    expect(await terminal.ended).toBe(0);
    expect(stateOf(change, 'greet')['phase']).toBe('challenged');
    const answered = journalOf(change, 'greet').filter(({ by }) => by?.how === 'terminal');
    expect(answered.map(({ signal }) => signal)).toEqual(['continue']);
  });

  test('[change/planning/approved-offers-next] implement now goes on to the end', async (context) => {
    const change = repositoryFor(context, [...planned, ...implemented]);
    const terminal = plan(change, 'Greet by name');
    await terminal.shows('Your answer');
    terminal.type('implement\n');
    await terminal.shows('the implementation of greet is approved');
    expect(await terminal.ended).toBe(0);
    expect(stateOf(change, 'greet')['phase']).toBe('complete');
  });

  test('Ctrl-D leaves the question open: exit 3, and the same command asks again; Ctrl-C there exits 130', async (context) => {
    const change = repositoryFor(context, asked, noRounds);
    const terminal = plan(change, 'Greet by name');
    await terminal.shows('Your answer');
    terminal.type(ctrlD);
    await terminal.shows('pawl answer greet revision continue');
    expect(await terminal.ended).toBe(3);
    const again = plan(change);
    await again.shows('Your answer');
    again.type(ctrlC);
    expect(await again.ended).toBe(130);
    expect((await change.pawl('change', 'status', 'greet')).json['decisions']).toHaveLength(1);
  });

  test('the bell rings when somebody is asked; with CI=true nobody is, and no row is redrawn', async (context) => {
    const change = repositoryFor(context, asked, noRounds);
    const terminal = plan(change, 'Greet by name');
    await terminal.shows('Your answer');
    terminal.type(ctrlD);
    expect(await terminal.ended).toBe(3);
    expect(terminal.raw.split('\u0007')).toHaveLength(2);
    const inCi = planWith({ CI: 'true' }, change);
    expect(await inCi.ended).toBe(3);
    expect(inCi.text).not.toContain('Your answer');
    expect(inCi.raw).not.toContain('\u001B[J');
    expect(inCi.raw).not.toContain('\u0007');
  });

  test('progress is redrawn within the width; Ctrl-C ends the agent, exits 130, and the same command goes on', async (context) => {
    const change = repositoryFor(context, [slowly(propose())]);
    const terminal = plan(change, 'Greet by name');
    await terminal.shows(/planner +scripted +propose +0\.\ds/);
    await terminal.shows(/agent calls, \$\d+\.\d\d left/);
    // The same row again, a while later: it is drawn over.
    await terminal.shows(/planner +scripted +propose +[1-9][\d.]*s/);
    expect(agentsOf(change.repository)).not.toEqual([]);
    terminal.type(ctrlC);
    await terminal.shows('stopped; everything finished so far is kept');
    expect(await terminal.ended).toBe(130);
    await until('the agent is gone', () => agentsOf(change.repository).length === 0);
    // eslint-disable-next-line no-control-regex -- the cursor is moved by control characters
    const widths = terminal.raw.split(/[\r\n]+|\u001b\[\d*A/).map((row) => widthOf(row));
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    // What was redrawn is gone: below the last line that stays nothing is left of it.
    expect(terminal.raw.lastIndexOf('\u001b[J')).toBeGreaterThan(terminal.raw.search(/propose +[1-9][\d.]*s/));

    change.script(planned);
    const again = plan(change);
    await again.shows('The plan of greet is approved. Continue?');
    again.type('stop\n');
    expect(await again.ended).toBe(0);
    expect(journalOf(change, 'greet').filter(({ type }) => type === 'dispatch.abandoned')).toHaveLength(1);
  });
});

test.skipIf(noTerminal !== null)(`log: a record is a line that fits${why}`, async (context) => {
  const change = repositoryFor(context, planned);
  expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
  const terminal = Terminal.pawl(change.repository, ['log', 'greet']);
  expect(await terminal.ended).toBe(0);
  const lines = terminal.text.trimEnd().split('\n');
  expect(lines).toHaveLength(journalOf(change, 'greet').length);
  expect(lines.map(widthOf).filter((width) => width > columns)).toEqual([]);
  expect(lines.filter((line) => line.endsWith('…')).length).toBeGreaterThan(0);
  const piped = (await change.repository.pawl(['log', 'greet'])).stdout.split('\n');
  expect(Math.max(...piped.map(widthOf))).toBeGreaterThan(columns);
});

/** Of a row without its escape sequences; all characters used here are one column wide. */
function widthOf(row: string): number {
  // eslint-disable-next-line no-control-regex -- escape sequences are control characters
  return [...row.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')].length;
}
