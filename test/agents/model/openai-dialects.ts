/** The two dialects of OpenAI: responses, and chat completions. */

import {
  errorTypes,
  list,
  nextId,
  sse,
  startStream,
  stream,
  textOf,
  type Cut,
  type Dialect,
  type Json,
  type ServerEvent,
} from './dialect.ts';
import type { OfferedTool, ToolCall } from './turn-player.ts';

export const responses: Dialect = {
  matches: (path) => path.endsWith('/responses'),
  read: (_path, body) => {
    const input = list(body['input']);
    return {
      dialect: 'responses',
      model: String(body['model']),
      text: `${textOf(body['instructions'])}\n${textOf(input)}`,
      tools: [...list(body['tools']), ...input.filter(found).flatMap(({ tools }) => list(tools))].flatMap(offeredTools),
      results: input.flatMap((item) =>
        ['function_call_output', 'custom_tool_call_output'].includes(String(item['type']))
          ? [textOf(item['output'])]
          : [],
      ),
      searches: input.filter(found).length,
    };
  },
  write: async (response, { text, calls, usage: { input, output } }, _body, cut) => {
    const id = nextId('resp');
    const items = [...(text === '' ? [] : [messageItem(text)]), ...calls.map(callItem)];
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    await stream(response, [
      ['response.created', { type: 'response.created', response: { id } }],
      ...items.flatMap((item, index) => itemEvents(item, index, cut)),
      ['response.completed', { type: 'response.completed', response: { id, output: items, usage } }],
    ]);
  },
  begin: (response, text) => {
    startStream(response);
    sse(response, [
      ['response.created', { type: 'response.created', response: { id: nextId('resp') } }],
      ['response.output_text.delta', { type: 'response.output_text.delta', delta: text }],
    ]);
  },
  error: (status, message) => ({
    error: { message, type: errorTypes.openai[status] ?? 'server_error', code: null },
  }),
};

function itemEvents(item: Json, index: number, cut: Cut): ServerEvent[] {
  const event = (type: string, more: Json): ServerEvent => [type, { type, output_index: index, ...more }];
  const done = event('response.output_item.done', { item });
  const about = { item_id: item['id'], content_index: 0 };
  const text = item['type'] === 'message' ? String(list(item['content'])[0]?.['text']) : null;
  const pieces = text === null ? [] : cut(text);
  // An answer that comes whole is told by its end alone, as it is by models that do not stream.
  if (pieces.length < 2) return [done];
  return [
    event('response.output_item.added', { item: { ...item, status: 'in_progress', content: [] } }),
    ...pieces.map((delta) => event('response.output_text.delta', { ...about, delta })),
    done,
  ];
}

const found = ({ type }: Json): boolean => type === 'tool_search_output';

function offeredTools({ type, name, tools }: Json): OfferedTool[] {
  if (type === 'namespace') return list(tools).map((tool) => ({ name: String(tool['name']), namespace: String(name) }));
  return [{ name: String(name ?? type), ...(type === 'custom' && { free: true }) }];
}

function messageItem(text: string): Json {
  return {
    type: 'message',
    id: nextId('msg'),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function callItem({ name, namespace, args, input }: ToolCall): Json {
  if (name === 'tool_search')
    return {
      type: 'tool_search_call',
      call_id: nextId('call'),
      status: 'completed',
      execution: 'client',
      arguments: args,
    };
  if (input !== undefined)
    return { type: 'custom_tool_call', id: nextId('ctc'), call_id: nextId('call'), status: 'completed', name, input };
  const call = {
    type: 'function_call',
    id: nextId('fc'),
    call_id: nextId('call'),
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  };
  return namespace === undefined ? call : { ...call, namespace };
}

export const chat: Dialect = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (_path, body) => {
    const messages = list(body['messages']);
    return {
      dialect: 'chat',
      model: String(body['model']),
      text: textOf(messages.filter(({ role }) => role !== 'tool')),
      tools: list(body['tools']).map((tool): OfferedTool => {
        const { function: inner } = tool as { function?: { name?: string } };
        return { name: String(inner?.name) };
      }),
      results: messages.flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
    };
  },
  write: async (response, { text, calls, usage: { input, output } }, body, cut) => {
    const base = {
      id: nextId('chatcmpl'),
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: body['model'],
    };
    const toolCalls = calls.map(({ name, args }, index) => ({
      index,
      id: nextId('call'),
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: toolCalls }) };
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    const finish = calls.length === 0 ? 'stop' : 'tool_calls';
    if (body['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          ...base,
          object: 'chat.completion',
          choices: [{ index: 0, message, finish_reason: finish }],
          usage,
        }),
      );
      return;
    }
    const chunk = (delta: Json, end: string | null = null): ServerEvent => [
      null,
      { ...base, choices: [{ index: 0, delta, finish_reason: end }] },
    ];
    const callChunks = toolCalls.flatMap(({ index, function: made, ...call }) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: made.name, arguments: '' } }] }),
      ...cut(made.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]);
    await stream(response, [
      chunk({ role: 'assistant', content: '' }),
      ...cut(text).map((piece) => chunk({ content: piece })),
      ...callChunks,
      chunk({}, finish),
      [null, { ...base, choices: [], usage }],
      [null, '[DONE]'],
    ]);
  },
  begin: (response, text) => {
    startStream(response);
    sse(response, [
      [
        null,
        {
          id: nextId('chatcmpl'),
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }],
        },
      ],
    ]);
  },
  error: (status, message) => ({ error: { message, type: errorTypes.openai[status] ?? 'server_error' } }),
};
