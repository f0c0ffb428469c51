import { inside, nameOf, refuse, schema, unlessRefused, warn, type Spot } from '../../../schema/schema.ts';
import { isRecord, shown } from '../../../schema/values.ts';
import { repairKinds, type RepairKind, type RetryCounts } from './status-shape.ts';

type Counts = Partial<Record<RepairKind, number>>;

/** In doubt more attempts count as spent, never fewer. */
export const retryCounts = schema<RetryCounts>((value, at) => {
  if (value === undefined || value === null) {
    warn(at, 'retry_counts is missing; taken to be empty.');
    return {};
  }
  if (!isRecord(value)) return refuse(at, value, 'an object with one entry per task');
  return unlessRefused(at, () => {
    const counts = new Map<string, Counts>();
    for (const [task, spent] of Object.entries(value)) {
      const kind = kindOf(task);
      const scope = kind === undefined ? task : 'meta';
      counts.set(scope, larger(counts.get(scope) ?? {}, countsOf(spent, kind, inside(at, task))));
    }
    return Object.fromEntries(counts);
  });
});

/** `kind`: where it stands in the place of a task. */
function countsOf(spent: unknown, kind: RepairKind | undefined, at: Spot): Counts {
  const name = nameOf(at.path);
  if (kind !== undefined) {
    warn(at, `${name} names no task; counted for the whole session ("meta").`);
    return { [kind]: countOf(spent, at) };
  }
  if (isRecord(spent)) return countsByKind(spent, at);
  const count = countOf(spent, at);
  warn(at, `${name} names no kind; ${count} is counted for each of them.`);
  return Object.fromEntries(repairKinds.map((each) => [each, count]));
}

function countsByKind(spent: Readonly<Record<string, unknown>>, at: Spot): Counts {
  const counts: Counts = {};
  for (const [word, value] of Object.entries(spent)) {
    const spot = inside(at, word);
    const kind = kindOf(word);
    if (kind === undefined) {
      warn(spot, `${nameOf(spot.path)} (${shown(value)}) is no repair loop; left out.`);
      continue;
    }
    if (kind !== word) warn(spot, `${nameOf(spot.path)} is read as ${kind}.`);
    counts[kind] = Math.max(counts[kind] ?? 0, countOf(value, spot));
  }
  return counts;
}

const attemptsMax = 1_000_000;

function countOf(value: unknown, at: Spot): number {
  const count = typeof value === 'string' && /^\d{1,7}$/.test(value.trim()) ? Number(value) : (value ?? 0);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > attemptsMax) {
    refuse(at, value, 'a whole number of attempts, 0 or more');
    return 0;
  }
  if (count !== value) warn(at, `${nameOf(at.path)} ${shown(value)} is read as ${count}.`);
  return count;
}

function kindOf(word: string): RepairKind | undefined {
  const folded = word.toUpperCase().replaceAll('-', '_');
  return repairKinds.find((kind) => kind === folded || kind === `FIX_${folded}`);
}

function larger(one: Counts, other: Counts): Counts {
  const kinds = repairKinds.filter((kind) => kind in one || kind in other);
  return Object.fromEntries(kinds.map((kind) => [kind, Math.max(one[kind] ?? 0, other[kind] ?? 0)]));
}
