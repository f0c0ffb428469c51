/** What an agent tells about its turn as it goes, as events of the port. */

import { setTimeout as wait } from 'node:timers/promises';
import type { AgentError, AgentEvent } from '../agent.ts';
import { inner, items, numbers, texts, type Json } from '../json-line.ts';
import { since } from '../usage-ledger.ts';
import { limitOf, type LastWords } from './turn-end.ts';

const nameCharsMax = 120;
const wordsCharsMax = 64 * 1024;
/** Agents do not say when they have told an old conversation again to its end. */
const calmMs = 300;
const calmMsMax = 10_000;
/** Kinds of tool calls that change files. */
export const changing: readonly string[] = ['edit', 'delete', 'move'];

export class Updates {
  readonly #emit: (event: AgentEvent) => void;
  readonly #calls = new Map<string, Json>();
  readonly #files = new Set<string>();
  /** The beginning of a line that is not complete yet. */
  #line = '';
  #words = '';
  #lastPiece = '';
  /** Of the whole conversation, where the agent counts it. */
  totalUsd: number | null = null;
  /** What earlier turns of the conversation had cost. */
  #earlierUsd = 0;
  #attends = true;
  #told = 0;
  #problem = '';
  #failed = false;
  waits: (error: AgentError) => void = () => {};
  /** Resolves when the agent would wait by itself, for who knows how long: that is Pawl's to decide. */
  readonly waiting = new Promise<AgentError>((resolve) => {
    this.waits = resolve;
  });

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  /** What is told from now on is about earlier turns. */
  ignore(): void {
    this.#attends = false;
  }

  /** From now on it is news again; what the conversation has cost by now is known to us, or was just told. */
  attend(knownUsd: number): void {
    if (this.#attends) return;
    this.#attends = true;
    this.#earlierUsd = this.totalUsd ?? knownUsd;
    this.totalUsd = null;
  }

  /** Until nothing more is told, for a while. */
  async calm(): Promise<void> {
    const deadline = performance.now() + calmMsMax;
    let told;
    do {
      told = this.#told;
      await wait(calmMs);
    } while (told !== this.#told && performance.now() < deadline);
  }

  hear(update: unknown): void {
    const fields = inner(update);
    this.#told += 1;
    if (!this.#attends && fields['sessionUpdate'] !== 'usage_update') return;
    switch (fields['sessionUpdate']) {
      case 'agent_message_chunk':
        return this.#say(texts(inner(fields, 'content')['text']) ?? '');
      case 'tool_call':
      case 'tool_call_update':
        return this.#call(fields);
      case 'session_info_update':
        return this.#notice(fields);
      case 'usage_update': {
        const { amount, currency } = inner(fields, 'cost');
        if (currency === 'USD') this.totalUsd = numbers(amount) ?? this.totalUsd;
        return;
      }
      default:
    }
  }

  get lastWords(): LastWords {
    return {
      text: this.#words,
      lastPiece: this.#lastPiece,
      toolCalls: this.#calls.size,
      failure: this.#failed ? this.#problem : null,
    };
  }

  /** Of this turn. */
  get costUsd(): number | null {
    return since(this.#earlierUsd, this.totalUsd);
  }

  /** Hands on what was said up to the end of a line, or all of it. */
  flush(end = this.#line.length): void {
    const said = this.#line.slice(0, end);
    this.#line = this.#line.slice(end + 1);
    if (said.trim() !== '') this.#emit({ type: 'text', text: said });
  }

  /** Words come in pieces: whole lines are handed on. */
  #say(text: string): void {
    this.#words = `${this.#words}${text}`.slice(-wordsCharsMax);
    this.#lastPiece = text;
    this.#line += text;
    const end = this.#line.lastIndexOf('\n');
    if (end !== -1) this.flush(end);
    else if (this.#line.length >= wordsCharsMax) this.flush();
  }

  /** Some agents tell a call they asked permission for only when it has ended. */
  #call(fields: Json): void {
    const isNew = !this.#calls.has(idOf(fields));
    const call = this.call(fields);
    this.#calls.set(idOf(fields), call);
    if (isNew) {
      this.flush();
      this.#words = '';
      this.#lastPiece = '';
      const name = texts(fields['name']) ?? texts(fields['title']) ?? 'a tool';
      this.#emit({ type: 'tool', name: name.replaceAll(/\s+/g, ' ').slice(0, nameCharsMax) });
    }
    if (call['status'] !== 'completed' || !changing.includes(texts(call['kind']) ?? '')) return;
    for (const path of pathsOf(call)) {
      if (this.#files.has(path)) continue;
      this.#files.add(path);
      this.#emit({ type: 'file', path });
    }
  }

  /** All that is known about a call by now. An update says what has changed; a title that is replaced may be the only one that tells a tool's name. */
  call(fields: Json): Json {
    const before = this.#calls.get(idOf(fields)) ?? {};
    const told = Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));
    return { ...before, ...told, firstTitle: before['firstTitle'] ?? told['title'] };
  }

  /** Codex ends a turn that failed as if all were well, and waits for the end of a limit, be it hours: only here it can be seen. */
  #notice(fields: Json): void {
    const notice = inner(fields, '_meta', 'codex');
    const error = inner(notice, 'error');
    this.#problem = texts(error['additionalDetails']) ?? texts(error['message']) ?? this.#problem;
    this.#failed ||= inner(notice, 'threadStatus')['type'] === 'systemError';
    const infos = Object.values(inner(error, 'codexErrorInfo'));
    if (infos.some((info) => inner(info)['httpStatusCode'] === 429)) this.waits(limitOf(this.#problem, Date.now()));
  }
}

function idOf(fields: Json): string {
  return texts(fields['toolCallId']) ?? '';
}

/** The files a tool call says that it is about. */
export function pathsOf(call: Json): readonly string[] {
  const input = inner(call, 'rawInput');
  const keys = ['file_path', 'filePath', 'filepath', 'path', 'notebook_path', 'fileName'];
  const found = [
    ...items(call['locations']).map(({ path }) => path),
    ...items(call['content']).flatMap(({ type, path }) => (type === 'diff' ? [path] : [])),
    ...keys.map((key) => input[key]),
    ...Object.keys(inner(input, 'changes')),
  ];
  return [...new Set(found.filter((path): path is string => typeof path === 'string' && path !== ''))];
}
