/** What `doctor` found, for people. */

import type { MachineCheck } from '../doctor.ts';
import type { Screen, Style } from './screen.ts';
import { aligned, alignedWithin, plainLine, wrapped } from './text.ts';

export function doctorLines(check: MachineCheck, screen: Pick<Screen, 'style' | 'columns'>): string[] {
  const { configuration, agents, workflows, leftovers, exitCode } = check;
  const { style } = screen;
  const { bold, dim, symbols } = style;
  const width = screen.columns();
  const mark = markIn(style);
  const told = (symbol: string, text: string): string[] =>
    wrapped(plainLine(text), width - 4).map((line, at) => `  ${at === 0 ? symbol : ' '} ${line}`);
  // What is said of sections that all workflows read is said once.
  const said = new Set(configuration.map(({ message }) => message));
  const isNew = (text: string): boolean => !said.has(text) && said.add(text).has(text);
  return [
    bold('This machine'),
    ...machineLines(check, style, width),
    ...(configuration.length === 0 ? [] : ['', bold('Configuration')]),
    ...configuration.flatMap(({ severity, message }) =>
      message.split('\n').flatMap((line) => told(severity === 'error' ? mark(false) : style.yellow('!'), line)),
    ),
    '',
    bold('Agents'),
    ...alignedWithin(
      agents.map(({ agent, usable, version, login, problem }) => {
        const known = login === null ? 'no login found' : `login: ${login}`;
        const shown = [version ?? '', agent === 'scripted' ? '' : known].filter((part) => part !== '').join(', ');
        return [
          usable ? mark(true) : dim(symbols.small),
          agent,
          usable ? plainLine(shown) : plainLine(problemOf(agent, problem ?? '')),
        ];
      }),
      width,
      '  ',
    ),
    ...workflows.flatMap(({ workflow, roles, selfJudging: same, notes }) => [
      '',
      bold(`Roles of ${workflow}`),
      ...aligned(
        Object.entries(roles).map(([role, agent]) => {
          const usable = agents.some((each) => each.agent === agent && each.usable);
          return [mark(usable), role, agent, usable ? '' : dim('unavailable')];
        }),
        '  ',
      ),
      ...notes.filter(isNew).flatMap((text) => told(symbols.small, text)),
      ...same.flatMap(([maker, judge]) =>
        told(symbols.small, `${judge} judges the work of ${maker}, and both are the same agent: install a second one`),
      ),
    ]),
    ...(leftovers.length === 0 ? [] : ['', bold('Left behind')]),
    ...leftovers.flatMap(({ message, fix }) => told(symbols.small, `${message}; ${fix}`)),
    '',
    exitCode === 0 ? `${mark(true)} a run can start` : `${mark(false)} no run can start; see the marks above`,
  ];
}

function markIn({ green, red, symbols }: Style): (good: boolean) => string {
  return (good) => (good ? green(symbols.done) : red(symbols.failed));
}

function machineLines(
  { node, git, repository, trusted, sandbox }: MachineCheck,
  style: Style,
  width: number,
): string[] {
  const { dim, symbols } = style;
  const mark = markIn(style);
  const { level, problem, lacking } = sandbox;
  return alignedWithin(
    [
      [mark(true), 'node', node],
      [mark(git !== null), 'git', git ?? 'not installed'],
      [mark(repository !== null), 'repository', repository ?? 'none: run git init'],
      ...(trusted ? [] : [[mark(false), 'trust', 'what it tells Pawl to run is not trusted: run pawl trust']]),
      [
        lacking ? mark(false) : level === 'none' ? dim(symbols.small) : mark(true),
        'sandbox',
        problem === null ? level : `${level}: ${plainLine(problem)}`,
      ],
    ],
    width,
    '  ',
  );
}

/** Without the agent's name, which stands beside it. */
function problemOf(agent: string, problem: string): string {
  const begins = [`${agent} is `, `${agent}: `, `${agent} `].find((words) => problem.startsWith(words)) ?? '';
  return problem.slice(begins.length);
}
