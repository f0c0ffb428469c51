/**
 * The bridge between our launcher, which ends standard input and reads output from files, and an agent that talks over
 * its pipes: speaks the Agent Client Protocol with it, and prints events of the port.
 *
 * A1. The agent is in the bridge's own process group, so that whoever ends the bridge's group ends the agent too.
 * A2. Every way the agent can end is told as one `finished` event; after a signal of ours there is none.
 * A3. The bridge leaves no agent behind: cancel, then SIGTERM, then SIGKILL, each with its time.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentError, AgentEvent } from '../agent.ts';
import { AgentProcess } from './agent-process.ts';
import { Conversation } from './conversation.ts';
import { parseHandover } from './handover.ts';

const stdin = 0;
const stdout = 1;
/** With the time for its end less than the five seconds the launcher gives by default. */
const cancelMsMax = 1_000;
/** What a shell gives for a program that SIGTERM ended. */
const terminated = 143;

const file = process.argv[2] ?? '';
const handover = parseHandover(readFileSync(file, 'utf8'), file);
const prompt = readFileSync(stdin, 'utf8');
await main();

async function main(): Promise<void> {
  const [command = '', ...args] = handover.command;
  const child = spawn(command, args, { cwd: handover.workspace, stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = await startError(child);
  if (failed !== null) return finish({ kind: 'stop', message: `cannot be started: ${failed}` });
  child.stdin.on('error', () => {});
  const agent = new AgentProcess(child, handover.command);
  const conversation = new Conversation(child, handover, emit);
  const played = conversation.play(prompt).catch(() => agent.lost(conversation.greeted));
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void stop(agent, conversation, played);
    });
  }
  const error = await played;
  if (stopping) return;
  conversation.close();
  await agent.end();
  if (!stopping) finish(error);
}

/** Null once it runs. */
async function startError(child: ChildProcess): Promise<string | null> {
  try {
    await once(child, 'spawn');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A3, when we are told to end: the agent first ends what its turn runs, then itself. */
async function stop(agent: AgentProcess, conversation: Conversation, played: Promise<unknown>): Promise<void> {
  await Promise.race([conversation.cancel().catch(() => {}), wait(cancelMsMax, undefined, { ref: false })]);
  await Promise.race([played, agent.gone, wait(cancelMsMax, undefined, { ref: false })]);
  await agent.end();
  process.exitCode = terminated;
}

function finish(error: AgentError | null): void {
  emit({ type: 'finished', error });
  process.exitCode = error === null ? 0 : 1;
}

function emit(event: AgentEvent): void {
  writeFileSync(stdout, `${JSON.stringify(event)}\n`);
}
