import { test } from 'vitest';
import { SimulatedLives, type Crash, type CarriedOut } from '../../src/testing/simulated-crashes.ts';
import { fullSession, changeLife, leanSession, ownLife } from './lives.ts';
import { writeFileSync } from 'node:fs';

const only = process.env['LIFE'];
const power = process.env['POWER'];
test.each([
  ['change', () => changeLife],
  ['full', () => fullSession],
  ['lean', () => leanSession],
  ['own', ownLife],
] as const)(
  '%s',
  async (name, life) => {
    if (only && only !== name) return;
    const lives = new SimulatedLives(await life());
    const done = await lives.undisturbed();
    const bad: string[] = [];
    let n = 0;
    const began = performance.now();
    for (const step of done) {
      for (let instant = 0; instant <= step.disk.instants; instant += 1) {
        const crashes: Crash[] = power
          ? [1, 2, 3].map((s) => ({ kind: 'power loss', instant, seed: instant * 10 + s + Number(power) * 100000 }))
          : [{ kind: 'kill', instant }, ...(step.disk.isWrite(instant) ? [{ kind: 'torn', instant } as const] : [])];
        for (const crash of crashes) {
          n += 1;
          const where = `${step.command.name} ${crash.kind} ${'seed' in crash ? crash.seed : ''} at ${instant} ${step.disk.whatHappensAt(instant)}`;
          try {
            const again = await lives.repeated(step, crash);
            const diff = differences(step, again);
            if (diff) bad.push(`${where}: ${diff}`);
          } catch (error) {
            bad.push(
              `${where}: ! ${String(
                error instanceof Error
                  ? error
                      .stack!.split('\n')
                      .filter((l) => !l.includes('node_modules'))
                      .slice(0, 5)
                      .join(' | ')
                  : error,
              ).slice(0, 700)}`,
            );
          }
        }
      }
    }
    console.log(name, n, 'crashes', Math.round(performance.now() - began), 'ms', bad.length, 'bad');
    const kinds = new Map<string, string[]>();
    for (const b of bad) {
      const k = b
        .slice(b.indexOf(': ') + 2)
        .replace(/\d+/g, 'N')
        .slice(0, 160);
      kinds.set(k, [...(kinds.get(k) ?? []), b]);
    }
    for (const [, bs] of kinds)
      console.log(bs.length, bs[0], bs.length > 1 ? `\n     ... ${bs.at(-1)!.slice(0, 120)}` : '');
    writeFileSync(`/tmp/bad-${name}.txt`, bad.join('\n'));
  },
  1000000,
);

function differences(a: CarriedOut, b: CarriedOut): string | null {
  if (a.remains.outcome !== b.remains.outcome)
    return `outcome ${b.remains.outcome} not ${a.remains.outcome} ${JSON.stringify((b.remains.state as any).snapshot.data.problem)}`;
  const paths = [...new Set([...Object.keys(a.remains.files), ...Object.keys(b.remains.files)])].filter(
    (p) => a.remains.files[p] !== b.remains.files[p],
  );
  if (paths.length)
    return `files ${paths.join(' ')} :: ${JSON.stringify(a.remains.files[paths[0]!]?.slice(0, 200))} / ${JSON.stringify(b.remains.files[paths[0]!]?.slice(0, 200))}`;
  const [x, y] = [JSON.stringify(a.remains.state), JSON.stringify(b.remains.state)];
  if (x !== y) {
    let i = 0;
    while (x[i] === y[i]) i++;
    return `state ${x.slice(i - 60, i + 60)} / ${y.slice(i - 60, i + 60)}`;
  }
  return null;
}
