/** Agents that call Pawl themselves: rows of the attack table, each with the outcome it must have. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planned, program, propose, type ChangeRepository } from '../change/scripts.ts';
import { copyOf, keepTidy, recordsOf, run, scratch } from '../durability/at-work.ts';

keepTidy();

/** What a command said that an agent ran, and how it ended. */
function told(change: ChangeRepository): string {
  return readFileSync(join(change.repository.folder, 'told'), 'utf8');
}

/** An agent of the change "other" that runs a command of Pawl in the same repository. */
async function attack(change: ChangeRepository, command: string): Promise<void> {
  const { folder } = change.repository;
  const line = `sh -c '${command} > ${folder}/told 2>&1; echo "exit $?" >> ${folder}/told'`;
  change.script([{ ...propose(), run: [line] }]);
  await change.change('plan', 'other', 'Something else');
}

const pawl = `${process.execPath} ${program}`;

test.concurrent.each([
  ['attack 1.33', 'start work on another run', `change impl ${run} --agent scripted`],
  ['attack 1.33', 'start work on another run', `change archive ${run}`],
  ['attack 1.1, 1.2', 'answer a question', `answer ${run} revision continue`],
  ['attack 1.33', 'resume a run', `resume ${run}`],
  ['attack 1.33', 'retry a step', `retry ${run}`],
])('[D16] [DEF-27] %s: an agent may not %s (%s)', async (_row, _what, args) => {
  const approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
  const before = recordsOf(approved).length;
  for (const words of [`${pawl} ${args}`, `env -u PAWL_DISPATCH ${pawl} ${args}`, `env -i ${pawl} ${args}`]) {
    const change = copyOf(approved);
    await attack(change, words);
    expect(told(change)).toMatch(/an agent may not [^]*exit 4\n$/);
    expect(recordsOf(change)).toHaveLength(before);
  }
});

test.concurrent('attack 1.1: looking is not refused', async () => {
  const change = scratch(planned);
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
  await attack(change, `${pawl} change status ${run}`);
  expect(told(change)).toMatch(/exit 0\n$/);
});
