/**
 * The reports of one dispatch: each is journalled when it is filed, and staged until the dispatch ends cleanly.
 *
 * P1. Only the role's own tools are offered; a report after the dispatch's end is refused.
 * P2. Filing the same report twice is one report; a tool that may be used once refuses another.
 * P3. Staging is a pure function of the filed reports, so it can be repeated after a crash.
 * P4. What is written in the end is staged on the files as they are then: nobody's edit meanwhile is lost.
 */

import type { Json } from '../engine/snapshot.ts';
import type { DispatchContext, FiledReport, ToolAnswer, Tools, Write } from '../workflows/workflow.ts';
import { withWrites } from '../workflows/staged-files.ts';
import type { ToolCallHandler, ToolResult } from './host.ts';

export class Reports implements ToolCallHandler {
  readonly #tools: Tools;
  readonly #context: DispatchContext;
  readonly #record: (report: FiledReport) => void;
  readonly #filed: FiledReport[] = [];
  readonly #staged: Write[] = [];
  #lastRefusal: string | null = null;

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
    return Reports.restage(this.#tools, this.#context, this.#filed);
  }

  get tools(): ToolCallHandler['tools'] {
    return Object.entries(this.#tools)
      .filter(([, tool]) => tool.roles.includes(this.#context.role))
      .map(([name, { description, schema }]) => ({ name, description, schema }));
  }

  get filed(): readonly FiledReport[] {
    return this.#filed;
  }

  get staged(): readonly Write[] {
    return this.#staged;
  }

  /** What the agent was told the last time a report was refused; null once one was accepted after it. */
  get lastRefusal(): string | null {
    return this.#lastRefusal;
  }

  /** The context with what was staged so far. */
  get context(): DispatchContext {
    return { ...this.#context, files: withWrites(this.#context.files, this.#staged) };
  }

  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const answer = this.#file(name, args);
    if (this.#tools[name]?.report) this.#lastRefusal = 'error' in answer ? answer.error : null;
    return Promise.resolve(toResult(answer));
  }

  #file(name: string, args: Readonly<Record<string, unknown>>): ToolAnswer {
    const tool = this.#tools[name];
    if (!tool?.roles.includes(this.#context.role))
      return { error: `there is no tool "${name}" for the ${this.#context.role}` };
    if (!tool.report) return tool.call(args, this.context);
    const json = toJson(args);
    const repeated = this.#filed.some((one) => one.tool === name && JSON.stringify(one.args) === JSON.stringify(json));
    if (repeated) return { text: 'This report is already filed; nothing more to do.' };
    if (tool.report.once && this.#filed.some((one) => one.tool === name)) {
      return { error: `${name} was already called in this dispatch; its first report stands and cannot be replaced` };
    }
    const answer = tool.call(args, this.context);
    if ('error' in answer) return answer;
    this.#record({ tool: name, args: json });
    this.#filed.push({ tool: name, args: json });
    this.#staged.push(...(answer.writes ?? []));
    return answer;
  }
}

function toResult(answer: ToolAnswer): ToolResult {
  return 'error' in answer ? { text: answer.error, isError: true } : { text: answer.text, isError: false };
}

/** Arguments arrived as JSON; this gives them the type. */
function toJson(args: Readonly<Record<string, unknown>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, jsonOf(value)]));
}

function jsonOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, jsonOf(each)]));
  return null;
}
