/**
 * The lines that stay: what happened in a run, one line for each transition that matters to a person.
 *
 * N1. A dispatch or check and the transition it caused are one line; a change of phase is a line of its own after it.
 * N2. No event is lost: an event that waits for its counterpart is shown as soon as anything else happens.
 * N3. Only a verbose narrator tells of commands, of checks that found nothing, and of check states that follow.
 */

import { isFault, type Tone } from '../../engine/machine.ts';
import type { DispatchEnded, DispatchStarted, RunEvent } from '../../runtime/host.ts';
import type { Remaining } from '../../runtime/run-budgets.ts';
import { figuresOf, type Columns } from './columns.ts';
import { agentCalls, duration, money, withLocalTimes } from './figures.ts';
import { plainLine, plainText, widthOf } from './text.ts';

type Moved = Extract<RunEvent, { type: 'moved' }>;
type Ended = Extract<RunEvent, { type: 'check.ended' | 'dispatch.skipped' }>;

const notesMax = 40;
const problemLinesMax = 16;
const togetherColumnsMax = 110;

export class Narrator {
  readonly #columns: Columns;
  /** Whether beginnings are shown too: where nothing else shows that work is going on. */
  readonly #beginnings: boolean;
  readonly #verbose: boolean;
  #phase: string | null = null;
  #dispatch: DispatchStarted | null = null;
  #held: Moved | Ended | null = null;
  #asked = false;

  constructor(columns: Columns, { beginnings, verbose }: { beginnings: boolean; verbose: boolean }) {
    this.#columns = columns;
    this.#beginnings = beginnings;
    this.#verbose = verbose;
  }

  tell(event: RunEvent): string[] {
    const held = this.#held;
    if (held?.type === 'moved' && event.type === 'dispatch.ended') {
      this.#held = null;
      return [...this.#ended(event, held), ...this.#phaseLines(held.phase)];
    }
    if (held && held.type !== 'moved' && event.type === 'moved') {
      this.#held = null;
      return [...this.#checked(held, event), ...this.#phaseLines(event.phase)];
    }
    return [...this.flush(), ...this.#tellAlone(event)];
  }

  /** N2. */
  flush(): string[] {
    const held = this.#held;
    this.#held = null;
    if (!held) return [];
    return held.type === 'moved' ? this.#moved(held) : this.#checked(held, null);
  }

  #tellAlone(event: RunEvent): string[] {
    const { symbols, bold, cyan, dim, yellow } = this.#columns.style;
    const beginning = (lines: () => string[]): string[] => (this.#beginnings ? lines() : []);
    switch (event.type) {
      case 'opened':
        this.#phase = event.phase;
        return [bold(`Current state: ${event.phase === null ? 'new' : `phase=${event.phase}`}`)];
      case 'recovered':
        return this.#message(cyan(symbols.recovered), 'recovered', event.message);
      case 'warning':
        return this.#message(yellow('!'), 'warning', event.message);
      case 'preparing':
        return beginning(() => this.#message(symbols.started, 'preparing', event.what));
      case 'prepared':
        return [
          ...this.#message(symbols.small, 'prepared', 'the worktree is ready').map(dim),
          ...event.notes.flatMap((note) => this.#columns.below(plainText(note))),
        ];
      case 'moved':
        if (this.#dispatch?.step !== event.from) return this.#moved(event);
        this.#held = event;
        return [];
      case 'check.ended':
      case 'dispatch.skipped':
        this.#held = event;
        return [];
      case 'dispatch.started':
        this.#dispatch = event;
        return beginning(() => this.#started(event));
      case 'dispatch.ended':
        return this.#ended(event, null);
      case 'waiting':
        // A notice tells of a rate limit.
        if (event.attempt === null) return [];
        return beginning(() => this.#message(symbols.small, 'waiting', waitWords(event, duration(event.ms))));
      case 'asked':
        this.#asked = true;
        return beginning(() => this.#message('?', 'decision', `${event.decision} is asked`));
      case 'understood':
        return this.#message(symbols.small, 'answer', `${event.decision} is understood as: ${event.as}`);
      case 'notified':
        if (event.problem !== null)
          return this.#message(yellow('!'), 'notify', `the ${event.by} failed: ${event.problem}`);
        return this.#message(symbols.small, 'notify', `the ${event.by} was told`).map(dim);
      case 'rested':
        this.#dispatch = null;
        return this.#phaseLines(event.phase);
      case 'attention':
      case 'check.started':
      case 'dispatch.output':
      case 'dispatch.usage':
      case 'report.filed':
        return [];
    }
  }

  #started(event: DispatchStarted): string[] {
    return this.#columns.lines({
      mark: this.#columns.style.symbols.started,
      ...rowOf(event),
      ...(event.remaining && { figures: { time: leftOf(event.remaining) } }),
    });
  }

  #ended(event: DispatchEnded, move: Moved | null): string[] {
    const { symbols, green, red } = this.#columns.style;
    const started = this.#dispatch?.id === event.id ? this.#dispatch : null;
    this.#dispatch = null;
    const lines = this.#columns.lines({
      mark: event.problem === null ? green(symbols.done) : red(symbols.failed),
      who: event.role,
      ...(started && { agent: started.agent, model: started.model }),
      what: this.#withSignal(stepWords({ step: event.step, item: started?.item ?? null }), event),
      ...this.#target(move),
      figures: figuresOf(event.ms, event.usage, { ended: true }),
    });
    const problem = withLocalTimes(plainText(event.problem ?? ''));
    const told = problem === '' ? [] : firstLines(problem.split('\n'), problemLinesMax);
    return [...lines, ...told.flatMap((text) => this.#columns.below(text)).map(red)];
  }

  #checked(ended: Ended, move: Moved | null): string[] {
    const { symbols, dim } = this.#columns.style;
    const skipped = ended.type === 'dispatch.skipped';
    const foundNothing = !skipped && ended.notes.length === 0 && (ended.tone === null || ended.tone === 'quiet');
    if (foundNothing && !this.#verbose) return [];
    const lines = this.#columns.lines({
      mark: symbols.small,
      who: skipped ? 'skipped' : 'check',
      what: skipped ? words(ended.step) : this.#withSignal(words(ended.check), ended),
      ...this.#target(move),
    });
    const notes = skipped ? [ended.why] : ended.notes;
    const paint = !skipped && ended.tone !== null && ended.tone !== 'quiet' ? (text: string) => text : dim;
    return this.#withNotes(lines, notes).map(paint);
  }

  /** Notes follow on the same line where they fit, else each has its own. */
  #withNotes(lines: readonly string[], notes: readonly string[]): string[] {
    if (notes.length === 0) return [...lines];
    const all = notes.flatMap((note) => plainText(note).split('\n'));
    const together = [...lines, all.join(` ${this.#columns.style.symbols.dot} `)].join('  ');
    if (widthOf(together) < Math.min(this.#columns.total(), togetherColumnsMax)) return [together];
    return [...lines, ...firstLines(all, notesMax).flatMap((text) => this.#columns.below(text))];
  }

  /** A transition without work: a person's command or answer, or a dispatch that could not be begun. */
  #moved(move: Moved): string[] {
    const { from, signal, to, phase, decision } = move;
    const { symbols, dim } = this.#columns.style;
    const isAnswer = this.#asked || decision !== undefined;
    this.#asked = false;
    // One answer of several leads nowhere yet: then the decision says more than where the run is.
    const stays = decision !== undefined && from === to;
    const fault = isFault(signal);
    const who = fault ? 'stopped' : signal === 'withdrawn' ? signal : isAnswer ? 'answer' : 'command';
    if (who === 'command' && !this.#verbose) return this.#phaseLines(phase);
    const subject = stays ? plainLine(decision) : who !== 'answer' || this.#verbose ? words(from) : null;
    const what = fault
      ? this.#withSignal(words(from), { signal, tone: 'bad' })
      : [...(who === signal ? [] : [words(signal)]), ...(subject === null ? [] : [subject])].join(': ');
    const lines = this.#columns.lines({ mark: symbols.small, who, what, ...(!stays && this.#target(move)) });
    return [...(fault ? lines : lines.map(dim)), ...this.#phaseLines(phase)];
  }

  #target(move: Moved | null): { to?: string } {
    return move && (this.#verbose || move.kind !== 'check') ? { to: words(move.to) } : {};
  }

  #phaseLines(phase: string | null): string[] {
    const before = this.#phase;
    this.#phase = phase;
    if (phase === before || phase === null) return [];
    const { bold, cyan, symbols } = this.#columns.style;
    const what = `${before ?? 'new'} ${symbols.arrow} ${bold(phase)}`;
    return this.#columns.lines({ mark: cyan(symbols.phase), who: 'phase', what });
  }

  #message(mark: string, who: string, message: string): string[] {
    return this.#columns.message({ mark, who, what: plainText(message) });
  }

  #withSignal(what: string, { signal, tone }: { readonly signal: string; readonly tone: Tone | null }): string {
    if (tone === 'quiet') return what;
    const { green, yellow, red } = this.#columns.style;
    const paint = tone === null ? (text: string) => text : { good: green, warn: yellow, bad: red }[tone];
    return `${what}: ${paint(words(signal))}`;
  }
}

/** A wait without an attempt is for a rate limit. */
export function waitWords({ attempt }: { readonly attempt: number | null }, left: string): string {
  return attempt === null ? `the rate limit resets in ${left}` : `retry ${attempt} in ${left}`;
}

/** What is left of the budget beside so much cost. */
export function leftOf({ dispatches, costUsd }: Pick<Remaining, 'dispatches' | 'costUsd'>): string {
  return `${agentCalls(Math.max(0, dispatches))}, ${money(Math.max(0, costUsd))} left`;
}

/** What every row of a dispatch shows of it. */
export function rowOf({ role, agent, model, step, item, beside }: DispatchStarted) {
  const advised = beside ? ` with ${words(beside.role)} (${plainLine(beside.agent)})` : '';
  return { who: role, agent, model, what: `${stepWords({ step, item })}${advised}` };
}

function stepWords({ step, item }: Pick<DispatchStarted, 'step' | 'item'>): string {
  return item === null ? words(step) : `${words(step)} ${plainLine(item)}`;
}

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function firstLines(lines: readonly string[], max: number): string[] {
  return lines.length > max ? [...lines.slice(0, max), `and ${lines.length - max} more lines`] : [...lines];
}
