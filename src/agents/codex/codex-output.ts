/** What `codex exec --json` prints, as events of the port. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, items, jsonLine, numbers, texts } from '../json-line.ts';

/** Codex does not say which model it works with: it is the one that was asked for. */
export function readOutput(model: string | null): OutputReader {
  return { line: (text) => eventsOf(jsonLine(text), model) };
}

function eventsOf(line: Readonly<Record<string, unknown>> | undefined, model: string | null): readonly AgentEvent[] {
  switch (line?.['type']) {
    case 'thread.started':
      return typeof line['thread_id'] === 'string' ? [{ type: 'session', id: line['thread_id'], model }] : [];
    case 'item.completed':
      return itemEvents(inner(line, 'item'));
    case 'turn.completed':
      return [usageOf(inner(line, 'usage')), { type: 'finished', error: null }];
    case 'turn.failed':
      return [{ type: 'finished', error: errorOf(texts(inner(line, 'error')['message']) ?? 'its turn failed') }];
    default:
      return [];
  }
}

function itemEvents(item: Readonly<Record<string, unknown>>): AgentEvent[] {
  switch (item['type']) {
    case 'agent_message':
    case 'error': {
      const text = texts(item['text']) ?? texts(item['message']);
      return text === null ? [] : [{ type: 'text', text }];
    }
    case 'command_execution':
      return [{ type: 'tool', name: 'shell' }];
    case 'mcp_tool_call':
      return typeof item['tool'] === 'string' ? [{ type: 'tool', name: item['tool'] }] : [];
    case 'file_change':
      return items(item['changes']).flatMap(({ path }): AgentEvent[] =>
        typeof path === 'string' ? [{ type: 'file', path }] : [],
      );
    default:
      return [];
  }
}

function usageOf(usage: Readonly<Record<string, unknown>>): AgentEvent {
  return {
    type: 'usage',
    inputTokens: numbers(usage['input_tokens']),
    outputTokens: numbers(usage['output_tokens']),
    costUsd: null,
  };
}

function errorOf(message: string): AgentError {
  return { kind: 'retry', message };
}
