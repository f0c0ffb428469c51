/** DEF-5: code that somebody changes while a question waits is judged by every gate before it is accepted. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { code, closed, designed, finding, perBatch, plan, qa, review, security, task } from './scripts.ts';

const risky = plan([task('T-001', { risk_flags: ['security'], files_expected: ['src/auth.mjs'] })]);
const auth = code({ 'src/auth.mjs': 'export const open = true;\n' });
const decision = security('NEEDS_DECISION', [finding('medium')]);
let asking: Prepared;

beforeAll(async () => {
  asking = await Prepared.make({ turns: [...designed, risky, auth, review(), qa(), decision], answers: perBatch });
});

afterAll(() => asking.remove());

const judges = (steps: readonly string[]) => steps.filter((step) => /^(?:review|qa|security):/.test(step));

test.concurrent('DEF-5: edited while Security’s question waits: review, QA and Security look at it again', async () => {
  const session = asking.copy([review(), qa(), security(), ...closed]);
  session.repository.write('src/auth.mjs', 'export const open = false;\n');
  const resumed = await session.resume({ 'UD-1': 'accept' });
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'DONE']);
  const first = ['review:passed', 'qa:passed', 'security:decision'];
  expect(judges(worked(resumed)).slice(0, 6)).toEqual([...first, 'review:passed', 'qa:passed', 'security:passed']);
});

test.concurrent('DEF-5: unchanged, their judgements stand: nobody is dispatched twice', async () => {
  const session = asking.copy(closed);
  const resumed = await session.resume({ 'UD-1': 'accept' });
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'DONE']);
  expect(judges(worked(resumed)).slice(0, 4)).toEqual([
    'review:passed',
    'qa:passed',
    'security:decision',
    'review:passed',
  ]);
});
