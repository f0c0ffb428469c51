/**
 * What a person's own coding agent may do with runs through `pawl mcp`.
 *
 * P1. Nothing here answers a decision, vouches for anything or raises a limit: questions are shown with the command that
 *     a person runs.
 * P2. Work is done by a process of its own, which is a coding agent's to the command line, and outlives this one.
 */

import { listRuns, type ListedRun } from '../runs/catalog.ts';
import { isRefusal, type Refusal } from '../runs/refusal.ts';
import { runDocuments } from '../runs/run-documents.ts';
import { withCast, type RunRepository } from '../runs/work-order.ts';
import type { ToolCallHandler, ToolResult } from '../runtime/host.ts';
import { choose, described, list, optional, record, table } from '../schema/compound.ts';
import { exactly, flag, text, verbatim, whole } from '../schema/simple.ts';
import type { Schema } from '../schema/schema.ts';
import { readArguments, type ToolArguments } from '../workflows/tool-definition.ts';
import { namedRun, nextStep, restedStatus, shownStatus, statusOfNamed } from './shown-run.ts';

/** Where the work of a process stands: at it, or over already. */
export type WorkStart =
  | { readonly run: string | null; readonly pid: number }
  | { readonly exitCode: number; readonly outcome: string | null; readonly next: string | null };

export interface WorkWords {
  readonly workflow: string;
  readonly verb: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
}

/** The edge behind the tools. */
export interface Workshop {
  /** Of the folder the client started the server in; throws where there is none. */
  repository(): RunRepository;
  /** Commands that begin a run, one for each workflow. */
  readonly begin: readonly string[];
  start(work: WorkWords, calling: Calling): Promise<WorkStart | Refusal>;
  resume(run: string, calling: Calling): Promise<WorkStart | Refusal>;
}

export interface Calling {
  /** Aborted when the client takes its request back, or goes away. */
  readonly signal: AbortSignal;
  /** Reaches a client that asked for progress. */
  readonly progress: (message: string) => void;
}

/** A client waits a minute for an answer, as a rule. */
const waitSecondsMax = 50;
const pageCharsMax = 16_000;
const listedMax = 50;
const flagsMax = 20;
const wordsMax = 20;

interface RunTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema<unknown>;
  call(args: Readonly<Record<string, unknown>>, calling: Calling): Promise<unknown>;
}

/** `calling` belongs to one request. */
export function runTools(workshop: Workshop): Pick<ToolCallHandler, 'tools'> & {
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, calling: Calling) => Promise<ToolResult>;
} {
  const all = [...lookingTools(workshop), ...workingTools(workshop)];
  return {
    tools: all.map(({ name, description, schema }) => ({
      name,
      description,
      schema: { type: 'object', ...schema.json() },
    })),
    call: async (name, args, calling) => {
      const found = all.find((each) => each.name === name);
      if (!found)
        return failed(`There is no tool "${name}" here. Available: ${all.map((each) => each.name).join(', ')}.`);
      const result = await found.call(args, calling);
      if (isRefusal(result)) return failed(refusalText(result));
      return typeof result === 'string' ? { text: result, isError: false } : { text: jsonOf(result), isError: false };
    },
  };
}

function lookingTools(workshop: Workshop): readonly RunTool[] {
  const run = described(text(), '<id>, or <workflow>/<id>');
  return [
    runTool({
      tool: 'list_runs',
      description: 'Unfinished runs of this repository, with phase and next command.',
      schema: table({ all: optional(described(flag(), 'finished ones too')) }),
      example: {},
      call: async ({ all = false }) => {
        const found = (await listRuns(workshop.repository())).filter(({ finished }) => all || !finished);
        const more = found.length - listedMax;
        return { runs: found.slice(0, listedMax).map(shownListed), ...(more > 0 && { more }) };
      },
    }),
    runTool({
      tool: 'run_status',
      description: 'State of a run: message, open decisions with the command that answers them, usage, next command.',
      schema: table({
        run,
        wait_seconds: optional(described(whole(0, waitSecondsMax), 'wait for it to stop')),
      }),
      example: { run: 'add-login' },
      call: async ({ run: word, wait_seconds: seconds = 0 }, calling) => {
        const known = await restedStatus(workshop.repository(), word, { waitMs: seconds * 1_000, calling });
        return isRefusal(known) ? known : shownStatus(known);
      },
    }),
    runTool({
      tool: 'next_step',
      description: 'The next step of a run: the command, and the tool call if you may take it.',
      schema: table({ run }),
      example: { run: 'add-login' },
      call: async ({ run: word }) => {
        const known = await statusOfNamed(workshop.repository(), word);
        return isRefusal(known) ? known : nextStep(known);
      },
    }),
    runTool({
      tool: 'run_documents',
      description: 'List the documents of a run, or read one of them.',
      schema: table({ run, path: optional(text()), offset: optional(whole(0, Number.MAX_SAFE_INTEGER)) }),
      example: { run: 'add-login', path: 'docs/add-login.md' },
      call: async ({ run: word, path, offset = 0 }) => {
        const repository = workshop.repository();
        const found = namedRun(repository, word);
        const documents = isRefusal(found) ? found : await runDocuments(repository, found);
        if (isRefusal(documents)) return documents;
        if (path === undefined) return { documents: documents.paths };
        const content = documents.text(path);
        return isRefusal(content) ? content : pageOf(content, offset);
      },
    }),
  ];
}

/** P2. */
function workingTools(workshop: Workshop): readonly RunTool[] {
  const flagValue = choose<string | true>((value) =>
    value === true ? exactly(true, 'true') : text('true, or a text'),
  );
  return [
    runTool({
      tool: 'start_run',
      description: `Start a run, or its next phase. It works in the background. Begin with ${workshop.begin.join(' | ')}`,
      schema: table({
        workflow: text(),
        verb: text(),
        words: optional(described(list(verbatim(), 'a list of texts', { max: wordsMax }), 'what follows the verb')),
        flags: optional(record(flagValue, { expected: 'a map of flags to texts or true', max: flagsMax })),
      }),
      example: { workflow: 'release-notes', verb: 'start', words: ['first', 'What is new'] },
      call: async ({ words = [], flags = {}, ...work }, calling) =>
        shownStart(await workshop.start({ ...work, words, flags }, calling)),
    }),
    runTool({
      tool: 'resume_run',
      description: 'Continue a stopped run in the background.',
      schema: table({ run: text() }),
      example: { run: 'add-login' },
      call: async ({ run }, calling) => shownStart(await workshop.resume(run, calling)),
    }),
  ];
}

interface Definition<T> extends ToolArguments<T> {
  readonly description: string;
  readonly call: (args: T, calling: Calling) => Promise<unknown>;
}

function runTool<T>({ call, description, ...shape }: Definition<T>): RunTool {
  const { tool: name, schema } = shape;
  return {
    name,
    description,
    schema,
    call: async (args, calling) => {
      const read = readArguments(shape, args);
      return 'error' in read ? argumentRefusal(read.error) : call(read.value, calling);
    },
  };
}

function argumentRefusal(message: string): Refusal {
  return { code: 'InvalidArguments', message, fix: '', target: null, outcome: 'usage' };
}

function failed(message: string): ToolResult {
  return { text: message, isError: true };
}

export function refusalText({ code, message, fix }: Refusal): string {
  return [`${code}: ${message}`, ...(fix === '' ? [] : [`fix: ${fix}`])].join('\n');
}

function shownListed(listed: ListedRun) {
  const { workflow, run, phase, outcome, updatedAt, owner, workspace, problem } = listed;
  const next = withCast(listed.next, workflow, listed);
  return { workflow, run, phase, outcome, updatedAt, working: owner !== null, next, workspace, problem };
}

/** The rest is to be had with the offset that is named. */
function pageOf(content: string, offset: number): string {
  const page = content.slice(offset, offset + pageCharsMax);
  const end = offset + page.length;
  return end < content.length ? `${page}\n[${content.length - end} more characters: offset ${end}]` : page;
}

function shownStart(start: WorkStart | Refusal): unknown {
  if (isRefusal(start)) return start;
  if ('exitCode' in start) return { working: false, ...start };
  const { run, pid } = start;
  const follow =
    run === null ? 'list_runs shows it once it has a name' : `run_status with run "${run}" and wait_seconds`;
  return { working: true, run, pid, follow };
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 1);
}
