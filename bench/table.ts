import type { Measured } from './benchmark.ts';

export function table(all: readonly Measured[]): string {
  const rows = all.map(({ what, measured, baseline, ratio, spread, ratioMax }) => [
    what,
    measured,
    baseline,
    `${ratio.toFixed(2)}× ±${(spread * 100).toFixed(0)}%`,
    `≤ ${ratioMax}×`,
    ratio <= ratioMax ? 'ok' : 'over',
  ]);
  const lines = [['what', 'measured', 'baseline', 'ratio', 'target', ''], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) => `${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}\n`).join('');
}
