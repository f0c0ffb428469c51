/** Four dialects in which agents talk to models, reduced to what a script needs to know and say. */

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
import type { OfferedTool } from './turn-player.ts';
import { chat, responses } from './openai-dialects.ts';

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
