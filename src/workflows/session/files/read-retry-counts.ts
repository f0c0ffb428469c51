import type { Json } from '../../../engine/snapshot.ts';
import { isMap } from './json-lines.ts';
import { shown, wrong, type StatusReading } from './status-reading.ts';
import { repairKinds, type RepairKind, type RetryCounts } from './status-shape.ts';

type Counts = Partial<Record<RepairKind, number>>;

/** In doubt more attempts count as spent, never fewer. */
export function readRetryCounts(reading: StatusReading, value: Json | undefined): RetryCounts {
  if (value === undefined || value === null) {
    reading.repairs.push('retry_counts is missing; taken to be empty.');
    return {};
  }
  if (!isMap(value)) throw wrong(reading, ['retry_counts'], value, 'an object with one entry per task');
  const counts = new Map<string, Counts>();
  for (const [task, spent] of Object.entries(value)) {
    const kind = kindOf(task);
    if (kind !== undefined) {
      reading.repairs.push(`retry_counts.${task} names no task; counted for the whole session ("meta").`);
      add(counts, 'meta', { [kind]: countOf(reading, spent, [task]) });
    } else if (isMap(spent)) add(counts, task, countsOf(reading, spent, task));
    else {
      const count = countOf(reading, spent, [task]);
      reading.repairs.push(`retry_counts.${task} names no kind; ${count} is counted for each of them.`);
      add(counts, task, Object.fromEntries(repairKinds.map((kind) => [kind, count])));
    }
  }
  return Object.fromEntries(counts);
}

function kindOf(word: string): RepairKind | undefined {
  const folded = word.toUpperCase().replaceAll('-', '_');
  return repairKinds.find((kind) => kind === folded || kind === `FIX_${folded}`);
}

function add(counts: Map<string, Counts>, task: string, more: Counts): void {
  const sum = { ...counts.get(task) };
  for (const kind of repairKinds) {
    const count = Math.max(sum[kind] ?? 0, more[kind] ?? 0);
    if (kind in sum || kind in more) sum[kind] = count;
  }
  counts.set(task, sum);
}

function countsOf(reading: StatusReading, spent: { readonly [key: string]: Json }, task: string): Counts {
  const counts: Counts = {};
  for (const [word, value] of Object.entries(spent)) {
    const kind = kindOf(word);
    if (kind === undefined) {
      reading.repairs.push(`retry_counts.${task}.${word} (${shown(value)}) is no repair loop; left out.`);
      continue;
    }
    if (kind !== word) reading.repairs.push(`retry_counts.${task}.${word} is read as ${kind}.`);
    counts[kind] = Math.max(counts[kind] ?? 0, countOf(reading, value, [task, word]));
  }
  return counts;
}

const attemptsMax = 1_000_000;

function countOf(reading: StatusReading, value: Json, keys: readonly string[]): number {
  const path = ['retry_counts', ...keys];
  const count = typeof value === 'string' && /^\d{1,7}$/.test(value.trim()) ? Number(value) : (value ?? 0);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > attemptsMax) {
    throw wrong(reading, path, value, 'a whole number of attempts, 0 or more');
  }
  if (count !== value) reading.repairs.push(`${path.join('.')} ${shown(value)} is read as ${count}.`);
  return count;
}
