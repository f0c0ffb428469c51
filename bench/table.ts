import type { Measured } from './benchmark.ts';

export function table(all: readonly Measured[]): string {
  const rows = all.map(({ what, unit, baseline, subject, ratio, spread, ratioMax, moreMax }) => [
    what,
    `${figure(subject)} ${unit}`,
    `${figure(baseline)} ${unit}`,
    `${ratio.toFixed(2)}×`,
    `±${(spread * 100).toFixed(0)}%`,
    moreMax !== undefined ? `≤ ${moreMax} ${unit} more` : ratioMax === null ? '' : `≤ ${ratioMax}×`,
    ...verdict(moreMax === undefined ? [ratio, ratioMax] : [subject - baseline, moreMax]),
  ]);
  const lines = [['what', 'measured', 'baseline', 'ratio', 'spread', 'target', ''], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}

function verdict([found, max]: readonly [number, number | null]): readonly [string] {
  return [max === null ? '' : found <= max ? 'ok' : 'over'];
}

function figure(value: number): string {
  return value < 10 ? value.toFixed(3) : value.toFixed(0);
}
