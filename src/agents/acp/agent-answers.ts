/** What agents answer over the Agent Client Protocol, read as it differs from agent to agent. */

import type { Usage } from '../../engine/usage.ts';
import { inner, items, numbers, sum, texts, type Json } from '../json-line.ts';

export const protocolVersion = 1;

/** `session/resume` goes on without saying everything again. */
export function resumingMethod(capabilities: Json): 'session/resume' | 'session/load' | null {
  const { resume } = inner(capabilities, 'sessionCapabilities');
  if (resume !== undefined && resume !== null && resume !== false) return 'session/resume';
  return capabilities['loadSession'] === true ? 'session/load' : null;
}

export function unusable(hello: Json): string | null {
  const spoken = hello['protocolVersion'];
  if (spoken !== protocolVersion)
    return `speaks version ${String(spoken)} of the Agent Client Protocol; Pawl speaks version ${protocolVersion}`;
  if (inner(hello, 'agentCapabilities', 'mcpCapabilities')['http'] !== true)
    return 'cannot use tools over HTTP (MCP), so it could not report';
  return null;
}

/** Models are an option of the session; some agents have them in a way of their own, from before there were options. */
export function modelsOf(session: Json) {
  const option = items(session['configOptions']).find(({ category, id }) => category === 'model' || id === 'model');
  const { availableModels, currentModelId } = inner(session, 'models');
  const values = items(option?.['options']).flatMap((each) => [each, ...items(each['options'])]);
  const names = option ? values.map(({ value }) => value) : items(availableModels).map(({ modelId }) => modelId);
  const setting = (model: string): [method: string, params: Json] =>
    option
      ? ['session/set_config_option', { configId: option['id'], value: model }]
      : ['session/set_model', { modelId: model }];
  const current = texts(option?.['currentValue']) ?? texts(currentModelId);
  return { current, offered: names.filter((name) => typeof name === 'string'), setting };
}

const offeredMax = 12;

export function missing(model: string, offered: readonly string[]): string {
  const some = offered.slice(0, offeredMax).join(', ');
  return `does not offer the model ${model}${some === '' ? '' : `; it offers ${some}${offered.length > offeredMax ? ', …' : ''}`}`;
}

/** Of the whole turn. Not in the stable protocol: `usage` of its draft, or what Gemini puts beside the answer. */
function usageOf(answer: unknown): Pick<Usage, 'inputTokens' | 'outputTokens'> {
  const { inputTokens: input, cachedReadTokens, cachedWriteTokens, outputTokens } = inner(answer, 'usage');
  const quota = inner(answer, '_meta', 'quota', 'token_count');
  return {
    inputTokens:
      numbers(input) === null ? numbers(quota['input_tokens']) : sum(input, cachedReadTokens, cachedWriteTokens),
    outputTokens: numbers(outputTokens) ?? numbers(quota['output_tokens']),
  };
}

/** Of all prompts of a turn: together, or the last one's where the agent counts on from prompt to prompt. */
export function usageOfAll(answers: readonly Json[], countsOn: boolean): Pick<Usage, 'inputTokens' | 'outputTokens'> {
  const used = (countsOn ? answers.slice(-1) : answers).map(usageOf);
  return {
    inputTokens: sum(...used.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(...used.map(({ outputTokens }) => outputTokens)),
  };
}
