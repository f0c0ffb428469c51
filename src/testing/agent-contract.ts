/** The contract of every agent with the runtime: how it is started, and how its output is read. */

import type { Agent, DispatchRequest } from '../agents/agent.ts';
import { must, type Contract } from './contract.ts';

/** Noise that real programs print between their events. */
const noise = [
  '',
  ' ',
  'npm warn deprecated',
  '\u001B[31mred\u001B[0m',
  '{',
  '{"type":',
  '{}',
  '[]',
  'null',
  '42',
  '{"type":"no such event"}',
  '\uFFFD\uFFFD',
  '{"type":{"a":[1]}}',
  '"text"',
  'x'.repeat(100_000),
];

export function agentContract(agent: Agent, request: DispatchRequest): readonly Contract[] {
  const launched = () => agent.launch(request);
  const named = (text: string): string => `${agent.name}: ${text}`;
  return [
    {
      name: named('neither the token nor the prompt is in its arguments, where everybody could read them'),
      check: () => {
        const { command, args } = launched();
        const line = [command, ...args].join(' ');
        must(!line.includes(request.tools.token), 'the token is in the command line');
        must(!line.includes(request.prompt), 'the prompt is in the command line');
      },
    },
    {
      name: named('its environment is text, and its own'),
      check: () => {
        for (const [name, value] of Object.entries(launched().env)) {
          must(typeof value === 'string', `${name} is not a text`);
          must(/^[A-Za-z_]\w*$/.test(name), `${name} is no variable`);
          must(!value.includes('\0'), `${name} has a NUL in it`);
        }
      },
    },
    {
      name: named('starting it twice gives the same'),
      check: () => must(JSON.stringify(launched()) === JSON.stringify(launched()), 'two launches differ'),
    },
    {
      name: named('noise in its output is no event, and never an error'),
      check: () => {
        const { output } = launched();
        for (const line of noise)
          for (const event of output.line(line))
            must(event.type === 'text', `${JSON.stringify(line.slice(0, 40))} is read as ${event.type}`);
        const told = noise.flatMap((line) => output.errorLine?.(line) ?? []);
        must(told.length === 0, `noise on standard error is read as ${told[0]?.type}`);
      },
    },
  ];
}
