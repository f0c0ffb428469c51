/** Who plays a run, chosen on the command line; what cannot work is said before anything is written. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScratchRepository } from '../src/testing/scratch-repository.ts';
import { renderIssue } from '../src/workflows/issue/files/issue-file.ts';
import { program } from './change/scripts.ts';
import { WarmRepository } from './warm-repository.ts';

const definition = `
name: note
about: Writes a note.
begin: write
roles:
  writer: { agent: claude, writes: ["notes/**"] }
artifacts:
  note: { path: "notes/{{run}}.md" }
states:
  write: { role: writer, prompt: notes.md, makes: note, on: { done: written } }
  written: { ends: done }
`;
const issue = { id: 'DO-1', title: 'Do it', parent: null, labels: [], dependsOn: [], sections: [] };
const files = {
  'pawl.toml': 'workflows = ["flows/note.yaml"]\nretry_delay_secs = 0\n',
  'flows/note.yaml': definition,
  'flows/notes.md': 'Write a note.\n',
  'TODO/DO-1.md': renderIssue({ ...issue, text: 'As the title says.', criteria: ['It is done.'] }),
  'TODO/README.md': '# Issues\n\n## Inbox\n\n- [ ] [DO-1](DO-1.md) — Do it\n',
};

let repository: WarmRepository;
let path = '';
beforeAll(() => {
  repository = new WarmRepository(program, ScratchRepository.create(program, files).folder);
  repository.git('config', 'user.name', 'Ada');
  repository.git('config', 'user.email', 'ada@example.org');
  repository.git('checkout', '--quiet', '-b', 'work');
  // No coding agent of this computer is in it.
  path = join(repository.folder, 'programs');
  mkdirSync(path);
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  symlinkSync(git, join(path, 'git'));
  symlinkSync(process.execPath, join(path, 'node'));
  writeFileSync(join(repository.folder, 'list.yaml'), 'role: planner\n');
  writeFileSync(join(repository.folder, 'key.yaml'), '- rol: planner\n');
});
afterAll(() => repository.remove());

const pawl = (...args: string[]) => repository.pawl(args, { env: { PATH: path } });

const firstCommands = [
  ['change', 'plan', 'add-limit', 'Slugs get a maximum length'],
  ['change', 'lean', 'add-limit', 'Slugs get a maximum length'],
  ['session', 'start', 'Export the list as CSV', '--no-input'],
  ['issue', 'run', 'DO-1'],
  ['note', 'start', 'first'],
];

describe.each(firstCommands)('before the first record of %s %s', (workflow, ...rest) => {
  const command = [workflow, ...rest];
  const mistakes: [string, readonly string[], number, string][] = [
    ['no agent is installed', [], 69, 'is not installed'],
    ['an unknown agent', ['--agent', 'clyde'], 2, 'there is no agent "clyde"; did you mean claude?'],
    ['an unknown agent for a role', ['--agent', `scripted,${roleOf(workflow)}=clyde`], 2, 'did you mean claude?'],
    ['an unknown role', ['--agent', `${roleOf(workflow)}x=codex`], 2, `did you mean ${roleOf(workflow)}?`],
    ['an unknown role of a model', ['--model', `${roleOf(workflow)}x=big`], 2, `did you mean ${roleOf(workflow)}?`],
    ['a model that would be an option', ['--agent', 'scripted', '--model', '-p'], 2, '"-p" is no name of a model'],
    ['two agents for all roles', ['--agent', 'codex', '--agent', 'claude'], 2, 'every role is named twice'],
    ['no script', ['--agent', 'scripted', '--script', '../none.yaml'], 2, 'there is no script'],
    ['a script that is no list', ['--agent', 'scripted', '--script', '../list.yaml'], 2, 'the script is not a list'],
    ['an unknown key', ['--agent', 'scripted', '--script', '../key.yaml'], 2, 'key.yaml:1'],
  ];
  test.each(mistakes)('%s', async (_, flags, code, message) => {
    expect(await pawl(...command, ...flags)).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expectNothingWritten();
  });

  test('a mistake in the configuration', async () => {
    repository.write('pawl.toml', `${files['pawl.toml']}\n[budget]\ntokens = "many"\n`);
    repository.git('commit', '--quiet', '--all', '--message=mistake');
    const ran = await pawl(...command, '--agent', 'scripted');
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('pawl.toml:5') });
    expectNothingWritten();
  });
});

function roleOf(workflow: string): string {
  return { change: 'planner', session: 'Architect', issue: 'check', note: 'writer' }[workflow] ?? '';
}

function expectNothingWritten(): void {
  expect(repository.git('status', '--porcelain')).toBe('');
  const folders = ['change', 'session', 'issue', 'note'].map((name) => join(repository.root, '.git', 'pawl', name));
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
}

test('a workflow without a rehearsal needs a script', async () => {
  const ran = await pawl('note', 'start', 'first', '--agent', 'writer=scripted');
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('the scripted agent has no rehearsal') });
  expectNothingWritten();
});

test('agents and models are remembered, shown, and replaced role by role', async () => {
  const choice = ['--agent', 'planner=scripted', '--agent', 'challenger=scripted', '--model', 'large,planner=small'];
  const planned = await pawl('change', 'plan', 'short', 'Slugs get a maximum length', ...choice);
  const flags = '--agent planner=scripted,challenger=scripted --model large,planner=small';
  expect(planned.stdout).toContain(`Next: pawl change impl short ${flags}`);
  const document = JSON.parse((await pawl('change', 'status', 'short', '--json')).stdout);
  expect(document.cast).toEqual({ agent: 'planner=scripted,challenger=scripted', model: 'large,planner=small' });
  const models = new Set(document.dispatches.map(({ role, model }: Record<string, string>) => `${role} ${model}`));
  expect([...models]).toEqual(['planner small', 'challenger large']);
  expect((await pawl('change', 'status', 'short')).stdout).toContain(`chosen: ${flags}`);

  // Nobody is there for the other roles; the run remembers who is asked for until a person names another.
  const stopped = await pawl('change', 'impl', 'short', '--agent', 'reviewer=scripted');
  expect(stopped.code).toBe(69);
  const resumed = await pawl('resume', 'short', '--agent', 'implementer=scripted', '--json');
  expect(JSON.parse(resumed.stdout)).toMatchObject({ phase: 'complete', outcome: 'done' });
  const checked = { check: 'run_checks', signal: 'ran', notes: expect.any(Array) };
  expect(JSON.parse(resumed.stdout).checks).toContainEqual(checked);
  const { cast } = JSON.parse((await pawl('change', 'status', 'short', '--json')).stdout);
  expect(cast).toEqual({ agent: 'reviewer=scripted,implementer=scripted' });
});
