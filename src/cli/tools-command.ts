/** `tools`: what the roles of a workflow report with, for authors of scripts and prompts. */

import { refusal } from '../runs/refusal.ts';
import { historyTools } from '../runtime/git-tools.ts';
import { didYouMean } from '../schema/nearest.ts';
import { isRecord } from '../schema/values.ts';
import type { CommandFunction } from './context.ts';
import { Problem } from './problem.ts';
import { print, screenOf, type Style } from './show/screen.ts';
import { alignedWithin, jsonText, plainLine, wrapped } from './show/text.ts';
import { oneWorkflow, projectHere } from './workflows.ts';

interface ShownTool {
  readonly tool: string;
  readonly roles: readonly string[];
  /** A dispatch needs a report to succeed; most count once. */
  readonly report: 'once' | 'often' | null;
  readonly description: string;
  readonly arguments: object;
}

export const tools: CommandFunction = async ({ words: [word = '', role], flags }, { workflows: { bundled } }) => {
  const workflow = await oneWorkflow(word, bundled, projectHere(bundled));
  const roles = Object.keys(workflow.roles);
  if (role !== undefined && !roles.includes(role)) {
    const message = `${workflow.name} has no role "${role}"${didYouMean(role, roles) || `; it has ${roles.join(', ')}`}`;
    throw new Problem(refusal('RoleNotFound', message, { fix: `pawl tools ${workflow.name}` }));
  }
  const { tools: own } = await workflow.dispatching();
  const readers = roles.filter((name) => !workflow.writers.includes(name));
  const all: ShownTool[] = [
    ...Object.entries(own).map(([tool, { roles: users, report, description, schema }]) => {
      const counts = report && (report.once ? ('once' as const) : ('often' as const));
      return { tool, roles: users, report: counts ?? null, description, arguments: schema };
    }),
    ...historyTools().map(({ name, description, schema }) => ({
      tool: name,
      roles: readers,
      report: null,
      description,
      arguments: schema,
    })),
  ];
  const shown = all.filter(({ roles: users }) => (role === undefined ? users.length > 0 : users.includes(role)));
  const screen = screenOf(process.stdout);
  return print(flags, { workflow: workflow.name, roles, tools: shown }, () =>
    shown.flatMap((tool) => toolLines(tool, screen.style, screen.columns())).join('\n'),
  );
};

function toolLines({ tool, roles, report, description, arguments: schema }: ShownTool, style: Style, width: number) {
  const use = report === null ? '' : report === 'once' ? '  (report, once)' : '  (report)';
  const { properties, required } = { properties: {}, required: [], ...schema };
  const rows = Object.entries(isRecord(properties) ? properties : {}).map(([name, inner]) => {
    const isRequired = Array.isArray(required) && required.some((each) => each === name);
    return [isRequired ? name : `[${name}]`, argumentText(inner)];
  });
  return [
    `${style.bold(tool)}${use}  ${style.dim(roles.map(plainLine).join(', '))}`,
    ...wrapped(plainLine(description), width - 2).map((line) => `  ${line}`),
    ...alignedWithin(rows, width, '    '),
    '',
  ];
}

function argumentText(schema: unknown): string {
  if (!isRecord(schema)) return '';
  const { description, enum: words, properties, items } = schema;
  const inner = isRecord(items) ? items : schema;
  const keys = isRecord(inner['properties']) ? Object.keys(inner['properties']) : [];
  const named = keys.length > 0 ? `${items === undefined ? 'map' : 'list of maps'} with ${keys.join(', ')}` : '';
  const list = items !== undefined && keys.length === 0 ? `list of ${argumentText(items) || 'values'}` : '';
  const kind = Array.isArray(words) ? words.map((each) => jsonText(each)).join(', ') : named || list;
  const type = typeof schema['type'] === 'string' && properties === undefined ? schema['type'] : '';
  return plainLine([kind || type, typeof description === 'string' ? description : ''].filter(Boolean).join(': '));
}
