/**
 * The scripted agent's executable: plays the one turn it was handed, then exits.
 *
 * It is started hundreds of times in a test run, so nothing heavy is imported:
 * no YAML, no SDK, and each Node module only where the turn needs it.
 */

import { appendFileSync, closeSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Infer } from '../../schema/schema.ts';
import { connectMcp, type McpClient } from '../mcp-client.ts';
import { emit, finish, readHandover, relativeInside, variable } from '../own-program.ts';
import { limitEnd, turnHandover, type Turn } from './turn.ts';

type Handover = Infer<typeof turnHandover>;

const stdin = 0;
const stdout = 1;
const runOutputBytesMax = 4 * 1024 * 1024;

void main().catch((error: unknown) => giveUp(messageOf(error)));

async function main(): Promise<void> {
  const handover = readHandover(turnHandover);
  const { script, role, step, played, next } = handover;
  if (!next) {
    readFileSync(stdin);
    return giveUp(`no turn left in ${script} for role ${role} (step ${step}), ${played} were played`);
  }
  logProgress('start', handover);
  if (next.turn.fault === 'epipe') {
    closeSync(stdin);
    process.stderr.write('closed standard input without reading it\n');
    process.exitCode = 1;
    return;
  }
  const prompt = readFileSync(stdin, 'utf8');
  const missing = next.turn.expect_prompt?.find((part) => !prompt.includes(part));
  if (missing !== undefined)
    return giveUp(`turn ${next.index + 1} of ${script} expects a prompt that contains ${JSON.stringify(missing)}`);
  await play(next.turn);
  await end(handover, next.turn.fault);
}

/** The order is part of the format. */
async function play(turn: Turn): Promise<void> {
  if (turn.sleep_ms !== undefined) await new Promise((wake) => setTimeout(wake, turn.sleep_ms));
  for (const [path, content] of Object.entries(turn.write ?? {})) write(path, content);
  for (const command of turn.run ?? []) await run(command);
  if (turn.fault === 'crash') {
    process.kill(process.pid, 'SIGSEGV');
    await waitToBeKilled();
  }
  if (turn.call?.length && turn.fault !== 'no_report') await callAll(turn.call);
  if (turn.say !== undefined) emit({ type: 'text', text: turn.say });
  if (!turn.usage) return;
  const { input_tokens: inputTokens = null, output_tokens: outputTokens = null, cost_usd: costUsd = null } = turn.usage;
  emit({ type: 'usage', inputTokens, outputTokens, costUsd });
}

async function end(handover: Handover, fault: Turn['fault']): Promise<void> {
  if (fault === 'hang') return waitToBeKilled();
  logProgress('end', handover);
  if (fault === 'garbage') return printGarbage();
  if (fault?.startsWith('exit:')) {
    process.exitCode = Number(fault.slice('exit:'.length));
    return;
  }
  if (fault?.startsWith('rate_limited')) {
    const until = limitEnd(fault, Date.now());
    return finish({ kind: 'wait', until, message: 'is rate limited' });
  }
  finish(null);
}

function waitToBeKilled(): Promise<never> {
  const timerMsMax = 2 ** 31 - 1;
  setInterval(() => {}, timerMsMax);
  return new Promise(() => {});
}

function write(path: string, content: string | null): void {
  if (!relativeInside(process.cwd(), path))
    throw new Error(`refused to write ${JSON.stringify(path)}: it is not inside the workspace`);
  const target = resolve(path);
  if (content === null) return rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

async function run(command: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const [program = '', ...args] = splitCommand(command);
  const child = spawnSync(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: runOutputBytesMax,
  });
  const output = `$ ${command}\n${child.stdout ?? ''}${child.stderr ?? ''}`;
  emit({ type: 'text', text: output });
  if (child.error) emit({ type: 'text', text: `${command}: ${child.error.message}` });
  else if (child.status !== 0)
    emit({ type: 'text', text: `${command}: ended with ${child.signal ?? `exit code ${child.status}`}` });
}

/** Splits on spaces; what stands in single or double quotes stays together. There is no escaping. */
function splitCommand(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

async function callAll(calls: NonNullable<Turn['call']>): Promise<void> {
  let client: McpClient;
  try {
    client = await connectMcp(variable('PAWL_MCP_URL'), variable('PAWL_MCP_TOKEN'));
  } catch (error) {
    emit({ type: 'text', text: `the tools cannot be reached: ${messageOf(error)}` });
    return;
  }
  for (const { tool, args } of calls) {
    emit({ type: 'tool', name: tool });
    // A refused or failed call is told and the turn goes on, as a model would.
    const answer = client.call(tool, args).catch((error: unknown) => ({ isError: true, text: messageOf(error) }));
    const { text, isError } = await answer;
    emit({ type: 'text', text: `${tool} ${isError ? 'failed' : 'answered'}: ${text}` });
  }
  client.close();
}

/** A line that is no JSON, bytes that are no UTF-8, and an event that breaks off. */
function printGarbage(): void {
  writeFileSync(stdout, Buffer.from('Segmentation fault (not really)\n\xff\xfe\0\xc3(\n{"type":"finish', 'latin1'));
}

/** Kept from being retried: the same script would give the same answer. */
function giveUp(message: string): void {
  process.stderr.write(`${message}\n`);
  finish({ kind: 'stop', message });
}

/** For tests that count what was really played. */
function logProgress(what: 'start' | 'end', { dispatch, role, step, next }: Handover): void {
  const file = process.env['PAWL_SCRIPT_LOG'];
  if (file) appendFileSync(file, `${what} ${dispatch} ${role} ${step} ${next?.index}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
