/** Files that cannot be read, and machines that refuse: a clear error, nothing half-written, and on it goes afterwards. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTimeOf } from '../../src/workspace/processes.ts';
import { everything } from '../change/observed.ts';
import { challenge, config, implemented, planned, program, propose, type ChangeRepository } from '../change/scripts.ts';
import {
  agentsOf,
  copyOf,
  filesOf,
  folder,
  keepTidy,
  phaseIn,
  recordsOf,
  run,
  scratch,
  slowly,
  startUntil,
} from './at-work.ts';

keepTidy();

let approved: ChangeRepository;

beforeAll(async () => {
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

type Disturb = (change: ChangeRepository) => void;

const write =
  (path: string, text: string): Disturb =>
  (change) =>
    change.repository.write(path, text);
const bytes =
  (path: string): Disturb =>
  (change) =>
    writeFileSync(join(change.repository.root, path), Buffer.from([0x61, 0xc3, 0x28]));
const folderAt =
  (path: string): Disturb =>
  (change) => {
    rmSync(join(change.repository.root, path), { force: true });
    mkdirSync(join(change.repository.root, path), { recursive: true });
  };

/** While files are removed one by one, an agent that misses its own may end, and Pawl would write new ones. */
function removeAtOnce({ repository }: ChangeRepository, folder: string): void {
  const gone = join(repository.folder, 'gone');
  renameSync(folder, gone);
  rmSync(gone, { recursive: true, force: true, maxRetries: 9 });
}

describe.concurrent('agentd/config.toml that cannot be read: exit 2, and no journal is created', () => {
  const path = 'agentd/config.toml';
  test.each<[string, Disturb, RegExp]>([
    ['broken TOML', write(path, '[workflow]\nplanning_iterations = \n'), /config\.toml:2: .*expected/s],
    ['a word for a number', write(path, '[workflow]\nplanning_iterations = "two"\n'), /config\.toml:2: .*expected/s],
    ['a number out of range', write(path, '[workflow]\nplanning_iterations = 999\n'), /config\.toml:2: .*expected/s],
    ['bytes that are no text', bytes(path), /cannot read .*config\.toml: it is not UTF-8/],
    ['a folder in its place', folderAt(path), /cannot read .*config\.toml: there is a folder in its place/],
  ])('%s', async (_, disturb, message) => {
    const fresh = scratch(planned);
    disturb(fresh);
    const before = everything(fresh);
    const ran = await fresh.change('plan', run, 'Greet people');
    expect(ran.code, ran.stderr).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('internal error');
    expect(everything(fresh)).toEqual(before);

    const known = copyOf(approved, [...planned, ...implemented]);
    disturb(known);
    const files = filesOf(known.repository);
    const records = recordsOf(known);
    expect((await known.change('impl', run)).code).toBe(2);
    expect(filesOf(known.repository)).toEqual(files);
    expect(recordsOf(known)).toEqual(records);
    rmSync(join(known.repository.root, path), { recursive: true });
    known.repository.write(path, config);
    expect((await known.change('impl', run)).code).toBe(0);
  });
});

describe.concurrent('plan documents that cannot be read', () => {
  const proposal = `${folder}/proposal.md`;
  const tasks = `${folder}/tasks.md`;

  test.each<[string, Disturb, number, RegExp]>([
    [
      'a proposal with broken front matter',
      (change) => change.repository.write(proposal, change.repository.read(proposal).replace(/^id:.*$/m, 'id: [greet')),
      3,
      /proposal\.md:\d+: .*expected/s,
    ],
    ['a proposal of bytes that are no text', bytes(proposal), 2, /cannot read .*proposal\.md: it is not UTF-8/],
    ['a folder instead of the proposal', folderAt(proposal), 2, /cannot read .*proposal\.md: there is a folder/],
    ['tasks of bytes that are no text', bytes(tasks), 2, /cannot read .*tasks\.md: it is not UTF-8/],
  ])('plan with %s', async (_, disturb, code, message) => {
    const change = copyOf(approved, [...planned, challenge('approved')]);
    disturb(change);
    const documents = documentsOf(change);
    const ran = await change.change('plan', run);
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('internal error');
    expect(ran.json['dispatches'] ?? []).toHaveLength(code === 2 ? 0 : 4);
    expect(documentsOf(change)).toEqual(documents);
  });

  test.each<[string, Disturb, number, RegExp]>([
    [
      'a status nobody knows',
      (change) =>
        change.repository.write(tasks, change.repository.read(tasks).replace('status: pending', 'status: soon')),
      4,
      /tasks\.md:\d+: /,
    ],
    ['tasks of bytes that are no text', bytes(tasks), 2, /cannot read .*tasks\.md: it is not UTF-8/],
    [
      'no tasks at all',
      (change) => rmSync(join(change.repository.root, tasks)),
      4,
      /tasks\.md: tasks\.md does not exist/,
    ],
  ])('impl --accept-edits with %s', async (_, disturb, code, message) => {
    const change = copyOf(approved, [...planned, ...implemented]);
    disturb(change);
    const documents = documentsOf(change);
    const ran = await change.change('impl', run, '--accept-edits');
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('internal error');
    expect(documentsOf(change)).toEqual(documents);
    expect(change.repository.exists('src/1.1.mjs')).toBe(false);
  });

  /** All but the state file, which may say that something was tried. */
  function documentsOf({ repository }: ChangeRepository): Record<string, string> {
    return Object.fromEntries(Object.entries(filesOf(repository)).filter(([path]) => !path.endsWith('STATE.yaml')));
  }
});

describe.concurrent('mistakes on the command line: exit 2, and nothing is written', () => {
  test.each([
    ['--edits', 'perhaps'],
    ['--script', 'nowhere.yaml'],
    ['--script', 'README.md'],
    ['--tasks', '1.1'],
  ])('plan … %s %s', async (flag, value) => {
    const change = scratch(planned);
    const before = everything(change);
    const ran = await change.pawl('change', 'plan', run, 'Greet', '--agent', 'scripted', flag, value);
    expect(ran.code, ran.stderr).toBe(2);
    expect(everything(change)).toEqual(before);
  });
});

describe.concurrent('files and folders of others', () => {
  test('a file in the place of a folder: exit 2, nothing written; once it is removed, the same command continues', async () => {
    const change = scratch(planned);
    change.repository.write('agentd/changes', 'not a folder\n');
    const before = filesOf(change.repository);
    const ran = await change.change('plan', run, 'Greet people');
    expect(ran.code, ran.stderr).toBe(2);
    expect(ran.stderr).toMatch(/STATE\.yaml cannot be written: agentd\/changes is not a folder/);
    expect(filesOf(change.repository)).toEqual(before);
    rmSync(join(change.repository.root, 'agentd', 'changes'));
    const again = await change.change('plan', run, 'Greet people');
    expect(again.code, again.stderr).toBe(0);
  });

  test('the repository is deleted while an agent works: exit 1, and the agent is killed', async () => {
    const change = scratch([{ ...propose(), sleep_ms: 1_500 }]);
    const work = await startUntil(change, ['change', 'plan', run, 'Greet'], { step: 'propose' });
    removeAtOnce(change, change.repository.root);
    const ran = await work.ended;
    expect(ran.code, ran.stderr).toBe(1);
    expect(ran.stderr).not.toContain('internal error');
    expect(ran.stderr).toContain('does not exist');
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'error', exitCode: 1 });
  });

  test('the current folder is deleted: exit 2', () => {
    const change = scratch();
    const cwd = join(change.repository.folder, 'gone');
    mkdirSync(cwd);
    const removed = 'rmdir "$PWD" && exec "$0" "$1" runs';
    const ran = spawnSync('sh', ['-c', removed, process.execPath, program], { cwd, encoding: 'utf8' });
    expect(ran.status, ran.stderr).toBe(2);
    expect(ran.stderr).toContain('the current folder no longer exists');
  });
});

describe.concurrent('a journal that was damaged', () => {
  test('[session row 105] R1, attack 1.8: every command that needs it exits 1 with the record’s number, and nothing is changed', async () => {
    const change = copyOf(approved, [...planned, ...implemented]);
    const file = join(change.repository.runFolder('change', run), 'journal.jsonl');
    const journal = readFileSync(file);
    const at = journal.indexOf('"propose"');
    journal.writeUInt8(journal.readUInt8(at + 1) ^ 1, at + 1);
    writeFileSync(file, journal);
    const before = filesOf(change.repository);
    const commands = [
      ['change', 'impl', run],
      ['change', 'plan', run],
      ['change', 'status', run],
      ['log', run],
      ['resume', run],
      ['diff', run],
      ['undo', run],
      ['cancel', run],
      ['answer', run, 'revision', 'continue'],
    ];
    for (const args of commands) {
      const ran = await change.pawl(...args);
      expect(ran.code, `${args.join(' ')}: ${ran.stderr}`).toBe(1);
      expect(ran.json['diagnostics'][0]).toMatchObject({ code: 'JournalCorrupt' });
      expect(ran.stderr).toMatch(/journal\.jsonl: record \d+ is damaged/);
    }
    expect(filesOf(change.repository)).toEqual(before);
    expect(readFileSync(file)).toEqual(journal);
    expect(phaseIn(change)).toBe('challenged');
  });

  test('R3: a torn last record is truncated, and the run continues', async () => {
    const change = copyOf(approved, [...planned, ...implemented]);
    const file = join(change.repository.runFolder('change', run), 'journal.jsonl');
    writeFileSync(file, '{"seq":99,"epoch":1,"at":"2026', { flag: 'a' });
    expect((await change.change('impl', run)).code).toBe(0);
  });
});

test('the run’s own folder is deleted while an agent works: exit 1, and the agent is killed', async () => {
  const change = scratch([slowly(propose())]);
  const work = await startUntil(change, ['change', 'plan', run, 'Greet'], { step: 'propose' });
  const agents = agentsOf(change.repository);
  removeAtOnce(change, change.repository.runFolder('change', run));
  work.child.kill('SIGINT');
  const ran = await work.ended;
  expect(ran.code, ran.stderr).toBe(1);
  expect(ran.stderr).toMatch(/does not exist/);
  expect(agents.filter((pid) => startTimeOf(pid) !== undefined)).toEqual([]);
});
