/** D22: a run is given up for good, and its name can be used again. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dispatchMarker } from '../../src/runtime/dispatch-marker.ts';
import { journalOf } from './observed.ts';
import { folderOf, id, Prepared } from './prepared.ts';
import {
  challenge,
  implemented,
  issue,
  listTasks,
  planned,
  propose,
  specify,
  type ChangeRepository,
} from './scripts.ts';

let approved: Prepared;
beforeAll(async () => {
  approved = await Prepared.make();
});
afterAll(() => approved.remove());

const abandon = (change: ChangeRepository, ...flags: readonly string[]) =>
  change.pawl('abandon', id, 'No longer needed', ...flags);
const moved = 'agentd/changes/.abandoned/greet';

describe('[D22] [change/abandon/for-good] abandon', () => {
  test('ends the run with its reason; its files are moved, the journal and lists say so', async () => {
    const change = approved.copy(planned);
    const { code, json } = await abandon(change, '--yes');
    expect([code, json]).toMatchObject([0, { run: id, action: 'abandoned', movedTo: moved }]);
    expect(change.repository.exists(folderOf())).toBe(false);
    expect(change.repository.read(`${moved}/ABANDONED.md`)).toMatch(/^# Abandoned\n\nNo longer needed\n/);
    expect(change.repository.exists(`${moved}/proposal.md`)).toBe(true);
    expect(journalOf(change, id).at(-1)).toMatchObject({
      type: 'moved',
      signal: 'abandoned',
      by: { how: 'command' },
      change: { state: 'abandoned', problem: { code: 'abandoned', message: 'No longer needed' } },
    });
    const { runs } = (await change.pawl('runs', '--all')).json;
    expect(runs).toMatchObject([{ run: id, phase: 'abandoned', outcome: 'done', next: null }]);
    const { json: status } = await change.pawl('change', 'status', id);
    expect(status).toMatchObject({ phase: 'abandoned', message: 'greet is abandoned: No longer needed', next: null });
    expect(status).toMatchObject({ verdict: null });
    const shown = (await change.repository.pawl(['change', 'status', id])).stdout;
    expect(shown).toMatch(
      /^greet {2}phase abandoned, iteration 1, updated [^\n]*\n {2}greet is abandoned: No longer needed\n/,
    );
    expect(await change.pawl('restore', id)).toMatchObject({
      code: 4,
      json: { diagnostics: [{ code: 'RunAbandoned' }] },
    });
  });

  test.each([
    ['change', 'plan', id],
    ['change', 'impl', id],
    ['change', 'archive', id],
    ['resume', id],
    ['retry', id],
    ['undo', id],
    ['cancel', id],
  ])('%s %s: refused from then on, and nothing is written', async (...command) => {
    const change = approved.copy(planned);
    await abandon(change, '--yes');
    const before = journalOf(change, id).length;
    const { code, json } = await change.pawl(...command);
    expect([code, json['diagnostics'][0].code]).toEqual([4, 'RunAbandoned']);
    expect(journalOf(change, id).length).toBe(before);
    expect(change.repository.exists(folderOf())).toBe(false);
  });

  test('twice: refused', async () => {
    const change = approved.copy(planned);
    await abandon(change, '--yes');
    const { code, json } = await abandon(change, '--yes');
    expect([code, json['diagnostics'][0].code]).toEqual([4, 'RunOver']);
  });

  test('needs a confirmation, and is for people only', async () => {
    const change = approved.copy(planned);
    const asked = await abandon(change);
    expect([asked.code, asked.json['diagnostics'][0].fix]).toEqual([3, 'run the same command with --yes']);
    const byAgent = await change.repository.pawl(['abandon', id, 'x', '--yes', '--json'], {
      env: { [dispatchMarker]: 'x' },
    });
    expect([byAgent.code, byAgent.stdout]).toEqual([4, expect.stringContaining('AgentNotAllowed')]);
    expect((await change.pawl('runs')).json['runs'][0].phase).toBe('challenged');
  });

  test('a question it waits with is closed with the reason', async () => {
    const revision = challenge('needs_revision', [issue]);
    const settings = '[workflow]\nretry_delay_secs = 0\nplanning_iterations = 0\n';
    const turns = [propose(), specify(), listTasks(), revision];
    const asking = await Prepared.make({ turns, settings, commands: [] });
    const change = asking.copy(turns);
    expect((await change.change('plan', id, 'Greet')).code).toBe(3);
    expect((await abandon(change, '--yes')).code).toBe(0);
    expect((await change.pawl('change', 'status', id)).json['decisions']).toEqual([]);
    asking.remove();
  });

  test('[change/abandon/name-again] --new begins another change of its name; without it that is explained', async () => {
    const change = approved.copy([...planned, ...planned, ...implemented]);
    await abandon(change, '--yes');
    const without = await change.change('plan', id, 'Greet again');
    expect([without.code, without.json['diagnostics'][0].message]).toEqual([
      4,
      expect.stringContaining('--new begins'),
    ]);
    // A command that is refused leaves the run that had the name.
    expect((await change.change('plan', id, '--new')).code).toBe(2);
    expect((await change.pawl('status', id)).json['phase']).toBe('abandoned');
    const anew = await change.change('plan', id, 'Greet again', '--new');
    expect([anew.code, anew.json['phase']]).toEqual([0, 'challenged']);
    expect(change.repository.exists(`${moved}/proposal.md`)).toBe(true);
    await abandon(change, '--yes');
    expect(change.repository.exists(`${moved}-2/proposal.md`)).toBe(true);
  });

  test('[change row 110] the folder is deleted: the fixes lead on', async () => {
    const change = approved.copy([...planned, ...planned]);
    rmSync(join(change.repository.root, folderOf()), { recursive: true });
    const other = await change.change('plan', id, 'Something else', '--new');
    expect(other.json['diagnostics'][0]).toMatchObject({
      code: 'ChangeNotArchived',
      fix: `pawl abandon ${id} "why it is given up"`,
    });
    expect((await abandon(change, '--yes')).json).toMatchObject({ action: 'abandoned', movedTo: null });
    expect((await change.change('plan', id, 'Something else', '--new')).code).toBe(0);
  });
});
