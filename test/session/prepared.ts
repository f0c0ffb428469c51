/** Sessions that have come to a certain point already, copied for every test instead of being made again. */

import { PlayedSession, type Answers } from './played-session.ts';
import { plan, designed, type Turn } from './scripts.ts';

/** Another process may have all of the machine. */
interface Preparation {
  readonly turns?: readonly Turn[];
  readonly files?: Readonly<Record<string, string>>;
  readonly answers?: Answers;
  readonly flags?: readonly string[];
}

export class Prepared {
  readonly #original: PlayedSession;
  readonly #played: readonly Turn[];
  readonly #copies: PlayedSession[] = [];

  private constructor(original: PlayedSession, played: readonly Turn[]) {
    this.#original = original;
    this.#played = played;
  }

  /** A session that waits for a person; without more, for the approval of its design. */
  static async make({ turns = designed, files = {}, answers = {}, flags = [] }: Preparation = {}): Promise<Prepared> {
    const session = PlayedSession.create(turns, files);
    const ran = await session.start(answers, flags);
    if (ran.code !== 3) throw new Error(`it ended with ${ran.code}: ${ran.stderr}${ran.stdout}`);
    return new Prepared(session, turns);
  }

  /** A session that waits for the choice of a strategy. */
  static planned(tasks?: readonly Turn[], files: Readonly<Record<string, string>> = {}): Promise<Prepared> {
    const turns = [...designed, plan(tasks)];
    return Prepared.make({ turns, files, answers: { 'UD-APPROVE-DESIGN': 'approved' } });
  }

  get run(): string {
    return this.#original.run;
  }

  /** The same state in a place of its own, with the turns that follow. */
  copy(turns: readonly Turn[] = []): PlayedSession {
    const copy = new PlayedSession(this.#original.repository.copy(), this.#original.run);
    copy.script([...this.#played, ...turns]);
    this.#copies.push(copy);
    return copy;
  }

  remove(): void {
    for (const { repository } of [this.#original, ...this.#copies]) repository.remove();
  }
}
