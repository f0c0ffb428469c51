/** The contract of every agent with the runtime: how it is started, and how its output is read. */

import type { Agent, DispatchRequest, Launch } from '../agents/agent.ts';
import { contractsOf, must, type Contract, type Promises } from './contract.ts';

/** Noise that real programs print between their events. */
const json = ['{', '{"type":', '{}', '[]', 'null', '42', '{"type":"no such event"}', '{"type":{"a":[1]}}', '"text"'];
const texts = ['', ' ', 'npm warn deprecated', '\u001B[31mred\u001B[0m', '\uFFFD\uFFFD', 'x'.repeat(100_000)];
const noise = [...json, ...texts];

export function agentContract(agent: Agent, request: DispatchRequest): readonly Contract[] {
  return contractsOf(agent.name, promises, () => ({ request, launched: () => agent.launch(request) }));
}

const promises: Promises<{ readonly request: DispatchRequest; readonly launched: () => Launch }> = {
  'passes neither the token nor the prompt as an argument, which other users could read'({ request, launched }) {
    const { command, args } = launched();
    const line = [command, ...args].join(' ');
    must(!line.includes(request.tools.token), 'the token is in the command line');
    must(!line.includes(request.prompt), 'the prompt is in the command line');
  },
  'its environment holds only valid variables'({ launched }) {
    for (const [name, value] of Object.entries(launched().env)) {
      must(typeof value === 'string', `${name} is not a text`);
      must(/^[A-Za-z_]\w*$/.test(name), `${name} is no variable`);
      must(!value.includes('\0'), `${name} has a NUL in it`);
    }
  },
  'launching it twice gives the same process'({ launched }) {
    must(JSON.stringify(launched()) === JSON.stringify(launched()), 'two launches differ');
  },
  'ignores lines of output that it does not know'({ launched }) {
    const { output } = launched();
    for (const line of noise)
      for (const event of output.line(line))
        must(event.type === 'text', `${JSON.stringify(line.slice(0, 40))} is read as ${event.type}`);
    const told = noise.flatMap((line) => output.errorLine?.(line) ?? []);
    must(told.length === 0, `noise on standard error is read as ${told[0]?.type}`);
  },
};
