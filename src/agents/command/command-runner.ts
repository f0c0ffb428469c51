/**
 * Runs a program that nobody wrote an adapter for, and files what it reports.
 *
 * C1. The program is in the runner's process group: whoever ends that group ends both.
 * C2. A report in a fenced block goes through the tools every agent uses: the same checks, the same record.
 * C3. A report that is refused or cannot be read is asked for again, a limited number of times, with the reason.
 * C4. Its output goes to a file, never through a pipe, and has a limit.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineTail } from '../../workspace/tail.ts';
import type { Infer } from '../../schema/schema.ts';
import type { AgentError } from '../agent.ts';
import { connectMcp, type McpClient } from '../mcp-client.ts';
import { emit, finish, readHandover, variable } from '../own-program.ts';
import { commandHandover, findReport, howToReport, refusal } from './fenced-report.ts';

type Handover = Infer<typeof commandHandover>;

const stdin = 0;
const promptFile = '{prompt_file}';
const attemptsMax = 3;
const outputBytesMax = 64 * 1024 * 1024;
const lineBytesMax = 1024 * 1024;
const pollMs = 50;

/** What a program says by its exit status, in the words of sysexits.h. */
const exits: Readonly<Record<number, AgentError>> = {
  75: { kind: 'wait', until: null, message: 'says to try again later (exit status 75)' },
  69: { kind: 'stop', message: 'says that it cannot work here (exit status 69)' },
  77: { kind: 'stop', message: 'says that a login or permission is missing (exit status 77)' },
  78: { kind: 'stop', message: 'says that its configuration is wrong (exit status 78)' },
};

void main();

async function main(): Promise<void> {
  const handover = readHandover(commandHandover);
  const prompt = readFileSync(stdin, 'utf8');
  const tools = await connectMcp(variable('PAWL_MCP_URL'), variable('PAWL_MCP_TOKEN'));
  const error = await converse(handover, prompt, tools);
  tools.close();
  finish(error);
}

/** C3. After the last refusal there is nothing to add: the runtime knows what was filed. */
async function converse(handover: Handover, prompt: string, tools: McpClient): Promise<AgentError | null> {
  const asked = `${prompt.trimEnd()}\n\n${howToReport(await tools.list())}`;
  let problem: string | null = null;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const output = join(handover.folder, `output-${attempt}.log`);
    const text = problem === null ? asked : `${asked}\n${refusal(problem)}`;
    const error = await run(handover, { attempt, text, output });
    if (error !== null) return error;
    problem = await fileReport(tools, readFileSync(output, 'utf8'));
    if (problem === null) return null;
    emit({ type: 'text', text: `the report was refused: ${problem}` });
  }
  return null;
}

/** C2. Null when it was accepted, or when there is none: then the program has used the tools itself, or the runtime will say. */
async function fileReport(tools: McpClient, output: string): Promise<string | null> {
  const found = findReport(output);
  if (found === null) return null;
  if ('problem' in found) return found.problem;
  const refused: string[] = [];
  for (const { tool, args } of found.calls) {
    emit({ type: 'tool', name: tool });
    const answer = await tools.call(tool, args).catch((error: unknown) => ({ isError: true, text: String(error) }));
    if (answer.isError) refused.push(`${tool}: ${answer.text}`);
  }
  return refused.length === 0 ? null : refused.join('\n');
}

async function run(
  { command, folder }: Handover,
  { attempt, text, output }: { attempt: number; text: string; output: string },
): Promise<AgentError | null> {
  const byFile = command.some((word) => word.includes(promptFile));
  const promptPath = join(folder, `prompt-${attempt}.md`);
  if (byFile) writeFileSync(promptPath, text, { mode: 0o600 });
  const [program = '', ...args] = command.map((word) => word.replaceAll(promptFile, promptPath));
  // Both ways, so that what was printed before is not read as this attempt's.
  const fd = openSync(output, 'w+', 0o600);
  try {
    const child = spawn(program, args, { stdio: [byFile ? 'ignore' : 'pipe', fd, 'inherit'] });
    // A program may well end without having read its prompt.
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
    return await watch(child, fd);
  } finally {
    closeSync(fd);
  }
}

/** C4. Whole lines are handed on as they come. */
async function watch(child: ChildProcess, fd: number): Promise<AgentError | null> {
  const onLine = (text: string): void => {
    if (text.trim() !== '') emit({ type: 'text', text });
  };
  const tail = new LineTail(fd, { from: 0, to: outputBytesMax, lineBytesMax, onLine });
  let exceeded = false;
  const poll = setInterval(() => {
    tail.read();
    if (fstatSync(fd).size <= outputBytesMax) return;
    exceeded = true;
    child.kill('SIGKILL');
  }, pollMs);
  const error = await new Promise<AgentError | null>((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'stop', message: `cannot be started: ${message}` }));
    child.once('exit', (code, signal) => resolve(errorOfExit(code, signal)));
  });
  clearInterval(poll);
  tail.finish();
  return exceeded ? { kind: 'retry', message: 'printed more than 64 MB' } : error;
}

/** That it exits with 0 proves nothing. */
function errorOfExit(code: number | null, signal: string | null): AgentError | null {
  if (code === 0) return null;
  const message = signal === null ? `exited with status ${code}` : `was killed by ${signal}`;
  return exits[code ?? -1] ?? { kind: 'retry', message };
}
