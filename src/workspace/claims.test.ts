import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleProgram } from '../../test/programs/bundle.ts';
import { claimName } from './claims.ts';
import { UnsafePath } from './safe-paths.ts';

let commonDir: string;
beforeEach(() => {
  commonDir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-claims-')));
});
afterEach(() => rmSync(commonDir, { recursive: true, force: true, maxRetries: 5 }));

const claim = (name: string, owner: string, scope = 'test'): boolean => claimName({ commonDir, scope, name, owner });

test('a name has one owner, who may claim it again; another scope has names of its own', () => {
  expect([claim('GAL-1', 'a'), claim('GAL-1', 'b'), claim('GAL-1', 'a')]).toEqual([true, false, true]);
  expect([claim('GAL-1', 'b', 'other'), claim('GAL-2', 'b')]).toEqual([true, true]);
  expect(readdirSync(join(commonDir, 'pawl-claims/test'))).toEqual(['GAL-1', 'GAL-2']);
});

test.each(['', '..', '.x', 'a/b', 'a\0', 'ä', 'x'.repeat(101)])('rejects %j as a name', (name) => {
  expect(() => claim(name, 'a')).toThrow(UnsafePath);
});

test('M1: of several processes exactly one gets each name', { timeout: 60_000 }, async () => {
  const [owners, rounds] = [['a', 'b', 'c'], 300];
  const program = await bundleProgram(new URL('../../test/programs/claimer.ts', import.meta.url), commonDir);
  const claimers = owners.map((owner) => {
    const child = spawn(process.execPath, [program, commonDir, owner, String(rounds)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    const ready = new Promise<void>((done) =>
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        done();
      }),
    );
    const ended = new Promise<string[]>((done) =>
      child.on('close', () => done(JSON.parse(output.replace('ready\n', '')) as string[])),
    );
    return { ready, ended, go: () => child.stdin.end('go') };
  });
  await Promise.all(claimers.map(({ ready }) => ready));
  for (const { go } of claimers) go();
  const won = await Promise.all(claimers.map(({ ended }) => ended));
  const names = Array.from({ length: rounds }, (_, index) => `N-${index + 1}`);
  expect(won.flat().toSorted()).toEqual(names.toSorted());
  // Otherwise they did not run at once, and nothing was tried.
  expect(won.filter((each) => each.length > 0).length).toBeGreaterThan(1);
});
