/** docs/guides/your-own-workflow.md does what it says. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { program } from '../change/scripts.ts';

const guide = readFileSync(new URL('../../docs/guides/your-own-workflow.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
const commands = (blocks('console')[0] ?? '')
  .split('\n')
  .flatMap((line) => (line.startsWith('$ pawl ') ? [line.slice(7)] : []));
const [whole = '', mended = ''] = blocks('yaml');

let repository: ScratchRepository;

beforeAll(() => {
  repository = ScratchRepository.create(program, {});
});

afterAll(() => repository.remove());

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

describe('the guide', () => {
  test('is short', () => {
    expect(guide.split('\n').length).toBeLessThanOrEqual(95);
    expect(whole.split('\n').length).toBeLessThan(80);
  });

  test('the commands at its beginning', async () => {
    expect(commands).toHaveLength(5);
    const codes: (number | null)[] = [];
    let last = '';
    for (const line of commands) {
      const { code, stdout, stderr } = await repository.pawl(wordsOf(line));
      codes.push(code);
      last = stdout + stderr;
    }
    expect(codes).toEqual([0, 0, 3, 0, 0]);
    expect(last).toContain('first is accepted');
  });

  test('the workflow it shows is refuted as it says, and proven once it is mended', async () => {
    repository.write('workflows/release-notes.yaml', whole);
    const refuted = await repository.pawl(['verify', 'release-notes']);
    expect(refuted.code).toBe(1);
    expect(refuted.stdout).toContain('write → lint → write is not bounded');
    repository.write(
      'workflows/release-notes.yaml',
      whole.replace(/^ +on: \{ passed: review, failed: write \}\n/m, mended),
    );
    const proven = await repository.pawl(['verify', 'release-notes']);
    expect([proven.code, proven.stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('release-notes: proven')]);
  });

  test('the check in TypeScript fits into the workflow that is created', async () => {
    const other = ScratchRepository.create(program, {});
    onTestFinished(() => other.remove());
    expect((await other.pawl(['new', 'workflow', 'release-notes', '--ts'])).code).toBe(0);
    const [check = ''] = blocks('ts');
    const text = other.read('workflows/release-notes.ts');
    const withCheck = text.replace("done: 'review'", "done: 'lint'").replace('  states: {\n', (line) => line + check);
    other.write('workflows/release-notes.ts', withCheck);
    await other.pawl(['trust', '--yes']);
    const proven = await other.pawl(['verify', 'release-notes']);
    expect([proven.code, proven.stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('release-notes: proven')]);
    const script = 'workflows/release-notes.rehearsal.yaml';
    const start = ['release-notes', 'start', 'first', 'x', '--agent', 'scripted', '--script', script, '--no-input'];
    const played = await other.pawl(start);
    expect([played.code, played.stdout]).toEqual([3, expect.stringMatching(/lint: short .*\d characters/)]);
  });
});
