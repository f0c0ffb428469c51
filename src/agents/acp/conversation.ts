/**
 * One conversation over the Agent Client Protocol, version 1: handshake, session with our tools, one prompt. A session is
 * gone on with by its exact id where the agent offers that, and begun anew where it then cannot.
 *
 * The official SDK carries the messages. What agents answer is read by ourselves, because it differs from agent to agent:
 * usage, for one, is in no stable schema. Files and terminals of ours are not offered: agents have their own.
 */

import type { ChildProcessByStdio } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { client, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import type { ClientConnection, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { list, orNull, record, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import type { Infer } from '../../schema/schema.ts';
import { anything, flag, number, oneOf, verbatim } from '../../schema/simple.ts';
import type { AgentError, AgentEvent } from '../agent.ts';
import { inner, items, texts, type Json } from '../json-line.ts';
import { keepUsed, usedBefore } from '../usage-ledger.ts';
import { missing, modelsOf, protocolVersion, resumingMethod, unusable, usageOfAll } from './agent-answers.ts';
import { judge, optionFor } from './permissions.ts';
import { errorOfRpc, errorOfStop, waitingError, waitingMethod } from './turn-end.ts';
import { Updates } from './updates.ts';

/** Our server's name: agents put it into the names of its tools. */
const ourServer = 'pawl';
/** How often an agent whose turn ended with a refused permission is told to go on. */
const followUpsMax = 5;
const messageBytesMax = 64 * 1024 * 1024;

const names = list(verbatim(), 'a list of texts');
const textOrNull = orNull(unlessNull(verbatim()));

/** What the bridge is told about its dispatch. */
export const acpHandover = table({
  /** Program and arguments. */
  command: names,
  workspace: verbatim(),
  access: oneOf(['read', 'write']),
  /** Beginnings of the only commands it may run where it writes; null for all of them. */
  commands: orNull(unlessNull(names)),
  model: textOrNull,
  /** The conversation to go on with, by its exact id. */
  resume: textOrNull,
  /** A folder that later dispatches know too. */
  ledger: verbatim(),
  /** Our tools; null when the agent has them from its configuration. */
  mcp: orNull(unlessNull(table({ url: verbatim(), token: verbatim() }))),
  /** The user's own MCP servers whose tools may be used. */
  servers: names,
  /** Modes to work in, the best one first; where the agent has none of them it stays in its own. */
  modes: names,
  /** Whether the tokens it tells are those of all prompts of its process. */
  countsOn: flag(),
  /** What this agent alone wants to know about a session. */
  meta: record(anything),
  /** For each step before the prompt. */
  handshakeMsMax: number(),
});
export type AcpHandover = Infer<typeof acpHandover>;

export type AgentProcess = ChildProcessByStdio<Writable, Readable, null>;

export class Conversation {
  readonly #handover: AcpHandover;
  readonly #emit: (event: AgentEvent) => void;
  readonly #updates: Updates;
  readonly #connection: ClientConnection;
  /** Whether the agent has spoken the protocol at all. */
  greeted = false;
  #session: string | null = null;
  /** Permissions refused since the agent last began to use a tool: what its turn may have ended with. */
  #refusals: string[] = [];
  #isCancelled = false;

  constructor({ stdin, stdout }: AgentProcess, handover: AcpHandover, emit: (event: AgentEvent) => void) {
    this.#handover = handover;
    this.#emit = emit;
    this.#updates = new Updates(emit);
    const app = client({ name: 'pawl' })
      .onRequest('session/request_permission', ({ params }) => this.#permit(params))
      .onNotification('session/update', ({ params }) => this.#hear(params.update))
      .onNotification(waitingMethod, inner, ({ params }) => this.#updates.waits(waitingError(params, Date.now())));
    const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout), { maxMessageBytes: messageBytesMax });
    this.#connection = app.connect(stream);
  }

  /** The prompt, played to the end; the error says how it failed. Rejects when the connection is gone. */
  async play(prompt: string): Promise<AgentError | null> {
    try {
      const problem = await this.#begin();
      if (problem !== null) return problem;
      this.#updates.attend(usedBefore(this.#session ?? '', this.#handover.ledger).costUsd ?? 0);
      return await this.#prompt(prompt);
    } catch (error) {
      this.#updates.flush();
      this.#tellUsage([]);
      return errorOfStep(error);
    }
  }

  /** To some agents a refused permission is the end of the turn: they are told to go on without it. */
  async #prompt(prompt: string): Promise<AgentError | null> {
    const answers: Json[] = [];
    for (let text = prompt; ; text = goOnWithout(this.#refusals)) {
      this.#refusals = [];
      const prompted = this.#request('session/prompt', { prompt: [{ type: 'text', text }] });
      const waits = await Promise.race([prompted.then(() => null), this.#updates.waiting]);
      this.#updates.flush();
      if (waits !== null) {
        prompted.catch(() => {});
        this.#tellUsage(answers);
        await this.cancel();
        return waits;
      }
      const answer = inner(await prompted);
      answers.push(answer);
      const { stopReason } = answer;
      const isCutOff = this.#refusals.length > 0 && (stopReason === 'end_turn' || stopReason === 'cancelled');
      if (isCutOff && !this.#isCancelled && answers.length <= followUpsMax) continue;
      this.#tellUsage(answers);
      return errorOfStop(stopReason, this.#updates.lastWords, Date.now());
    }
  }

  /** Asks the agent to end its turn, and what it runs for it. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    if (this.#session !== null) await this.#connection.agent.notify('session/cancel', { sessionId: this.#session });
  }

  close(): void {
    this.#connection.close();
  }

  async #begin(): Promise<AgentError | null> {
    const { model } = this.#handover;
    const hello = inner(
      await this.#step('initialize', {
        protocolVersion,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'pawl', title: 'Pawl', version: '1' },
      }),
    );
    this.greeted = true;
    const problem = unusable(hello);
    if (problem !== null) return { kind: 'stop', message: problem };
    let session = await this.#goOn(hello);
    if (session === null) {
      session = inner(await this.#step('session/new', this.#sessionParams()));
      this.#session = texts(session['sessionId']);
    }
    if (this.#session === null) return { kind: 'retry', message: 'began a session without an id' };
    await this.#chooseMode(session);
    const { current, offered, setting } = modelsOf(session);
    if (model !== null && model !== current) {
      if (!offered.includes(model)) return { kind: 'stop', message: missing(model, offered) };
      await this.#step(...setting(model));
    }
    this.#emit({ type: 'conversation', id: this.#session, model: model ?? current });
    return null;
  }

  /** The old conversation; null where there is none to go on with. What is said again of it is not news. */
  async #goOn(hello: Json): Promise<Json | null> {
    const { resume } = this.#handover;
    if (resume === null) return null;
    const method = resumingMethod(inner(hello, 'agentCapabilities'));
    this.#updates.ignore();
    try {
      if (method === null) throw new StepFailed('it cannot resume conversations');
      const session = inner(await this.#step(method, { sessionId: resume, ...this.#sessionParams() }));
      if (method === 'session/load') await this.#updates.calm();
      this.#session = resume;
      return session;
    } catch (error) {
      const why = errorOfStep(error).message;
      this.#emit({ type: 'text', text: `begins a new conversation instead of going on with ${resume}: ${why}` });
      return null;
    }
  }

  #sessionParams(): Json {
    const { meta, workspace, mcp } = this.#handover;
    const headers = [{ name: 'Authorization', value: `Bearer ${mcp?.token}` }];
    const mcpServers = mcp ? [{ type: 'http', name: ourServer, url: mcp.url, headers }] : [];
    return { cwd: workspace, mcpServers, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  }

  async #chooseMode(session: Json): Promise<void> {
    const modes = inner(session, 'modes');
    const offered = items(modes['availableModes']).map(({ id }) => id);
    const best = this.#handover.modes.find((mode) => offered.includes(mode));
    if (best !== undefined && best !== modes['currentModeId']) await this.#step('session/set_mode', { modeId: best });
  }

  /** A request that has to be answered in time. */
  async #step(method: string, params: Json): Promise<unknown> {
    const { handshakeMsMax } = this.#handover;
    const late = wait(handshakeMsMax, undefined, { ref: false }).then(() => {
      throw new StepFailed(`did not answer ${method} in ${handshakeMsMax / 1_000} s`);
    });
    return Promise.race([this.#request(method, params), late]);
  }

  #request(method: string, params: Json): Promise<unknown> {
    const session = this.#session === null ? {} : { sessionId: this.#session };
    return this.#connection.agent.request(method, { ...session, ...params });
  }

  #hear(update: unknown): void {
    const { toolCalls } = this.#updates.lastWords;
    this.#updates.hear(update);
    if (this.#updates.lastWords.toolCalls > toolCalls) this.#refusals = [];
  }

  #permit(params: { readonly toolCall: unknown; readonly options: unknown }): RequestPermissionResponse {
    const { access, commands, workspace, servers } = this.#handover;
    const call = this.#updates.call(inner(params.toolCall));
    const verdict = judge(call, { access, commands, workspace, servers: [ourServer, ...servers] });
    if (!verdict.allowed) {
      const title = texts(call['title']) ?? 'a tool';
      this.#emit({ type: 'text', text: `not permitted: ${title} (${verdict.why})` });
      this.#refusals.push(`${title} (${verdict.why})`);
    }
    const optionId = optionFor(verdict, params.options);
    return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
  }

  #tellUsage(answers: readonly Json[]): void {
    const usage = usageOfAll(answers, this.#handover.countsOn);
    const { costUsd, totalUsd } = this.#updates;
    if (totalUsd !== null) keepUsed(this.#session ?? '', { costUsd: totalUsd }, this.#handover.ledger);
    if (usage.inputTokens === null && usage.outputTokens === null && costUsd === null) return;
    this.#emit({ type: 'usage', ...usage, costUsd });
  }
}

function goOnWithout(refusals: readonly string[]): string {
  const list = refusals.map((refusal) => `- ${refusal}`).join('\n');
  return `Not permitted:\n${list}\nContinue your task without that. If you have filed your report, say so and stop.`;
}

class StepFailed extends Error {}

/** Of a step that the agent refused, cannot do or did not answer in time; throws when the connection is gone. */
function errorOfStep(error: unknown): AgentError {
  if (error instanceof StepFailed) return { kind: 'retry', message: error.message };
  if (error instanceof RequestError) return errorOfRpc(error, Date.now());
  throw error;
}
