/**
 * The reports of one dispatch: each is journalled when it is filed, and staged until the dispatch ends cleanly.
 *
 * P1. Only the role's own tools are offered; a report after the dispatch's end is refused.
 * P2. Filing the same report twice is one report. Two different ones of a tool that may be used once contradict each other:
 *     both are on record and the dispatch is void, for nobody can tell which one is the agent's own.
 * P3. Staging is a pure function of the filed reports, so it can be repeated after a crash.
 * P5. Reports are limited in number and size, and so is what is kept of those that were refused.
 * P4. What is written in the end is staged on the files as they are then: nobody's edit meanwhile is lost.
 */

import { createHash } from 'node:crypto';
import { orElse } from '../disk/disk-error.ts';
import { isRecord } from '../schema/values.ts';
import type { DispatchContext, FiledReport, ToolAnswer, Tools, Write } from '../workflows/workflow.ts';
import { withWrites } from '../workflows/staged-files.ts';
import type { ToolCallHandler, ToolResult } from './host.ts';

/** Of one dispatch. */
const reportsMax = 1_000;
const reportBytesMax = 16 * 1024 * 1024;
const refusalsMax = 20;
const refusalCharsMax = 4_000;

export class Reports implements ToolCallHandler {
  readonly #tools: Tools;
  readonly #context: DispatchContext;
  readonly #record: (report: FiledReport) => void;
  readonly filed: FiledReport[] = [];
  readonly staged: Write[] = [];
  /** Refusals by tool and document, until one of the same is accepted. */
  readonly #refusals = new Map<string, string>();
  /** Digests of all filed reports, and those of tools that may be used once. */
  readonly #seen = new Set<string>();
  readonly #closed = new Set<string>();
  #bytes = 0;
  /** P2. Why no report of this dispatch counts. */
  contradiction: string | null = null;

  /** `record` is called before a report counts. */
  constructor(tools: Tools, context: DispatchContext, record: (report: FiledReport) => void) {
    this.#tools = tools;
    this.#context = context;
    this.#record = record;
  }

  /** P3: the reports of a dispatch that a crash cut off, staged again. */
  static restage(tools: Tools, context: DispatchContext, filed: readonly FiledReport[]): Reports {
    const reports = new Reports(tools, context, () => {});
    for (const { tool, args } of filed) reports.#file(tool, args);
    return reports;
  }

  /** P4. */
  restaged(): Reports {
    return Reports.restage(this.#tools, this.#context, this.filed);
  }

  /** Why reports of the agent do not count. */
  get refusals(): readonly string[] {
    return [...this.#refusals.values()];
  }

  get tools(): ToolCallHandler['tools'] {
    return Object.entries(this.#tools)
      .filter(([, tool]) => tool.roles.includes(this.#context.role))
      .map(([name, { description, schema }]) => ({ name, description, schema }));
  }

  /** The context with what was staged so far. */
  get context(): DispatchContext {
    return { ...this.#context, files: withWrites(this.#context.files, this.staged) };
  }

  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const answer = this.#file(name, args);
    const isError = 'error' in answer;
    const { path = '' } = args;
    const about = typeof path === 'string' ? `${name} ${path}` : name;
    if (isError && this.#tools[name]?.report) this.#refuse(about, answer.error);
    else if (!isError) this.#refusals.delete(about);
    return Promise.resolve({ text: isError ? answer.error : answer.text, isError });
  }

  refused(why: string): void {
    this.#refusals.set('', why);
  }

  #file(name: string, args: Readonly<Record<string, unknown>>): ToolAnswer {
    const tool = this.#tools[name];
    if (!tool?.roles.includes(this.#context.role))
      return { error: `there is no tool "${name}" for the ${this.#context.role}` };
    if (!tool.report) return tool.call(args, this.context);
    if (!isJson(args)) return { error: 'the arguments are not a map' };
    if (this.contradiction !== null) return { error: this.contradiction };
    const content = canonical(args);
    if (content === null) return { error: 'the arguments are nested too deeply; nothing was filed' };
    const digest = createHash('sha256').update(`${name}\n${content}`).digest('base64');
    if (this.#seen.has(digest)) return { text: 'This report is already filed; nothing more to do.' };
    const bytes = this.#bytes + Buffer.byteLength(content);
    const isSecond = this.#closed.has(name);
    // Who has filed too much cannot keep others from contradicting it.
    if (!isSecond && (this.filed.length >= reportsMax || bytes > reportBytesMax)) return { error: tooMuch };
    const answer = tool.call(args, isSecond ? this.#context : this.context);
    if ('error' in answer) return answer;
    if (isSecond) {
      this.contradiction = `${name} was called twice with different contents: neither report counts, and this dispatch is void`;
      this.#record({ tool: name, args });
      return { error: this.contradiction };
    }
    this.#record({ tool: name, args });
    this.filed.push({ tool: name, args });
    this.staged.push(...(answer.writes ?? []));
    this.#seen.add(digest);
    this.#bytes = bytes;
    if (tool.report.once) this.#closed.add(name);
    return answer;
  }

  #refuse(about: string, why: string): void {
    const key = about.slice(0, refusalCharsMax);
    if (this.#refusals.has(key) || this.#refusals.size < refusalsMax)
      this.#refusals.set(key, why.slice(0, refusalCharsMax));
  }
}

const tooMuch = `at most ${reportsMax} reports with ${reportBytesMax / 1024 / 1024} MB in all count in one dispatch`;

/** The same for the same values, in whatever order their keys came; null where they are nested too deeply. */
function canonical(value: unknown): string | null {
  const sorted = (each: unknown): unknown =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each;
  return orElse(null, () => JSON.stringify(value, (_, each: unknown) => sorted(each)));
}

/** They arrived as JSON, so there is nothing else in them. */
function isJson(args: Readonly<Record<string, unknown>>): args is FiledReport['args'] {
  return isRecord(args);
}
