/** Foreign names and records as commands show them: none of them reaches the terminal as a control sequence. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { JournalRecord } from '../store/record.ts';
import { ScratchRepository } from '../testing/scratch-repository.ts';
import { recordText } from './show/record-text.ts';

const program = fileURLToPath(new URL('../../dist/pawl.js', import.meta.url));
const evil = '\u001B]0;owned\u0007\u001B[2Jx\u009B31m\u202E\nfake line';
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const steering = /[\0-\u0009\u000B-\u001F\u007F-\u009F\u202E]/;

const repository = ScratchRepository.create(program, {});
afterAll(() => repository.remove());

test('attack 5.8: runs and lists show a hostile folder name as plain text', async () => {
  repository.write(join('.agents-work', `2026-01-01_${evil}`, 'status.json'), '{}');
  repository.write(join('agentd', 'changes', `a${evil}`, 'STATE.yaml'), 'phase: challenged\n');
  for (const args of [['runs'], ['session', 'list'], ['change', 'list'], ['runs', '--json']]) {
    const { stdout, stderr } = await repository.pawl(args);
    expect(stdout + stderr, args.join(' ')).not.toMatch(steering);
  }
});

test('attack 5.7: log shows every field of a hostile record as plain text on one line', () => {
  const at = `2026-01-01T10:00:0${evil}`;
  const records: readonly unknown[] = [
    { seq: 1, at, type: 'created', workflow: evil, run: evil, snapshot: { state: evil } },
    { seq: 2, at, type: 'dispatch.started', id: evil, role: evil, step: evil, agent: evil, model: evil },
    { seq: 3, at, type: 'report.filed', dispatch: evil, tool: evil, args: { a: evil } },
    { seq: 4, at, type: 'moved', from: evil, signal: evil, change: { state: evil, outcome: evil } },
  ];
  for (const record of records) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a hostile journal has no type
    const text = recordText(record as JournalRecord);
    expect(text).not.toMatch(steering);
    expect(text).not.toContain('\n');
  }
});
