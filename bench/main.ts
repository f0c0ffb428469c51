/** `npm run bench [-- <name>…]`: what Pawl costs, as ratios to a baseline taken in the same run. Time never fails it. */

import { table } from './table.ts';
import type { Benchmark } from './benchmark.ts';
import { validateFlag } from './validation-flag.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === validateFlag) {
  const { validateAll } = await import('./validate-all.ts');
  validateAll(rest[0] ?? '.');
} else {
  await runAll(first === undefined ? [] : [first, ...rest]);
}

async function runAll(names: readonly string[]): Promise<void> {
  const { benchmarks, dispose } = await import('./benchmarks.ts');
  const unknown = names.find((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined) {
    const known = benchmarks.map(({ name }) => name).join(', ');
    process.stderr.write(`there is no benchmark "${unknown}"; there are ${known}\n`);
    process.exitCode = 2;
    return;
  }
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  try {
    process.stdout.write(table(await measureEach(chosen)));
  } finally {
    dispose();
  }
}

async function measureEach(chosen: readonly Benchmark[]): Promise<Awaited<ReturnType<Benchmark['measure']>>> {
  const all = [];
  for (const benchmark of chosen) {
    process.stderr.write(`${benchmark.name}: ${benchmark.about}\n`);
    all.push(...(await benchmark.measure()));
  }
  return all;
}
