/**
 * The reports of one dispatch: each is journalled when it is filed, and staged until the dispatch ends cleanly.
 *
 * P1. Only the role's own tools are offered; a report after the dispatch's end is refused.
 * P2. Filing the same report twice is one report; a tool that may be used once refuses another.
 * P3. Staging is a pure function of the filed reports, so it can be repeated after a crash.
 * P4. What is written in the end is staged on the files as they are then: nobody's edit meanwhile is lost.
 */

import { isRecord } from '../schema/values.ts';
import type { DispatchContext, FiledReport, ToolAnswer, Tools, Write } from '../workflows/workflow.ts';
import { withWrites } from '../workflows/staged-files.ts';
import type { ToolCallHandler, ToolResult } from './host.ts';

export class Reports implements ToolCallHandler {
  readonly #tools: Tools;
  readonly #context: DispatchContext;
  readonly #record: (report: FiledReport) => void;
  readonly filed: FiledReport[] = [];
  readonly staged: Write[] = [];
  /** Refusals by tool and document, until one of the same is accepted. */
  readonly #refusals = new Map<string, string>();

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
    if (isError && this.#tools[name]?.report) this.#refusals.set(about, answer.error);
    else if (!isError) this.#refusals.delete(about);
    return Promise.resolve({ text: isError ? answer.error : answer.text, isError });
  }

  #file(name: string, args: Readonly<Record<string, unknown>>): ToolAnswer {
    const tool = this.#tools[name];
    if (!tool?.roles.includes(this.#context.role))
      return { error: `there is no tool "${name}" for the ${this.#context.role}` };
    if (!tool.report) return tool.call(args, this.context);
    if (!isJson(args)) return { error: 'the arguments are not a map' };
    const repeated = this.filed.some((one) => one.tool === name && JSON.stringify(one.args) === JSON.stringify(args));
    if (repeated) return { text: 'This report is already filed; nothing more to do.' };
    if (tool.report.once && this.filed.some((one) => one.tool === name)) {
      return { error: `${name} was already called in this dispatch; its first report stands and cannot be replaced` };
    }
    const answer = tool.call(args, this.context);
    if ('error' in answer) return answer;
    this.#record({ tool: name, args });
    this.filed.push({ tool: name, args });
    this.staged.push(...(answer.writes ?? []));
    return answer;
  }
}

/** They arrived as JSON, so there is nothing else in them. */
function isJson(args: Readonly<Record<string, unknown>>): args is FiledReport['args'] {
  return isRecord(args);
}
