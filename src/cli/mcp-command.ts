/** `mcp`: the tools of a person's coding agent. Work runs in processes of its own, as commands of a coding agent. */

import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { orElse } from '../disk/disk-error.ts';
import { serveRunTools } from '../mcp/stdio-server.ts';
import type { Calling, Workshop, WorkStart, WorkWords } from '../mcp/run-tools.ts';
import { listRuns } from '../runs/catalog.ts';
import { refusal, type Refusal } from '../runs/refusal.ts';
import type { RunRepository, Workflows } from '../runs/work-order.ts';
import { list, orNull, table, withDefault } from '../schema/compound.ts';
import { unlessNull } from '../schema/lenient.ts';
import { check } from '../schema/schema.ts';
import { text } from '../schema/simple.ts';
import { definedVerbs } from '../workflows/defined/surface.ts';
import { markedAsAgent } from './calling-agent.ts';
import { verbCommand, type Command } from './command-table.ts';
import type { CommandFunction } from './context.ts';
import { usageOf } from './options.ts';
import { exitCodes, toProblem } from './problem.ts';
import { screenOf } from './show/screen.ts';
import { plainLine } from './show/text.ts';
import { version } from './start.ts';
import { projectHere } from './workflows.ts';

/** How long a client waits to hear that work has begun. */
const beginMsMax = 20_000;
const pollMs = 100;
const wordCharsMax = 32_000;
const resultBytesMax = 1024 * 1024;

export const mcp: CommandFunction = async (_given, context) => {
  const { workflows } = context;
  const workshop: Workshop = {
    repository: () => context.repository(),
    begin: workflows.bundled.map(({ begin }) => begin.replace(/^pawl /, '')),
    start: async (work, calling) => {
      const args = await commandLine(workflows, work);
      return Array.isArray(args) ? begun(context.repository(), args, calling) : args;
    },
    resume: (run, calling) => begun(context.repository(), ['resume', '--', run], calling),
  };
  const isWhole = await serveRunTools(workshop, {
    version: orElse('unknown', version),
    explain: (error) => {
      const { code, message, fix, target } = toProblem(error).diagnostic;
      return refusal(code, message, { fix: fix ?? '', target });
    },
    warn: (message) => screenOf(process.stderr).write(`pawl mcp: ${plainLine(message)}\n`),
  });
  return isWhole ? exitCodes.done : exitCodes.usage;
};

/** Words of the command; only verbs that set agents to work, and only flags that vouch for nothing. */
async function commandLine(
  workflows: Workflows,
  { workflow, verb, words, flags }: WorkWords,
): Promise<string[] | Refusal> {
  const known = await workCommands(workflows, workflow);
  if (known.length === 0)
    return refusal('WorkflowNotFound', `there is no workflow "${workflow}"`, { fix: 'pawl show' });
  const command = known.find(({ path }) => path[1] === verb);
  if (!command) {
    const usages = known.map(({ spec }) => usageOf(spec).replace(/^pawl /, ''));
    return refusal('UnknownVerb', `${workflow} has no verb "${verb}"`, { fix: `use one of: ${usages.join(' | ')}` });
  }
  const { spec } = command;
  const open = Object.keys(spec.flags).filter((name) => spec.flags[name]?.vouches !== true);
  const closed = Object.keys(flags).find((name) => !open.includes(name));
  if (closed !== undefined) {
    const isKnown = Object.hasOwn(spec.flags, closed);
    const message = isKnown ? `only a person may use --${closed}` : `${spec.name} has no flag "${closed}"`;
    return refusal(isKnown ? 'AgentNotAllowed' : 'UnknownFlag', message, { fix: `use one of: ${open.join(', ')}` });
  }
  const bad = [...words, ...Object.values(flags)].find(
    (text) => typeof text === 'string' && (text.includes('\0') || text.length > wordCharsMax),
  );
  if (bad !== undefined)
    return refusal('UnusableWord', 'a word is too long, or has a NUL character', { fix: 'shorten it' });
  const given = Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  return [workflow, verb, ...given, '--', ...words];
}

async function workCommands(workflows: Workflows, name: string): Promise<readonly Command[]> {
  const bundled = workflows.bundled.find((surface) => surface.name === name);
  const surface = bundled ?? workflows.surfaceOf(name);
  const isOwn = bundled === undefined && projectHere(workflows.bundled).workflows.some((own) => own.name === name);
  const verbs = bundled ? bundled.verbs : isOwn ? definedVerbs(await surface.load()) : [];
  return verbs
    .filter(({ does }) => does === 'work')
    .map((verb) => verbCommand('pawl', [name, verb.verb], { ...surface, verbs }, verb));
}

/** Returns as soon as the process has its run, or is over. Its result goes to a file that nobody else sees or keeps. */
async function begun(
  repository: RunRepository,
  args: readonly string[],
  { signal, progress }: Calling,
): Promise<WorkStart | Refusal> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mcp-'));
  const output = openSync(join(folder, 'result.json'), 'w+');
  rmSync(folder, { recursive: true });
  try {
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...withJson(args)], {
      cwd: repository.root,
      env: markedAsAgent(process.env),
      stdio: ['ignore', output, 'ignore'],
      detached: true,
    });
    const exited = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? exitCodes.interrupted));
    });
    child.unref();
    progress(`started: pawl ${args.join(' ')}`);
    const over = AbortSignal.any([signal, AbortSignal.timeout(beginMsMax)]);
    const { pid = 0 } = child;
    for (;;) {
      const exitCode = await Promise.race([exited, wait(pollMs, null, { signal: over }).catch(() => null)]);
      if (exitCode !== null) return ended(output, exitCode);
      const own = (await listRuns(repository)).find(({ owner }) => owner?.pid === pid);
      if (own || over.aborted) return { run: own ? `${own.workflow}/${own.run}` : null, pid };
    }
  } finally {
    closeSync(output);
  }
}

/** Before the words, which may be anything. */
function withJson(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  return [...args.slice(0, at), '--json', ...args.slice(at)];
}

const nullable = orNull(unlessNull(text()));
const documentSchema = table({
  outcome: nullable,
  next: nullable,
  diagnostics: withDefault(list(table({ code: text(), message: text(), fix: nullable }), 'a list of problems'), []),
});

/** What the command printed: a refusal, or its result. */
function ended(file: number, exitCode: number): WorkStart | Refusal {
  const bytes = Buffer.alloc(resultBytesMax);
  // From the beginning: the process has moved the end of what it wrote.
  const printed = bytes.toString('utf8', 0, readSync(file, bytes, 0, resultBytesMax, 0));
  const document = orElse({}, (): unknown => JSON.parse(printed));
  const read = check(documentSchema, document, { unknownKeys: 'ignored' });
  if ('mistakes' in read) return { exitCode, outcome: null, next: null };
  const { outcome, next, diagnostics } = read.value;
  const [problem] = diagnostics;
  if (outcome !== 'error' || !problem) return { exitCode, outcome, next };
  return refusal(problem.code, problem.message, { fix: problem.fix ?? '' });
}
