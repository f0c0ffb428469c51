/** How a program without MCP reports: the last fenced block of JSON it prints that names a tool. */

import { list, prepared, record, table } from '../../schema/compound.ts';
import { oneOrMany } from '../../schema/lenient.ts';
import { check, problemOf, type Infer } from '../../schema/schema.ts';
import { anything, verbatim } from '../../schema/simple.ts';
import type { McpTool } from '../mcp-client.ts';

/** What the runner is told: program and arguments (`{prompt_file}` stands for the path of the prompt), and where files go. */
export const commandHandover = table({ command: list(verbatim(), 'a list of texts'), folder: verbatim() });

/** Stands for a tool in the instructions, which some programs print again. */
const toolPlaceholder = '<name>';

const fence = /^[ \t]*```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```[ \t]*$/gm;

const args = prepared((value) => value ?? {}, record(anything, { expected: 'an object' }));
const reported = oneOrMany(list(table({ tool: verbatim(), args }, { expected: 'an object' }), 'a list of calls'));

/** Calls, in their order; null where nothing looks like a report; or a report that cannot be read. */
export function findReport(output: string): { calls: Infer<typeof reported> } | { problem: string } | null {
  const blocks = [...output.matchAll(fence)].map((match) => match[1] ?? '');
  const block = blocks.findLast((text) => text.includes('"tool"') && !text.includes(`"${toolPlaceholder}"`));
  if (block === undefined) return null;
  try {
    const read = check(reported, JSON.parse(block), { unknownKeys: 'ignored' });
    if (!('mistakes' in read)) return { calls: read.value };
    const problems = read.mistakes.map((each) => `${problemOf(each, 'it')}; expected ${each.expected}`);
    return { problem: `the block is not a list of {"tool", "args"}: ${problems.join('\n')}` };
  } catch (error) {
    return { problem: `the block is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
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
