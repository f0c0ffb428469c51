/**
 * The files by which a coding agent knows Pawl: a skill for each workflow, and a command for each verb marked `slash`.
 *
 * Descriptions are in the context of every session, so they are short. What only a person calls is kept from the model
 * where an agent can be told so.
 */

import type { Verb, WorkflowSurface } from '../workflows/surface.ts';
import { markedText } from './marked-text.ts';
import commandText from './texts/command.md';
import rules from './texts/rules.md';
import skillText from './texts/skill.md';

export const tools = ['claude', 'codex', 'opencode', 'copilot', 'gemini'] as const;
export type Tool = (typeof tools)[number];

export interface AgentFile {
  readonly path: string;
  readonly content: string;
  /** The name and description, which a session may load whether they are used or not. */
  readonly loaded: string;
}

/** Paths at which `agentFiles` may have written a file, of this version or another. */
export const placesOf: Readonly<Record<Tool, { readonly folder: string; readonly pattern: RegExp }[]>> = {
  claude: [
    { folder: '.claude/skills', pattern: /^[^/]+\/SKILL\.md$/ },
    { folder: '.claude/commands', pattern: /^[^/]+\.md$/ },
  ],
  codex: [{ folder: '.agents/skills', pattern: /^[^/]+\/(?:SKILL\.md|agents\/openai\.yaml)$/ }],
  opencode: [
    { folder: '.opencode/skills', pattern: /^[^/]+\/SKILL\.md$/ },
    { folder: '.opencode/commands', pattern: /^[^/]+\.md$/ },
  ],
  copilot: [{ folder: '.github/skills', pattern: /^[^/]+\/SKILL\.md$/ }],
  gemini: [{ folder: '.gemini/commands', pattern: /^[^/]+\.toml$/ }],
};

export function agentFiles(tool: Tool, surfaces: readonly WorkflowSurface[]): readonly AgentFile[] {
  return surfaces.flatMap((surface) => {
    const commands = surface.verbs.filter(({ slash }) => slash).map((verb) => commandOf(surface, verb));
    return [...adapters[tool](skillOf(surface), false), ...commands.flatMap((each) => adapters[tool](each, true))];
  });
}

interface Instruction {
  readonly name: string;
  readonly description: string;
  /** What the person may write behind the name. */
  readonly hint: string;
  /** `words` stands for what they wrote, `explanation` explains it. */
  body(words: string, explanation: string): string;
  /** Commands that it may run without asking. */
  readonly allowed: readonly string[];
}

/** It looks without asking; to start work, an agent asks as it always does. */
function skillOf({ name, verbs }: WorkflowSurface): Instruction {
  const listed = verbs.filter(({ does, slash }) => does === 'work' && !slash).map(({ verb }) => verb);
  const rows = verbs.map((verb) => `- \`${usageOf(name, verb)}\`: ${verb.about}`);
  return {
    name: `pawl-${name}`,
    description: `Pawl's ${name} workflow${listed.length > 0 ? ` (${listed.join(', ')})` : ''}. Use when a person asks for it.`,
    hint: '<verb> …',
    body: (words, explanation) => {
      const request = `The person's request: ${words}${explanation}\n\n`;
      return `${words === '' ? '' : request}${skillText.replace('COMMANDS', rows.join('\n'))}${rules}`;
    },
    allowed: [...verbs.filter(looks).map(({ verb }) => `pawl ${name} ${verb}`), 'pawl runs'],
  };
}

/** The person called it by its name: it may run that one command, and look. */
function commandOf({ name, verbs }: WorkflowSurface, verb: Verb): Instruction {
  const command = `pawl ${name} ${verb.verb}`;
  const looking = verbs.filter((each) => each.does === 'status').map((each) => `pawl ${name} ${each.verb}`);
  return {
    name: verb.verb,
    description: verb.about,
    hint: wordsOf(verb).join(' '),
    body: (words, explanation) =>
      `${commandText
        .replace('COMMAND', command)
        .replace('ARGUMENTS', () => words)
        .replace('EXPLANATION', explanation)}${rules}`,
    allowed: [...new Set([command, ...looking])],
  };
}

function looks(verb: Verb): boolean {
  return verb.does === 'status' || verb.does === 'list' || (verb.does === 'tell' && !verb.writes);
}

function usageOf(workflow: string, verb: Verb): string {
  return ['pawl', workflow, verb.verb, ...wordsOf(verb)].join(' ');
}

function wordsOf({ words }: Verb): string[] {
  return words.map((word) => {
    const name = `<${word.replace(/(?:\.{3})?\??$/, '')}>`;
    return word.endsWith('?') ? `[${name}]` : name;
  });
}

/** Agents that do not fill in the person's words are told what stands for them. */
const explained = ', where `<arguments>` is what the person wrote behind the name of this skill,';

const adapters: Readonly<Record<Tool, (given: Instruction, isCommand: boolean) => readonly AgentFile[]>> = {
  claude: (given, isCommand) => {
    const fields = {
      ...(isCommand ? { 'argument-hint': given.hint, 'disable-model-invocation': true } : { name: given.name }),
      description: given.description,
      'allowed-tools': given.allowed.map((command) => `Bash(${command}:*)`).join(', '),
    };
    const path = isCommand ? `.claude/commands/${given.name}.md` : `.claude/skills/${given.name}/SKILL.md`;
    return [fileOf(path, given, markdown(fields, given.body(isCommand ? '$ARGUMENTS' : '', '')))];
  },
  codex: (given, isCommand) => {
    const folder = `.agents/skills/${given.name}`;
    const policy = { path: `${folder}/agents/openai.yaml`, content: markedText(notByItself), loaded: '' };
    return [skillFile(folder, given, isCommand), ...(isCommand ? [policy] : [])];
  },
  opencode: (given, isCommand) => {
    if (!isCommand) return [skillFile(`.opencode/skills/${given.name}`, given, false)];
    const text = markdown({ description: given.description }, given.body('$ARGUMENTS', ''));
    return [fileOf(`.opencode/commands/${given.name}.md`, given, text)];
  },
  copilot: (given, isCommand) => [skillFile(`.github/skills/${given.name}`, given, isCommand)],
  gemini: (given) => {
    const prompt = given.body('{{args}}', '');
    const part = `description = ${JSON.stringify(given.description)}\nprompt = '''\n${prompt}'''\n`;
    return [fileOf(`.gemini/commands/${given.name}.toml`, given, markedText(part))];
  },
};

const notByItself = 'policy:\n  allow_implicit_invocation: false\n';

function skillFile(folder: string, given: Instruction, isCommand: boolean): AgentFile {
  const { name, description } = given;
  const fields = { name, description, ...(isCommand && { 'disable-model-invocation': true }) };
  const body = isCommand ? given.body('<arguments>', explained) : given.body('', '');
  return fileOf(`${folder}/SKILL.md`, given, markdown(fields, body));
}

function fileOf(path: string, { name, description }: Instruction, content: string): AgentFile {
  return { path, content, loaded: `${name} ${description}` };
}

/** A value in quotes as in JSON is one in YAML. */
function markdown(fields: Readonly<Record<string, string | boolean>>, body: string): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return markedText(`${lines.join('')}---\n\n${body}`, '---\n');
}
