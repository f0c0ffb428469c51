/** Four dialects in which agents talk to models, reduced to what a script needs to know and say. */

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ModelAnswer, ModelRequest, OfferedTool, ToolCall } from './turn-player.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Dialect {
  /** Whether a request of that path is its own. */
  matches(path: string): boolean;
  read(path: string, body: Json): ModelRequest;
  /** Writes a whole answer, its texts and arguments cut up by `cut`. */
  write(response: ServerResponse, answer: Reply, body: Json, cut: Cut): Promise<void>;
  /** Writes the beginning of one. */
  begin(response: ServerResponse, text: string): void;
  error(status: number, message: string): unknown;
}

type Reply = Extract<ModelAnswer, { kind: 'reply' }>;
/** A text as the pieces it is streamed in. */
export type Cut = (text: string) => readonly string[];

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join('\n')
      : typeof value === 'object' && value !== null
        ? Object.values(value).map(textOf).join('\n')
        : '';

type ServerEvent = readonly [name: string | null, data: unknown];

function sse(response: ServerResponse, events: readonly ServerEvent[]): void {
  for (const [name, data] of events) {
    const event = name === null ? '' : `event: ${name}\n`;
    response.write(`${event}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
}

/** Every event in a packet of its own. */
async function stream(response: ServerResponse, events: readonly ServerEvent[]): Promise<void> {
  startStream(response);
  for (const event of events) {
    sse(response, [event]);
    await nextTick();
  }
  response.end();
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** What each vendor calls an error: agents decide by that whether they try again. */
const errorTypes: Readonly<Record<'anthropic' | 'openai' | 'gemini', Readonly<Record<number, string>>>> = {
  anthropic: { 400: 'invalid_request_error', 401: 'authentication_error', 429: 'rate_limit_error' },
  openai: { 400: 'invalid_request_error', 401: 'invalid_request_error', 429: 'rate_limit_exceeded' },
  gemini: { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED' },
};

let serial = 0;
const nextId = (prefix: string): string => `${prefix}_${(serial += 1).toString().padStart(6, '0')}`;

export const anthropic: Dialect = {
  matches: (path) => path.endsWith('/messages'),
  read: (_path, body) => {
    const messages = list(body['messages']);
    const results = messages.flatMap(({ content }) =>
      list(content).flatMap((part) => (part['type'] === 'tool_result' ? [textOf(part['content'])] : [])),
    );
    return {
      dialect: 'anthropic',
      model: String(body['model']),
      text: `${textOf(body['system'])}\n${textOf(messages)}`,
      tools: list(body['tools']).map(({ name }): OfferedTool => ({ name: String(name) })),
      results,
    };
  },
  write: async (response, { text, calls, usage: used }, body, cut) => {
    const usage = { input_tokens: used.input, output_tokens: used.output };
    const blocks: readonly Json[] = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ name, args }) => ({ type: 'tool_use', id: nextId('toolu'), name, input: args })),
    ];
    const stop = calls.length === 0 ? 'end_turn' : 'tool_use';
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: body['model'],
      stop_sequence: null,
    };
    if (body['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...message, content: blocks, stop_reason: stop, usage }));
      return;
    }
    await stream(response, [
      ['message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } }],
      ...blocks.flatMap((block, index) => blockEvents(block, index, cut)),
      ['message_delta', { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ]);
  },
  begin: (response, text) => {
    startStream(response);
    const usage = { input_tokens: 10, output_tokens: 1 };
    sse(response, [
      [
        'message_start',
        {
          type: 'message_start',
          message: {
            id: nextId('msg'),
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage,
          },
        },
      ],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }],
    ]);
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: errorTypes.anthropic[status] ?? 'api_error', message },
  }),
};

function blockEvents(block: Json, index: number, cut: Cut): ServerEvent[] {
  const deltas =
    block['type'] === 'text'
      ? cut(String(block['text'])).map((text) => ({ type: 'text_delta', text }))
      : cut(JSON.stringify(block['input'])).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  const empty = block['type'] === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
  return [
    ['content_block_start', { type: 'content_block_start', index, content_block: empty }],
    ...deltas.map((delta): ServerEvent => ['content_block_delta', { type: 'content_block_delta', index, delta }]),
    ['content_block_stop', { type: 'content_block_stop', index }],
  ];
}

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

export const gemini: Dialect = {
  matches: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  read: (path, body) => {
    const contents = list(body['contents']);
    return {
      dialect: 'gemini',
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      text: `${textOf(body['systemInstruction'])}\n${textOf(contents.map(({ parts }) => list(parts).map(({ text }) => text)))}`,
      tools: list(body['tools']).flatMap((tool) =>
        list(tool['functionDeclarations']).map(({ name }): OfferedTool => ({ name: String(name) })),
      ),
      results: contents.flatMap(({ parts }) =>
        list(parts).flatMap((part) => ('functionResponse' in part ? [textOf(part['functionResponse'])] : [])),
      ),
    };
  },
  write: async (response, { text, calls, usage: { input, output } }, body, cut) => {
    const functions = calls.map(({ name, args }) => ({ functionCall: { name, args } }));
    const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
    const chunk = (parts: readonly Json[], isLast: boolean): Json => ({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) }],
      ...(isLast && { usageMetadata }),
      modelVersion: 'scripted',
    });
    const spoken = text === '' ? [] : cut(text).map((piece) => ({ text: piece }));
    if (body['stream'] === false) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(chunk([...spoken, ...functions], true)));
      return;
    }
    const parts: readonly Json[] = [...spoken, ...functions];
    await stream(
      response,
      parts.map((part, index) => [null, chunk([part], index === parts.length - 1)]),
    );
  },
  begin: (response, text) => {
    startStream(response);
    sse(response, [[null, { candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] }]]);
  },
  error: (status, message) => ({
    error: { code: status, message, status: errorTypes.gemini[status] ?? 'INTERNAL' },
  }),
};

export const dialects: readonly Dialect[] = [anthropic, responses, chat, gemini];
