/** docs/guides/your-own-workflow.md does what it says. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
    expect(guide.split('\n').length).toBeLessThanOrEqual(80);
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
});
