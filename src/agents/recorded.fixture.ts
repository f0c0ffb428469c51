/** Output that real agents printed, line by line as it was recorded (paths and ports made the same everywhere). */

import { readFileSync } from 'node:fs';
import type { Agent, AgentEvent, DispatchRequest } from './agent.ts';

export function recordedLines(agent: string, name: string): string[] {
  const file = new URL(`../../test/fixtures/agents/${agent}/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** The events a recording is read as, the end of the process included. */
export function eventsOfRecorded(
  agent: Agent,
  request: DispatchRequest,
  { name, stderr = '' }: { readonly name: string; readonly stderr?: string },
): AgentEvent[] {
  const { output } = agent.launch(request);
  const lines = recordedLines(agent.name, name).flatMap((line) => output.line(line));
  return [...lines, ...(output.end?.({ exitCode: 1, signal: null, stderr }) ?? [])];
}
