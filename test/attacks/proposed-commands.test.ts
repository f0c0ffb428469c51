/** Attack 3.18: commands that an agent proposed as acceptance checks, and who lets them run. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Prepared } from '../session/prepared.ts';
import { PlayedSession } from '../session/played-session.ts';
import { approving, architect, code, intake, intakeLean, plan, review, task } from '../session/scripts.ts';

const sessions: PlayedSession[] = [];
afterAll(() => sessions.forEach(({ repository }) => repository.remove()));

/** Each got past the list of shells that used to be refused. */
const hostile = [
  `cmd: sh -cx 'touch ../stolen'`,
  `cmd: node -e 'require("fs").writeFileSync("../stolen", "")'`,
  String.raw`cmd: find . -maxdepth 0 -exec touch ../stolen ;`.replace(';', String.raw`\;`),
];
const criterion = (verify: readonly string[]) => ({ id: 'AC-001', description: 'It is right', verify });
const isStolen = ({ repository }: PlayedSession): boolean => existsSync(join(repository.folder, 'stolen'));

function lean(verify: readonly string[]): PlayedSession {
  const turns = [
    intakeLean({}, [criterion(verify)], [task('T-001', { acceptance_checks: verify })]),
    code({ 'README.md': '# Better\n' }),
    review(),
  ];
  const session = PlayedSession.create(turns);
  sessions.push(session);
  return session;
}

describe('attack 3.18: without a sandbox', () => {
  test.concurrent.each(hostile)('a lean session shows %s and runs nothing unasked', async (command) => {
    const session = lean([command]);
    const asked = await session.start({}, ['--lean']);
    expect([asked.code, asked.json['phase']], asked.stderr).toEqual([3, 'INTEGRATE']);
    expect(asked.json['decisions'][0]).toMatchObject({
      id: 'UD-RUN-COMMANDS',
      detail: expect.stringContaining(command.slice('cmd: '.length)),
    });
    expect(isStolen(session)).toBe(false);
    const put = await session.answer('UD-RUN-COMMANDS', 'defer');
    expect([put.code, isStolen(session)], put.stderr).toEqual([0, false]);
    expect(session.status['current_state']).toBe('BLOCKED');
  });

  test.concurrent('the person’s word, and only that, runs them; the journal has the list', async () => {
    const [command = ''] = hostile;
    const session = lean([command]);
    await session.start({}, ['--lean']);
    const done = await session.resume({ 'UD-RUN-COMMANDS': 'run' });
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(isStolen(session)).toBe(true);
    const approved = session.journal.find(({ type, signal }) => type === 'moved' && signal === 'run');
    expect(approved?.['change']['data']).toMatchObject({ approvedCommands: [command] });
  });

  test.concurrent('a full session lists them all with the review strategy, however many there are', async () => {
    const commands = Array.from({ length: 30 }, (_, index) => `cmd: node -e ${index}`);
    const turns = [intake({}, [criterion(commands)]), architect(), plan([task('T-001')])];
    const planned = await Prepared.make({ turns, answers: approving });
    const session = planned.copy();
    const asked = await session.resume();
    const detail: string = asked.json['decisions'][0]['detail'];
    for (const command of commands) expect(detail.split('\n')).toContain(`  ${command.slice('cmd: '.length)}`);
    planned.remove();
  });
});
