/** A person at a terminal, and another one elsewhere, answer a session's questions. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noTerminal, Terminal } from '../terminal/terminal.ts';
import { PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { architect, code, designed, intake, perBatch, plan, report } from './scripts.ts';

const why = noTerminal === null ? '' : ` (skipped: ${noTerminal})`;

const asks = {
  role: 'Coder',
  call: [
    report({
      summary: 'Two things are not said.',
      questions: [
        { question: 'Which language?', kind: 'ambiguity', suggestions: ['English', 'all'] },
        { question: 'May strangers be greeted?', kind: 'security', suggestions: [] },
      ],
    }),
  ],
};

/** Long enough to type something meanwhile. */
const workMs = 3_000;

let design: Prepared;
let asking: Prepared;

beforeAll(async () => {
  if (noTerminal !== null) return;
  [design, asking] = await Promise.all([
    Prepared.make(),
    Prepared.make({ turns: [...designed, plan(), asks], answers: perBatch }),
  ]);
});

afterAll(() => {
  design?.remove();
  asking?.remove();
});

function resume(session: PlayedSession): Terminal {
  const terminal = Terminal.pawl(session.repository, ['session', 'resume', session.run, ...session.scripted]);
  onTestFinished(() => terminal.kill());
  return terminal;
}

const answersIn = (session: PlayedSession) =>
  ['UD-1', 'UD-2'].map((id) => [
    session.decision(id)?.['status'],
    session.decision(id)?.['answer'] ?? session.decision(id)?.['resolution_reason'],
  ]);

describe.skipIf(noTerminal !== null)(`at a terminal${why}`, () => {
  test('[session/answering/terminal] [session/design/shown] [session/design/normalised] what is to be approved, where it stands, and what the answer was taken for', async () => {
    const session = design.copy([plan()]);
    const terminal = resume(session);
    await terminal.shows('Is the design approved?');
    for (const part of ['Scope:', 'REQ-001', 'Acceptance criteria:', 'Modules:', session.path('architecture.md')])
      await terminal.shows(part);
    terminal.type('perhaps\n');
    await terminal.shows('Not counted as an approval');
    terminal.type('go ahead\n');
    await terminal.shows('UD-APPROVE-DESIGN is understood as: approved');
    await terminal.shows('How are the changes reviewed?');
    expect(session.decision('UD-APPROVE-DESIGN')).toMatchObject({ status: 'answered', answer: 'approved' });
    await terminal.shows('Recommended: single-final');
    terminal.type('defer\n');
    expect(await terminal.ended).toBe(3);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'mandatory_user_decision_missing',
      from: 'REVIEW_STRATEGY',
    });
  });

  test('[session/decisions/partial] [session/decisions/security-never-cancelled] a part that is skipped is cancelled; a security question is asked again until it is answered', async () => {
    const session = asking.copy([code()]);
    const terminal = resume(session);
    await terminal.shows('Which language?');
    terminal.type('\n');
    await terminal.shows('May strangers be greeted?');
    terminal.type('only friends\n');
    expect(await terminal.ended).toBe(69);
    expect(answersIn(session)).toEqual([
      ['cancelled', 'no response provided'],
      ['answered', 'only friends'],
    ]);

    const other = asking.copy([code()]);
    const again = resume(other);
    await again.shows('Which language?');
    again.type('English\n');
    await again.shows('May strangers be greeted?');
    again.type('\n');
    await again.shows('stays open until it is answered');
    expect(answersIn(other)).toEqual([
      ['answered', 'English'],
      ['pending', null],
    ]);
    again.type('no\n');
    expect(await again.ended).toBe(69);
    expect(answersIn(other)[1]).toEqual(['answered', 'no']);
  });

  test('[session/answering/answer-command] pawl answer elsewhere hands a part to the process that waits; it goes on with the other', async () => {
    const session = asking.copy([code()]);
    const terminal = resume(session);
    await terminal.shows('Which language?');
    const handed = await session.answer('UD-1', 'English');
    expect([handed.code, handed.json['next']], handed.stderr).toEqual([0, null]);
    await terminal.shows('May strangers be greeted?');
    expect(answersIn(session)[0]).toEqual(['answered', 'English']);
    const refused = await session.pawl('answer', session.run, 'UD-2', '--skip');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('cannot be skipped')]);
    expect((await session.answer('UD-2', 'no')).code).toBe(0);
    expect(await terminal.ended).toBe(69);
    expect(answersIn(session)[1]).toEqual(['answered', 'no']);
  });

  test('[DEF-2] [session/answering/shown-first] words and Enters typed while an agent works answer no gate: they are discarded, and that is said', async () => {
    const session = PlayedSession.create([intake(), { ...architect(), sleep_ms: workMs }]);
    onTestFinished(() => session.repository.remove());
    const terminal = Terminal.pawl(session.repository, [
      'session',
      'start',
      'Greet people by name',
      ...session.scripted,
    ]);
    onTestFinished(() => terminal.kill());
    await terminal.shows(/Architect +scripted/);
    terminal.type('approved\n\n\n\n\n\nappro');
    await terminal.shows('Is the design approved?');
    await terminal.shows('! Discarded, typed before the question was shown: approved appro');
    await terminal.shows('Your answer: ');
    terminal.type('ved\n');
    // The words before are not a part of these.
    await terminal.shows('This is not understood');
    expect(terminal.text).not.toContain('an answer is needed');
    expect(terminal.text).not.toContain('Planner');
    terminal.type('defer\n');
    expect(await terminal.ended).toBe(3);
  });

  test('[DEF-28] half-typed words of a question that is answered elsewhere are left to no other reader', async () => {
    const session = asking.copy([code()]);
    const terminal = resume(session);
    await terminal.shows('Which language?');
    await terminal.shows('Your answer: ');
    terminal.type('Engl');
    expect((await session.answer('UD-1', 'all')).code).toBe(0);
    await terminal.shows('May strangers be greeted?');
    await terminal.shows('Your answer: ');
    terminal.type('no\n');
    expect(await terminal.ended).toBe(69);
    expect(answersIn(session)).toEqual([
      ['answered', 'all'],
      ['answered', 'no'],
    ]);
  });
});
