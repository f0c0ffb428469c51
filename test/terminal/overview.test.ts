/** All runs at once, at a terminal: what is open is answered there, a run at work is followed, long texts are paged. */

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repositoryFor, settings } from '../change/observed.ts';
import { challenge, issue, planned, propose, type ChangeRepository } from '../change/scripts.ts';
import { slowly } from '../durability/at-work.ts';
import { ctrlC, noTerminal, Terminal } from './terminal.ts';

const why = noTerminal === null ? '' : ` (skipped: ${noTerminal})`;
const asked = [...planned.slice(0, 3), challenge('needs_revision', [issue])];
const noRounds = settings('planning_iterations = 0');

function at({ repository }: ChangeRepository, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = Terminal.pawl(repository, args, env);
  onTestFinished(() => terminal.kill());
  return terminal;
}

describe.skipIf(noTerminal !== null)(`all runs, at a terminal${why}`, () => {
  test('watch keeps the overview on screen until q, and gives the terminal back', async (context) => {
    const change = repositoryFor(context, asked, noRounds);
    const terminal = at(change, ['watch']);
    await terminal.shows('There are no runs in this repository yet.');
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(3);
    await terminal.shows('Needs you (1)');
    await terminal.shows('pawl answer greet');
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    expect(terminal.raw.endsWith('\u001B[?25h\u001B[?1049l')).toBe(true);
  });

  test('answer alone asks what is open; the answer is on record, and the status says how to go on', async (context) => {
    const change = repositoryFor(context, asked, noRounds);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(3);
    const listed = await change.pawl('answer');
    expect([listed.code, listed.json['decisions'][0].id]).toEqual([3, 'revision']);
    const terminal = at(change, ['answer']);
    await terminal.shows('still needs a revision');
    await terminal.shows('Your answer');
    terminal.type('perhaps\n');
    await terminal.shows('"perhaps" is none of the answers');
    terminal.type('continue\n');
    await terminal.shows('recorded: continue');
    await terminal.shows('Next: pawl resume greet');
    expect(await terminal.ended).toBe(0);
    expect((await change.pawl('status', 'greet')).json['message']).toBe('answer recorded, not continued yet');
    expect((await change.pawl('status')).json['ready']).toMatchObject([{ run: 'greet', next: 'pawl resume greet' }]);
    expect((await change.pawl('answer')).code).toBe(0);
  });

  test('attach follows a run at work; Ctrl-C detaches, and the run goes on', async (context) => {
    const change = repositoryFor(context, [slowly(propose())]);
    const scripted = ['--agent', 'scripted', '--script', change.scriptFile];
    const working = at(change, ['change', 'plan', 'greet', 'Greet by name', ...scripted]);
    await working.shows(/planner +scripted +propose/);
    const terminal = at(change, ['attach', 'greet']);
    await terminal.shows('Current state: phase=proposed');
    await terminal.shows(/planner +scripted +propose +\d/);
    terminal.type(ctrlC);
    await terminal.shows('detached: greet goes on');
    expect(await terminal.ended).toBe(130);
    const again = at(change, ['attach', 'greet']);
    await again.shows(/planner +scripted +propose +\d/);
    working.type(ctrlC);
    expect(await working.ended).toBe(130);
    await again.shows('was interrupted in propose');
    await again.shows('Next: pawl resume greet');
    expect(await again.ended).toBe(130);
  });

  test('long output goes through the pager, without a shell and made safe; --no-pager prints it', async (context) => {
    const change = repositoryFor(context, [...planned]);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
    const pager = join(change.repository.home, 'pager');
    const seen = join(change.repository.home, 'seen');
    writeFileSync(pager, `#!/bin/sh\necho "$@" > '${seen}'\ncat > '${seen}.text'\necho paged\n`);
    chmodSync(pager, 0o755);
    const env = { PAGER: `${pager} a;b` };
    const terminal = at(change, ['log', 'greet', '--dispatch', '1'], env);
    await terminal.shows('paged');
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(seen, 'utf8')).toBe('a;b\n');
    const text = readFileSync(`${seen}.text`, 'utf8');
    expect(text).toContain('prompt');
    // eslint-disable-next-line no-control-regex -- escape sequences are control characters
    expect(text.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const plain = at(change, ['log', 'greet', '--dispatch', '1', '--no-pager'], env);
    await plain.shows('reports');
    expect(await plain.ended).toBe(0);
    expect(plain.text).not.toContain('paged');
    const short = at(change, ['log', 'greet', '-n', '2'], env);
    await short.shows('#4 ended: approved');
    expect(await short.ended).toBe(0);
    expect(short.text).not.toContain('paged');
  });
});
