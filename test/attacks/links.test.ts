/** Links in place of documents: rows of the attack table. */

import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { implemented, planned } from '../change/scripts.ts';
import { folder, keepTidy, run, scratch } from '../durability/at-work.ts';

keepTidy();

const secret = 'the content of a private file';

test.concurrent('attack 2.11: a document that is a link to a private file is an error, and is never read', async () => {
  const change = scratch([...planned, ...implemented]);
  const { repository } = change;
  const outside = join(repository.folder, 'private.md');
  writeFileSync(outside, `# ${secret}\n`);
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
  const link = `${folder}/specs/evil.md`;
  const isRefused = async (...args: string[]): Promise<void> => {
    symlinkSync(outside, join(repository.root, link));
    const { code, stdout, stderr } = await change.change(...args);
    const told = `${link}: it is a symlink that leads outside the workspace\n  fix: replace the link with the file itself`;
    expect([args[0], code, stderr]).toEqual([args[0], 2, expect.stringContaining(told)]);
    expect(stdout + stderr).not.toContain(secret);
    rmSync(join(repository.root, link));
  };
  await isRefused('impl', run, '--accept-edits');
  expect((await repository.pawl(['resume', run])).code).toBe(0);
  await isRefused('archive', run);
  expect(repository.exists('agentd/specs/evil.md')).toBe(false);
});

test.concurrent('attack 2.11: a link inside the workspace is a document like any other', async () => {
  const change = scratch([...planned, ...implemented]);
  const { repository } = change;
  repository.write('docs/config.toml', repository.read('agentd/config.toml'));
  rmSync(join(repository.root, 'agentd/config.toml'));
  symlinkSync('../docs/config.toml', join(repository.root, 'agentd/config.toml'));
  const plan = await change.change('plan', run, 'Greet people');
  expect(plan.code, plan.stderr).toBe(0);
});

test.concurrent('attack 2.11: a configuration that is a link to a private file is an error', async () => {
  const change = scratch(planned);
  const { repository } = change;
  const outside = join(repository.folder, 'private.toml');
  writeFileSync(outside, `# ${secret}\nnotify = 1\n`);
  symlinkSync(outside, join(repository.root, 'pawl.toml'));
  const plan = await change.change('plan', run, 'Greet people');
  expect([plan.code, plan.stderr]).toEqual([
    2,
    expect.stringContaining('pawl.toml: it is a symlink that leads outside'),
  ]);
});
