/** Programs, names and links that an agent plants for whoever comes after it: rows of the attack table. */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { implement, implemented, planned, program, review, type Turn } from '../change/scripts.ts';
import { noTerminal, Terminal } from '../terminal/terminal.ts';
import type { Ran } from '../../src/testing/scratch-repository.ts';
import { keepTidy, recordsOf, run, scratch } from '../durability/at-work.ts';

keepTidy();

const writing = (write: Readonly<Record<string, string>>, more: Turn = {}): Turn => {
  const turn = implement();
  return { ...turn, write: { ...(turn['write'] as object), ...write }, ...more };
};

test.concurrent('attack 1.17: Pawl’s own git calls run nothing that the repository names', async () => {
  const change = scratch([...planned, ...implemented]);
  const { repository } = change;
  const { root, folder: beside } = repository;
  repository.write('.gitattributes', '* filter=trap diff=trap\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=attributes');
  const sprung = join(beside, 'sprung');
  const trap = join(beside, 'trap.sh');
  const script = `#!/bin/sh\necho "$0 $*" >> ${sprung}\ncat\n`;
  const hooks = ['post-checkout', 'post-commit', 'pre-commit', 'post-index-change', 'reference-transaction'];
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  for (const file of [trap, ...hooks.map((name) => join(root, '.git/hooks', name))]) {
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
  writeFileSync(join(root, '.git/info/attributes'), '* filter=trap diff=trap\n');
  const keys = ['core.fsmonitor', 'filter.trap.clean', 'filter.trap.smudge', 'diff.external', 'diff.trap.textconv'];
  for (const key of keys) repository.git('config', key, trap);
  repository.git('status');
  expect(existsSync(sprung)).toBe(true);
  rmSync(sprung);
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
  expect((await change.change('impl', run)).code).toBe(0);
  for (const verb of ['diff', 'undo']) expect((await repository.pawl([verb, run])).code).toBe(0);
  expect(existsSync(sprung)).toBe(false);
});

// oxlint-disable-next-line no-control-regex
const steers = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/;
const colours = new RegExp(String.raw`\u001B\[[0-9;]*m`, 'g');

test.concurrent('attack 2.13, 2.14, 2.17: diff and undo steer no terminal, and undo leaves files outside alone', async () => {
  const steering = '\u001B]0;title\u0007\u001B[2J\u009B31m\u202E';
  const hard = { run: ['ln ../outside src/hard'] };
  const change = scratch([
    ...planned,
    writing({ [`src/x${steering}.mjs`]: `${steering}\nshown\n` }, hard),
    review('APPROVED'),
  ]);
  const { repository } = change;
  writeFileSync(join(repository.folder, 'outside'), 'mine\n');
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
  expect((await change.change('impl', run)).code).toBe(0);
  expect((await repository.pawl(['diff', run])).stdout).toContain(`+${steering}`);
  if (noTerminal === null) {
    const terminal = Terminal.pawl(repository, ['diff', run]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text).toContain('+shown');
    expect(terminal.raw).toMatch(colours);
    expect(terminal.raw.replaceAll(colours, '').replaceAll(/\r|\t/g, '')).not.toMatch(steers);
  }
  const undone = await repository.pawl(['undo', run]);
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stdout).toContain('src/hard');
  expect(undone.stdout + undone.stderr).not.toMatch(steers);
  expect(repository.exists('src/hard')).toBe(false);
  expect(readFileSync(join(repository.folder, 'outside'), 'utf8')).toBe('mine\n');
});

test.concurrent('attack 1.28: a notification that an implementer rewrote decides nothing', async () => {
  const change = scratch([]);
  const { repository } = change;
  const notify = 'scripts/notify.sh';
  repository.write(notify, '#!/bin/sh\n');
  chmodSync(join(repository.root, notify), 0o755);
  repository.write('pawl.toml', `notify = ["${notify}"]\n`);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=notify');
  const told = join(repository.folder, 'told');
  const evil = `#!/bin/sh\n${process.execPath} ${program} retry ${run} > ${told} 2>&1\necho "exit $?" >> ${told}\n`;
  change.script([...planned, writing({ [notify]: evil }), review('MAJOR_ISSUES')]);
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
  expect((await change.change('impl', run)).code).toBe(3);
  expect(readFileSync(told, 'utf8')).toMatch(/an agent may not retry a step[^]*exit 4\n$/);
  expect(recordsOf(change).at(-1)).toMatchObject({ type: 'moved', signal: 'major_issues' });
});

test.concurrent('attack 1.18: a filter that nobody has trusted does not run when a worktree is made', async () => {
  const change = scratch(planned);
  const { repository } = change;
  const { root, folder: beside } = repository;
  const sprung = join(beside, 'sprung');
  repository.write('tools/filter.sh', `#!/bin/sh\necho "$0 $*" >> ${sprung}\ncat\n`);
  chmodSync(join(root, 'tools/filter.sh'), 0o755);
  repository.write('.gitattributes', '*.mjs filter=trap\n');
  rmSync(join(root, 'agentd/config.toml'));
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=attributes');
  const plan = async (...more: string[]): Promise<Ran> =>
    change.repository.pawl(
      [
        'change',
        'plan',
        run,
        'Greet people',
        '--worktree',
        '--agent',
        'scripted',
        '--script',
        change.scriptFile,
        ...more,
      ],
      { env: { PAWL_TRUST: '' } },
    );
  // Hidden in a file that the configuration includes.
  writeFileSync(join(root, '.git/more'), `[filter "trap"]\n\tsmudge = ${root}/tools/filter.sh\n`);
  repository.git('config', 'include.path', 'more');
  const refused = await plan();
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('.git/config: filter.trap.smudge')]);
  expect(refused.stderr).toContain('fix: pawl trust');
  expect(existsSync(sprung)).toBe(false);
  const trust = async (): Promise<Ran> => repository.pawl(['trust', '--yes'], { env: { PAWL_TRUST: '' } });
  expect((await trust()).code).toBe(0);
  // The program that it names is part of what was trusted.
  repository.write('tools/filter.sh', `${repository.read('tools/filter.sh')}# other\n`);
  expect((await plan()).code).toBe(3);
  expect((await trust()).code).toBe(0);
  const made = await plan();
  expect(made.code, made.stderr).toBe(0);
  expect(existsSync(sprung)).toBe(true);
});
