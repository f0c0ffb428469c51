/** A report in what a program printed: the last fenced block of JSON that names a tool. */

import { isRecord } from '../../schema/values.ts';

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What was found: calls, in their order; nothing that looks like a report; or one that cannot be read. */
export type Found = { readonly calls: readonly Call[] } | { readonly problem: string } | null;

/** Stands for a tool in the instructions, which some programs print again. */
export const toolPlaceholder = '<name>';

const fence = /^[ \t]*```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```[ \t]*$/gm;

export function findReport(output: string): Found {
  const blocks = [...output.matchAll(fence)].map((match) => match[1] ?? '');
  const block = blocks.findLast((text) => text.includes('"tool"') && !text.includes(`"${toolPlaceholder}"`));
  if (block === undefined) return null;
  try {
    return readCalls(JSON.parse(block));
  } catch (error) {
    return { problem: `the block is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function readCalls(value: unknown): Found {
  const calls: Call[] = [];
  for (const each of Array.isArray(value) ? value : [value]) {
    if (!isRecord(each) || typeof each['tool'] !== 'string')
      return { problem: 'each report is an object with "tool", a text, and "args", an object' };
    const args = each['args'] ?? {};
    if (!isRecord(args)) return { problem: `"args" of ${each['tool']} is no object` };
    calls.push({ tool: each['tool'], args });
  }
  return { calls };
}
