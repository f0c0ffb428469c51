/** What a role of a defined workflow is sent off with: its author's prompt, and what every role must know. */

import { isFault } from '../../engine/machine.ts';
import { isRecord } from '../../schema/values.ts';
import type { Json } from '../../engine/snapshot.ts';
import { fillTemplate, placeholder } from '../prompt-template.ts';
import type { Brief, DispatchContext, FileView } from '../workflow.ts';
import { artifactPath } from './artifacts.ts';
import type { RoleState, WorkflowDefinition } from './definition.ts';
import { reportsOf } from './machine-of.ts';
import { reportKey, reportTool, roleState } from './reporting.ts';

/** Names in a prompt that stand for nothing, with the lines they are on. */
export function unknownPlaceholders(
  definition: WorkflowDefinition,
  text: string,
): readonly { readonly name: string; readonly line: number }[] {
  const known = placeholdersOf(definition);
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(placeholder)].flatMap(([, name = '']) =>
        known.includes(name) ? [] : [{ name, line: index + 1 }],
      ),
    );
}

/** Everything a prompt may name. */
export function placeholdersOf({ artifacts = {}, states }: WorkflowDefinition): readonly string[] {
  const reporting = Object.keys(states).filter((name) => 'role' in (states[name] ?? {}));
  return ['run', 'description', 'item', ...Object.keys(artifacts), ...reporting.map(reportKey)];
}

export function brief(
  definition: WorkflowDefinition,
  prompts: Readonly<Record<string, string>>,
  context: DispatchContext,
): Brief {
  const state = roleState(definition, context.step);
  const text = prompts[state.prompt];
  if (text === undefined) throw new Error(`the prompt ${state.prompt} was not loaded`);
  const values = valuesOf(definition, context);
  const parts = [
    fillTemplate(text, (name) => values[name]).trim(),
    instructions(context.files),
    before(context),
    boundaries(definition, state),
    reporting(definition, state),
    context.hint === undefined ? '' : `## A word from the person in charge\n\n${context.hint}`,
  ];
  return { prompt: `${parts.filter((part) => part !== '').join('\n\n')}\n`, closedBy: reportTool };
}

function valuesOf(
  { artifacts = {}, states }: WorkflowDefinition,
  { run, snapshot, item }: DispatchContext,
): Record<string, string> {
  const { description } = snapshot.data;
  const values: Record<string, string> = {
    run,
    description: typeof description === 'string' ? description : '',
    item: item?.id ?? '',
  };
  for (const [name, artifact] of Object.entries(artifacts)) values[name] = artifactPath(artifact, run);
  for (const name of Object.keys(states)) values[reportKey(name)] = reportText(snapshot.data[reportKey(name)]);
  return values;
}

function reportText(report: Json | undefined): string {
  const said = [`${field(report, 'verdict')}: ${field(report, 'summary')}`, field(report, 'details')];
  return isRecord(report) ? said.filter((part) => part !== '').join('\n\n') : '(nothing yet)';
}

function field(report: Json | undefined, name: string): string {
  const value = isRecord(report) ? report[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The project's own rules, by path: they hold for every agent, whichever files it reads by itself. */
function instructions(files: FileView): string {
  const found = ['AGENTS.md', 'CLAUDE.md', 'CONTRIBUTING.md'].filter((path) => files.exists(path));
  return found.length === 0
    ? ''
    : `## Rules of this project\n\nRead and follow ${found.map((path) => `\`${path}\``).join(', ')}.`;
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
      : `Write only ${writes.map((glob) => `\`${glob}\``).join(', ')}. If anything else changes, your report does not count.`;
  return `## What you may do\n\n${rule} Do not commit, push, or touch \`.git/\` and \`.pawl/\`.`;
}

function reporting(definition: WorkflowDefinition, state: RoleState): string {
  const verdicts = reportsOf(definition, state)
    .map((word) => `\`${word}\``)
    .join(' or ');
  return [
    '## How to report',
    '',
    `End by calling the tool \`${reportTool}\` once (a tool of the MCP server \`pawl\`; if you do not see it, search your tools for its name),`,
    `with \`verdict\` ${verdicts}, a \`summary\`, and \`details\` for whoever reads it next.`,
  ].join('\n');
}
