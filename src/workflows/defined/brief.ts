/** The prompt of a role in a defined workflow: its author's text, and the rules for every role. */

import { isFault } from '../../engine/machine.ts';
import { isRecord } from '../../schema/values.ts';
import type { Json } from '../../engine/snapshot.ts';
import { fillTemplate, placeholder } from '../prompt-template.ts';
import type { Brief, DispatchContext } from '../workflow.ts';
import { artifactPath } from './declared-artifacts.ts';
import type { Prompts, RoleState, WorkflowDefinition } from './definition.ts';
import { reportsOf } from './machine-of.ts';
import { adviceKey, partOf, reportKey, reportTool } from './reporting.ts';

/** Names in a prompt that stand for nothing, with the lines they are on. */
export function unknownPlaceholders(definition: WorkflowDefinition, text: string) {
  const known = placeholdersOf(definition);
  return text.split('\n').flatMap((line, index) => {
    const names = [...line.matchAll(placeholder)].map(([, name = '']) => name);
    return names.filter((name) => !known.includes(name)).map((name) => ({ name, line: index + 1 }));
  });
}

export function placeholdersOf({ artifacts = {}, states }: WorkflowDefinition): readonly string[] {
  const reporting = Object.keys(states).filter((name) => 'role' in (states[name] ?? {}));
  const advised = Object.entries(states).flatMap(([name, state]) => ('role' in state && state.beside ? [name] : []));
  const keys = [...reporting.map(reportKey), ...advised.map(adviceKey)];
  return ['run', 'description', 'item', ...Object.keys(artifacts), ...keys];
}

export function brief(definition: WorkflowDefinition, prompts: Prompts, context: DispatchContext): Brief {
  const state = partOf(definition, context);
  const text = prompts[state.prompt];
  if (text === undefined) throw new Error(`the prompt ${state.prompt} was not loaded`);
  const parts = [
    fillTemplate(text, (name) => valueOf(name, definition, context)).trim(),
    instructions(context),
    before(context),
    boundaries(definition, state),
    reporting(definition, state),
    context.hint === undefined ? '' : `## A person adds\n\n${context.hint}`,
  ];
  return { prompt: `${parts.filter((part) => part !== '').join('\n\n')}\n`, closedBy: reportTool };
}

function valueOf(name: string, definition: WorkflowDefinition, { run, snapshot, item }: DispatchContext) {
  const { description } = snapshot.data;
  const artifact = definition.artifacts?.[name];
  if (name === 'run') return run;
  if (name === 'description') return typeof description === 'string' ? description : '';
  if (name === 'item') return item?.id ?? '';
  if (artifact) return artifactPath(artifact, run);
  return placeholdersOf(definition).includes(name) ? reportText(snapshot.data[name]) : undefined;
}

function reportText(report: Json | undefined): string {
  if (!isRecord(report)) return '(nothing yet)';
  const parts = [`${field(report, 'verdict')}: ${field(report, 'summary')}`, field(report, 'details')];
  return parts.filter((part) => part !== '').join('\n\n');
}

function field(report: Json | undefined, name: string): string {
  const value = isRecord(report) ? report[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The project's own rules, by path: they hold for every agent, whichever files it reads by itself. */
function instructions({ files }: DispatchContext): string {
  const found = ['AGENTS.md', 'CLAUDE.md', 'CONTRIBUTING.md'].filter((path) => files.exists(path));
  return found.length === 0 ? '' : `## Rules of this project\n\nRead and follow ${quoted(found).join(', ')}.`;
}

function quoted(words: readonly string[]): readonly string[] {
  return words.map((word) => `\`${word}\``);
}

const recentMax = 5;

function before({ history, snapshot }: DispatchContext): string {
  const lines = history.slice(-recentMax).map((dispatch) => {
    const { step, role, signal } = dispatch;
    // Only the last report of a step is kept; a fault has none.
    const reported = history.findLast((each) => each.step === step && !isFault(each.signal));
    const summary = dispatch === reported ? field(snapshot.data[reportKey(step)], 'summary') : '';
    return `- ${step} (${role}): ${signal}${summary === '' ? '' : `: ${summary}`}`;
  });
  return lines.length === 0 ? '' : `## What happened before\n\n${lines.join('\n')}`;
}

function boundaries({ roles }: WorkflowDefinition, { role }: RoleState): string {
  const writes = roles[role]?.writes ?? [];
  const rule =
    writes.length === 0
      ? 'Write nothing: read what you need and run only what changes nothing. If anything changes, your report does not count.'
      : `Write only ${quoted(writes).join(', ')}. If anything else changes, your report does not count.`;
  return `## What you may do\n\n${rule} Do not commit, push, or touch \`.git/\` and \`.pawl/\`.`;
}

function reporting(definition: WorkflowDefinition, state: RoleState): string {
  return [
    '## How to report',
    '',
    `End by calling the tool \`${reportTool}\` once (a tool of the MCP server \`pawl\`; if you do not see it, search your tools for its name),`,
    `with \`verdict\` ${quoted(reportsOf(definition, state)).join(' or ')}, a \`summary\`, and \`details\` for whoever reads it next.`,
  ].join('\n');
}
