/** Four dialects in which agents talk to models, reduced to what a script needs to know and say. */

import type { ServerResponse } from 'node:http';
import type { ModelAnswer, ModelRequest, OfferedTool, ToolCall } from './turn-player.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Dialect {
  /** Whether a request of that path is its own. */
  matches(path: string): boolean;
  read(path: string, body: Json): ModelRequest;
  /** Writes a whole answer. */
  write(response: ServerResponse, answer: Extract<ModelAnswer, { kind: 'say' | 'call' }>, body: Json): void;
  /** Writes the beginning of one. */
  begin(response: ServerResponse, text: string): void;
  error(status: number, message: string): unknown;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join('\n')
      : typeof value === 'object' && value !== null
        ? Object.values(value).map(textOf).join('\n')
        : '';

function sse(response: ServerResponse, events: readonly (readonly [name: string | null, data: unknown])[]): void {
  for (const [name, data] of events) {
    const event = name === null ? '' : `event: ${name}\n`;
    response.write(`${event}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
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
  write: (response, answer, body) => {
    const usage = { input_tokens: answer.usage?.input ?? 10, output_tokens: answer.usage?.output ?? 5 };
    const block =
      answer.kind === 'say'
        ? { type: 'text', text: answer.text }
        : { type: 'tool_use', id: nextId('toolu'), name: answer.call.name, input: answer.call.args };
    const stop = answer.kind === 'say' ? 'end_turn' : 'tool_use';
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: body['model'],
      stop_sequence: null,
    };
    if (body['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...message, content: [block], stop_reason: stop, usage }));
      return;
    }
    startStream(response);
    sse(response, [
      ['message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } }],
      [
        'content_block_start',
        {
          type: 'content_block_start',
          index: 0,
          content_block: answer.kind === 'say' ? { type: 'text', text: '' } : { ...block, input: {} },
        },
      ],
      [
        'content_block_delta',
        {
          type: 'content_block_delta',
          index: 0,
          delta:
            answer.kind === 'say'
              ? { type: 'text_delta', text: answer.text }
              : { type: 'input_json_delta', partial_json: JSON.stringify(answer.call.args) },
        },
      ],
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ]);
    response.end();
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
  write: (response, answer) => {
    const id = nextId('resp');
    const item = answer.kind === 'say' ? messageItem(answer.text) : callItem(answer.call);
    const { input, output } = answer.usage ?? { input: 10, output: 5 };
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    startStream(response);
    sse(response, [
      ['response.created', { type: 'response.created', response: { id } }],
      ['response.output_item.done', { type: 'response.output_item.done', output_index: 0, item }],
      ['response.completed', { type: 'response.completed', response: { id, output: [item], usage } }],
    ]);
    response.end();
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
  write: (response, answer, body) => {
    const base = {
      id: nextId('chatcmpl'),
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: body['model'],
    };
    const delta =
      answer.kind === 'say'
        ? { role: 'assistant', content: answer.text }
        : {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: nextId('call'),
                type: 'function',
                function: { name: answer.call.name, arguments: JSON.stringify(answer.call.args) },
              },
            ],
          };
    const { input, output } = answer.usage ?? { input: 10, output: 5 };
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    const finish = answer.kind === 'say' ? 'stop' : 'tool_calls';
    if (body['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          ...base,
          object: 'chat.completion',
          choices: [{ index: 0, message: delta, finish_reason: finish }],
          usage,
        }),
      );
      return;
    }
    startStream(response);
    sse(response, [
      [null, { ...base, choices: [{ index: 0, delta, finish_reason: null }] }],
      [null, { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] }],
      [null, { ...base, choices: [], usage }],
      [null, '[DONE]'],
    ]);
    response.end();
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
  write: (response, answer, body) => {
    const part =
      answer.kind === 'say'
        ? { text: answer.text }
        : { functionCall: { name: answer.call.name, args: answer.call.args } };
    const { input, output } = answer.usage ?? { input: 10, output: 5 };
    const chunk = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
      modelVersion: 'scripted',
    };
    if (body['stream'] === false) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(chunk));
      return;
    }
    startStream(response);
    sse(response, [[null, chunk]]);
    response.end();
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
