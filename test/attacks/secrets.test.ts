/** Secrets that agents know do not get into records, documents or onto the screen. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { implemented, planned } from '../change/scripts.ts';
import { keepTidy, run, scratch } from '../durability/at-work.ts';

keepTidy();

const secret = 'value-of-the-secret';

test('attack 4.3: a key that an agent prints when it fails is replaced by the name of its variable', async () => {
  const change = scratch([], '[workflow]\nscript_retries = 0\n');
  const { repository } = change;
  const bin = join(repository.folder, 'bin');
  mkdirSync(bin);
  const claude =
    '[ "$1" = --version ] && echo "9.0.0 (Claude Code)" && exit; echo "it failed with $ANTHROPIC_API_KEY" >&2; exit 3';
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${claude}\n`, { mode: 0o755 });
  repository.write('pawl.toml', '[roles]\nplanner = "claude"\n');
  const env = { ANTHROPIC_API_KEY: secret, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const ran = await repository.pawl(['change', 'plan', run, 'Greet', '--json'], { env });
  expect(ran.code, ran.stderr).toBe(1);
  const journal = repository.read(`.git/pawl/change/${run}/journal.jsonl`);
  for (const text of [ran.stdout, ran.stderr, journal]) {
    expect(text).not.toContain(secret);
    expect(text).toContain('it failed with [ANTHROPIC_API_KEY]');
  }
});

test('an exported journal, and one as JSON, name neither the user nor a folder of this computer', async () => {
  const change = scratch([...planned, ...implemented]);
  const { repository } = change;
  for (const [command = '', ...words] of [['plan', 'Greet'], ['impl'], ['archive']]) {
    const ran = await change.change(command, run, ...words);
    expect(ran.code, ran.stderr).toBe(0);
  }
  const own = repository.read(`.git/pawl/change/${run}/journal.jsonl`);
  const exported = repository.read(`agentd/archive/${run}/journal.jsonl`);
  const { stdout } = await repository.pawl(['log', run, '--json']);
  const { username } = userInfo();
  expect(own).toContain(`"who":"${username}"`);
  expect(own).toContain(repository.folder);
  for (const text of [exported, stdout]) {
    expect(text).not.toContain(repository.folder);
    expect(text).not.toContain(tmpdir());
    expect(text).not.toMatch(new RegExp(`"who": ?"${username}"`));
    expect(text).toMatch(/"who": ?"<user>"/);
  }
});
