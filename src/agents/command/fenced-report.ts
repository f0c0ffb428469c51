/** How a program without MCP reports: the last fenced block of JSON it prints that names a tool. */

import { list, table } from '../../schema/compound.ts';
import { verbatim } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import type { McpTool } from '../mcp-client.ts';

/** What the runner is told: program and arguments (`{prompt_file}` stands for the path of the prompt), and where files go. */
export const commandHandover = table({ command: list(verbatim(), 'a list of texts'), folder: verbatim() });

interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls, in their order; null where nothing looks like a report; or a report that cannot be read. */
type FencedReport = { readonly calls: readonly ToolCall[] } | { readonly problem: string } | null;

/** Stands for a tool in the instructions, which some programs print again. */
const toolPlaceholder = '<name>';

const fence = /^[ \t]*```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```[ \t]*$/gm;

export function findReport(output: string): FencedReport {
  const blocks = [...output.matchAll(fence)].map((match) => match[1] ?? '');
  const block = blocks.findLast((text) => text.includes('"tool"') && !text.includes(`"${toolPlaceholder}"`));
  if (block === undefined) return null;
  try {
    return readCalls(JSON.parse(block));
  } catch (error) {
    return { problem: `the block is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function readCalls(value: unknown): FencedReport {
  const calls: ToolCall[] = [];
  for (const each of Array.isArray(value) ? value : [value]) {
    if (!isRecord(each) || typeof each['tool'] !== 'string')
      return { problem: 'each report is an object with "tool", a text, and "args", an object' };
    const args = each['args'] ?? {};
    if (!isRecord(args)) return { problem: `"args" of ${each['tool']} is no object` };
    calls.push({ tool: each['tool'], args });
  }
  return { calls };
}

export function howToReport(tools: readonly McpTool[]): string {
  const listed = tools.map(
    ({ name, description, schema }) => `### ${name}\n\n${description}\n\nArguments: \`${JSON.stringify(schema)}\``,
  );
  return `## Without MCP

If you cannot call tools over MCP (the server is in the variable PAWL_MCP_URL, its token in PAWL_MCP_TOKEN), print your
report instead, as the last thing, as one fenced block. For several calls make it a list of such objects.

\`\`\`json
{"tool": "${toolPlaceholder}", "args": {}}
\`\`\`

${listed.join('\n\n')}
`;
}

export function refusal(problem: string): string {
  return `## Your last report was refused

${problem}

What you changed in files is still there. Fix the report and print it again.
`;
}
