/** What a program without MCP has to know in order to report. */

import type { McpTool } from '../mcp-client.ts';
import { toolPlaceholder } from './fenced-report.ts';

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

What you changed in files is still there. Mend the report and print it again.
`;
}
