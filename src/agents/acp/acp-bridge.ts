/**
 * The bridge between our launcher, which ends standard input and reads output from files, and an agent that talks over
 * its pipes: speaks the Agent Client Protocol with it, and prints events of the port.
 *
 * A1. The agent is in the bridge's own process group, so that whoever ends the bridge's group ends the agent too.
 * A2. Every way the agent can end is told as one `finished` event; after a signal of ours there is none.
 * A3. The bridge leaves no agent behind: cancel, then SIGTERM, then SIGKILL, each with its time.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentError } from '../agent.ts';
import { emit, finish, readHandover } from '../own-program.ts';
import { acpHandover, Conversation, type AgentProcess } from './conversation.ts';

const stdin = 0;
/** With the time for its end less than the five seconds the launcher gives by default. */
const cancelMsMax = 1_000;
/** What a shell gives for a program that SIGTERM ended. */
const terminated = 143;
const closeMsMax = 500;
const termMsMax = 2_000;

const handover = readHandover(acpHandover);
const prompt = readFileSync(stdin, 'utf8');
void main();

async function main(): Promise<void> {
  const [command = '', ...args] = handover.command;
  const child = spawn(command, args, { cwd: handover.workspace, stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(child, 'spawn');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return finish({ kind: 'stop', message: `cannot be started: ${why}` });
  }
  child.stdin.on('error', () => {});
  const conversation = new Conversation(child, handover, emit);
  const played = conversation.play(prompt).catch(() => lost(child, conversation.greeted));
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void stop(child, conversation, played);
    });
  }
  const error = await played;
  if (stopping) return;
  conversation.close();
  await end(child);
  if (!stopping) finish(error);
}

/** A3, when we are told to end: the agent first ends what its turn runs, then itself. */
async function stop(agent: AgentProcess, conversation: Conversation, played: Promise<unknown>): Promise<void> {
  await Promise.race([conversation.cancel().catch(() => {}), wait(cancelMsMax, undefined, { ref: false })]);
  await Promise.race([played, isGoneIn(agent, cancelMsMax)]);
  await end(agent);
  process.exitCode = terminated;
}

/** Most agents end with their input; some only when they are told to. */
async function end(agent: AgentProcess): Promise<void> {
  agent.stdin.end();
  if (!(await isGoneIn(agent, closeMsMax))) agent.kill('SIGTERM');
  if (!(await isGoneIn(agent, termMsMax))) agent.kill('SIGKILL');
  await isGoneIn(agent, termMsMax);
  // What it started may hold the other ends, and the bridge would wait for it.
  for (const pipe of [agent.stdin, agent.stdout]) pipe.destroy();
}

/** The connection broke off before the turn was over; an agent that never spoke will not do so the next time. */
async function lost(agent: AgentProcess, greeted: boolean): Promise<AgentError> {
  const gone = await isGoneIn(agent, closeMsMax);
  const { exitCode, signalCode } = agent;
  const how = signalCode === null ? `exited with status ${exitCode}` : `was killed by ${signalCode}`;
  const what = gone ? how : 'closed its output';
  return greeted
    ? { kind: 'retry', message: `${what} before it finished its turn` }
    : { kind: 'stop', message: `${what} before it answered over ACP: ${handover.command.join(' ')}` };
}

async function isGoneIn(agent: AgentProcess, ms: number): Promise<boolean> {
  if (agent.exitCode !== null || agent.signalCode !== null) return true;
  return Promise.race([once(agent, 'exit').then(() => true), wait(ms, false, { ref: false })]);
}
