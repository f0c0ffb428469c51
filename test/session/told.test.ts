/** What a session looks at, and what it says of what it refuses, in played sessions. */

import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { PlayedSession, worked } from './played-session.ts';
import {
  architect,
  code,
  designed,
  document,
  intake,
  intakeLean,
  qa,
  report,
  review,
  running,
  security,
  spec,
} from './scripts.ts';
import type { Turn } from './scripts.ts';

const played: PlayedSession[] = [];
const create = (turns: readonly Turn[]): PlayedSession => {
  const session = PlayedSession.create(turns);
  played.push(session);
  return session;
};
afterAll(() => played.forEach(({ repository }) => repository.remove()));

test.concurrent('[DEF-14] [session/dispatch/refusals-told] why a document was refused: told to the agent, the person and the log', async () => {
  const poor = spec.replace(/## Definition of Done\n.*\n/, '');
  const { call } = intake() as { call: readonly Turn[] };
  const refused: Turn = { ...intake(), call: [document('spec.md', poor), ...call.slice(1)] };
  const session = create([refused, refused, refused]);
  const blocked = await session.start();
  expect([blocked.code, blocked.json['phase']]).toEqual([1, 'BLOCKED']);
  const why = 'There is no section "Definition of Done"';
  expect(session.status['blocked']['detail']).toContain(why);
  expect(session.prompt(2)).toContain(why);
  expect((await session.repository.pawl(['log', session.run])).stdout.replaceAll(/\s+/g, ' ')).toContain(why);
  session.script([refused, refused, refused, intake(), architect()]);
  const asked = await session.resume();
  expect([asked.code, asked.json['phase']], asked.stderr).toEqual([3, 'APPROVE_DESIGN']);
});

test.concurrent('[DEF-12] [session/roles/security-by-content] lean: Security looks at a server with a password check', async () => {
  const server =
    "import http from 'node:http';\nhttp.createServer((q, a) => a.end(q.url === '/?password=x')).listen(1);\n";
  const session = create([intakeLean(), code({ 'src/a.mjs': server }), review(), qa(), security()]);
  const done = await session.start(running, ['--lean']);
  expect([done.code, worked(done).at(-1)], done.stderr).toEqual([0, 'security:passed']);
  const plain = create([intakeLean(), code({ 'src/a.mjs': 'export const add = (a, b) => a + b;\n' }), review(), qa()]);
  const simple = await plain.start(running, ['--lean']);
  expect([simple.code, worked(simple).at(-1)], simple.stderr).toEqual([0, 'qa:passed']);
});

test.concurrent('[rule 8] a research report that says TODO is refused', async () => {
  const research: Turn = { role: 'Researcher', call: [document('research/a.md', '# Length\n\nTODO\n'), report()] };
  const session = create([
    intake({ needs_research: true, research_question: 'How long?' }),
    research,
    research,
    research,
  ]);
  const blocked = await session.start();
  expect(blocked.json['phase']).toBe('BLOCKED');
  expect(session.status['blocked']['detail']).toContain('says nothing yet');
});

test('trial 2 B6: the agent and the script that resume was given are those of the resume that Next names', async () => {
  const crash = { role: 'SpecAgent', fault: 'crash' };
  const session = create([crash, crash, crash]);
  expect((await session.start()).json['phase']).toBe('BLOCKED');
  const other = `${session.repository.folder}/other.yaml`;
  const play = (turns: readonly Turn[]): void => session.repository.write('../other.yaml', stringify(turns));
  play([crash, crash, crash, crash, crash, crash]);
  const again = await session.pawl('session', 'resume', session.run, '--agent', 'scripted', '--script', other);
  expect([again.code, again.json['next']]).toEqual([1, `pawl session resume ${session.run}`]);
  play([...Array.from({ length: 6 }, () => crash), ...designed]);
  const resumed = await session.pawl(...again.json['next'].split(' ').slice(1));
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([3, 'APPROVE_DESIGN']);
});
