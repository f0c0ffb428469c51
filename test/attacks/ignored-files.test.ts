/** Files that git ignores and checks execute: rows of the attack table. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { implement, planned, review, type ChangeRepository } from '../change/scripts.ts';
import { copyOf, keepTidy, recordsOf, run, scratch } from '../durability/at-work.ts';

keepTidy();

const runner = 'node_modules/.bin/runner';
const settings = `[workflow]\nretry_delay_secs = 0\n[checks]\ntest = ["${runner}"]\n`;
/** With the size and time it had before. */
const replace = `printf '#!/bin/sh\\nexit 0\\n' > ${runner}\ntouch -d 2020-01-01T00:00:00Z ${runner}\n`;

let approved: ChangeRepository;
beforeAll(async () => {
  approved = scratch(planned, settings);
  const { repository } = approved;
  const { root } = repository;
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(root, runner), '#!/bin/sh\nexit 1\n');
  chmodSync(join(root, runner), 0o755);
  utimesSync(join(root, runner), new Date('2020-01-01T00:00:00Z'), new Date('2020-01-01T00:00:00Z'));
  repository.write('.gitignore', 'node_modules/\n.npmrc\ndist/\n');
  repository.write('tools/replace.sh', replace);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=tools');
  expect(execFileSync('git', ['check-ignore', runner], { cwd: root, encoding: 'utf8' })).toBe(`${runner}\n`);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

const told = 'git-ignored files changed while the';
const ignoredOf = (change: ChangeRepository) =>
  recordsOf(change).flatMap((record) => (record.type === 'moved' ? (record.dispatch?.ignored ?? []) : []));

test.concurrent('attack 2.8: a test runner that an implementer replaced is told, recorded, and said with the verdict', async () => {
  const turn = { ...implement(), run: ['sh tools/replace.sh'] };
  const change = copyOf(approved, [...planned, turn, review('APPROVED')]);
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(impl.stderr).toContain(`${told} implementer was working: ${runner} (executable)`);
  expect(impl.stderr).toContain(`it may rest on git-ignored files that agents changed: ${runner} (executable)`);
  expect(ignoredOf(change)).toEqual([{ count: 1, paths: [`${runner} (executable)`] }]);
  expect((await change.repository.pawl(['log', run])).stdout).toContain(`1 git-ignored files changed: ${runner}`);
});

test.concurrent('attack 2.20: an ignored configuration file comes before what a build leaves', async () => {
  const build = Array.from({ length: 9 }, (_, at) => [`dist/${at}.js`, `${at}\n`]);
  const turn = implement();
  const write = { ...(turn['write'] as object), ...Object.fromEntries(build), '.npmrc': 'script-shell=/bin/true\n' };
  const change = copyOf(approved, [...planned, { ...turn, write, run: ['sh tools/replace.sh'] }, review('APPROVED')]);
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(impl.stderr).toContain(`agents changed: .npmrc, ${runner} (executable), dist/`);
  expect(ignoredOf(change)).toMatchObject([{ count: 11 }]);
});

test.concurrent('attack 2.4: what a reviewer writes into ignored folders is told', async () => {
  const change = copyOf(approved, [
    ...planned,
    { ...implement(), run: ['sh tools/replace.sh'] },
    { ...review('APPROVED'), run: ["sh -c 'mkdir dist && echo evil > dist/a.js'"] },
  ]);
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(impl.stderr).toContain(`${told} reviewer was working: dist/a.js`);
});

test.concurrent('nothing is told of ignored files that stay as they are', async () => {
  const change = copyOf(approved, [...planned, implement(), review('APPROVED')]);
  const { repository } = change;
  writeFileSync(join(repository.root, runner), '#!/bin/sh\nexit 0\n');
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(impl.stderr).not.toContain('git-ignored');
  expect(ignoredOf(change)).toEqual([]);
});
