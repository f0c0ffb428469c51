/** Files of another session, which git ignores: no role may write them either, unless that session writes them itself. */

import { afterAll, expect, test } from 'vitest';
import { PlayedSession, worked } from '../session/played-session.ts';
import { architect, code, config, intake, perBatch, plan } from '../session/scripts.ts';

const sessions: PlayedSession[] = [];
afterAll(() => sessions.forEach(({ repository }) => repository.remove()));

/** A session that was finished here before, with its files, and another that follows in the same checkout. */
async function second(): Promise<{ session: PlayedSession; first: string }> {
  const session = PlayedSession.create([intake(), architect()], { 'pawl.toml': `${config}[session]\nretries = 0\n` });
  sessions.push(session);
  await session.pawl('session', 'start', 'Greet people', '--slug', 'first-one', ...session.scripted);
  const first = String((await session.pawl('session', 'list')).json['sessions'][0]['run']);
  await session.pawl('abandon', first, 'enough');
  return { session, first };
}

test.concurrent('attack 1.26: a Coder approves the design of another session in its status.json', async () => {
  const { session, first } = await second();
  const folder = `.agents-work/${first}`;
  const [status, spec] = ['status.json', 'spec.md'].map((name) => session.repository.read(`${folder}/${name}`));
  const attack = code({
    'src/T-001.mjs': 'export {};\n',
    [`${folder}/status.json`]: '{"current_state": "DONE"}\n',
    [`${folder}/spec.md`]: '# Nothing\n',
    [`${folder}/planted.md`]: '# Planted\n',
    '.agents-work/2026-01-01_made-up/status.json': '{"current_state": "DONE"}\n',
  });
  session.script([intake(), architect(), plan(), attack]);
  const blocked = await session.start(perBatch, ['--slug', 'second-one']);
  expect(worked(blocked).at(-1), blocked.stderr).toBe('code:out_of_bounds');
  expect(session.repository.read(`${folder}/status.json`)).toBe(status);
  expect(session.repository.read(`${folder}/spec.md`)).toBe(spec);
  expect(session.repository.exists(`${folder}/planted.md`)).toBe(false);
  expect(session.repository.exists('.agents-work/2026-01-01_made-up/status.json')).toBe(false);
});
