/**
 * Which variables with credentials an agent gets: those of the model provider it is configured to use, and no others.
 * Credentials for a cloud open far more than models.
 */

import { join } from 'node:path';
import { variables, type AgentOptions } from './agent-options.ts';
import { inner, readSettingsFile, texts, type Json } from './json-line.ts';
import { homeOf, opencodeSettings } from './vendors.ts';

type Environment = AgentOptions['environment'];

const clouds = {
  amazon: ['AWS_*'],
  azure: ['AZURE_*'],
  google: variables('GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION CLOUD_ML_REGION'),
};

/** Claude Code is told by variables, its own settings among them, that its model is in a cloud. */
export function claudeVariables(environment: Environment): readonly string[] {
  const folder = environment['CLAUDE_CONFIG_DIR'] ?? join(homeOf(environment), '.claude');
  const set = { ...environment, ...inner(readSettingsFile(join(folder, 'settings.json')), 'env') };
  const uses = (cloud: string): boolean => isOn(set[`CLAUDE_CODE_USE_${cloud}`]);
  return [
    ...variables('ANTHROPIC_* CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_* IS_SANDBOX'),
    ...(uses('BEDROCK') ? clouds.amazon : []),
    ...(uses('VERTEX') ? clouds.google : []),
    ...(uses('FOUNDRY') ? clouds.azure : []),
  ];
}

export function geminiVariables(environment: Environment): readonly string[] {
  const user = environment['GEMINI_CLI_HOME'] ?? homeOf(environment);
  const settings = readSettingsFile(join(user, '.gemini', 'settings.json'));
  const login = inner(settings, 'security', 'auth')['selectedType'];
  const isVertex = isOn(environment['GOOGLE_GENAI_USE_VERTEXAI']) || login === 'vertex-ai';
  const own = variables('GEMINI_API_KEY GEMINI_MODEL GOOGLE_API_KEY GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION');
  const endpoints = variables('GOOGLE_GEMINI_* GOOGLE_GENAI_* GOOGLE_VERTEX_* CODE_ASSIST_ENDPOINT');
  return [...own, ...endpoints, ...(isVertex ? clouds.google : [])];
}

function isOn(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:1|true|yes|on)$/i.test(value));
}

/** OpenCode's name of a provider → its variables. */
const providers: Readonly<Record<string, readonly string[]>> = {
  'amazon-bedrock': clouds.amazon,
  anthropic: ['ANTHROPIC_API_KEY'],
  azure: clouds.azure,
  'azure-cognitive-services': clouds.azure,
  deepseek: ['DEEPSEEK_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  'google-vertex': [...clouds.google, 'GOOGLE_VERTEX_*', 'VERTEX_LOCATION'],
  'google-vertex-anthropic': [...clouds.google, 'GOOGLE_VERTEX_*', 'VERTEX_LOCATION'],
  groq: ['GROQ_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  opencode: ['OPENCODE_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
  xai: ['XAI_API_KEY'],
};

/** `model` is the one Pawl asks for; without any, the providers of the user's configuration count. */
export function opencodeVariables(model: string | null, environment: Environment): readonly string[] {
  const settings = opencodeSettings(environment);
  const configured = providersIn(settings);
  const asked =
    model === null ? configured : [providerOf(model), ...settings.map((each) => providerOf(each['small_model']))];
  const names = asked.filter((name) => name !== null);
  return [...new Set(names.length > 0 ? names : onlyProvider(environment))].flatMap((name) => [
    ...((Object.hasOwn(providers, name) && providers[name]) || []),
    ...settings.flatMap((each) => namedBy(inner(each, 'provider', name))),
  ]);
}

function providersIn(settings: readonly Json[]): readonly (string | null)[] {
  const models = settings.flatMap((each) => [each['model'], each['small_model']]).map(providerOf);
  if (models.some((name) => name !== null)) return models;
  return settings.flatMap((each) => [each['enabled_providers'] ?? []].flat().map(texts));
}

function providerOf(model: unknown): string | null {
  return texts(model)?.split('/')[0] ?? null;
}

/** Variables that the configuration of a provider names. */
function namedBy(provider: Json): readonly string[] {
  const references = [...JSON.stringify(provider).matchAll(/\{env:(\w+)\}/g)].map(([, name = '']) => name);
  return [...references, ...[provider['env'] ?? []].flat().flatMap((name) => texts(name) ?? [])];
}

/** With nothing configured, OpenCode takes the provider it finds a key for: that is clear only if there is one. */
function onlyProvider(environment: Environment): readonly string[] {
  const found = Object.entries(providers).filter(([, names]) => names.some((name) => environment[name] !== undefined));
  return found.length === 1 ? found.map(([name]) => name) : [];
}
