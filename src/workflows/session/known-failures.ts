/**
 * Failures of the build, and which of them a person has accepted.
 *
 * F1. An acceptance holds for one check and the way it fails, numbers in its output aside. While the files are the very
 *     ones, it holds for whatever that check prints.
 * F2. Checks that change a file which was judged after they changed it before would never come to an end: that is a
 *     failure too.
 */

import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { DataPatch } from '../data-slots.ts';
import { textDigest } from '../digest.ts';
import { data, type CheckOutcome } from './run-data.ts';

export interface Build {
  readonly results: readonly CheckOutcome[];
  /** Files that the checks changed. */
  readonly rewritten: readonly string[];
  readonly tree: string;
}

interface Failure {
  readonly about: string;
  readonly how: string;
  readonly finding: { readonly entry: string; readonly status: string; readonly evidence: string };
}

/** F1. */
export function wayOfFailing(end: string, exitCode: number | null, output: string): string {
  return textDigest(`${end} ${exitCode}\n${withoutNumbers(output)}`);
}

/** Times, process ids, digests and the like, which differ from run to run. */
const withoutNumbers = (text: string): string => text.replaceAll(/\b(?=\w*\d)\w+/g, '#');

/** F2. Files that checks changed for the first time: they are judged, and the checks run again. */
export function unseen({ rewritten }: Build, snapshot: Snapshot): readonly string[] {
  const seen = data.checks.of(snapshot).rewritten;
  return rewritten.filter((path) => !seen.includes(withoutNumbers(path)));
}

export function failuresIn({ results, rewritten }: Build): readonly Failure[] {
  const failed = results.filter(({ status }) => status === 'failed');
  return [
    ...failed.map(({ how, ...finding }) => ({ about: finding.entry, how, finding })),
    ...rewritten.map((path) => {
      const evidence = `the checks change ${path} whenever they run`;
      return { about: rewriting(withoutNumbers(path)), how: '', finding: { entry: path, status: 'changed', evidence } };
    }),
  ];
}

const rewriting = (path: string): string => `changes ${path}`;

/** Failures that nobody has accepted. */
export function openFailures(build: Build, snapshot: Snapshot): readonly Failure[] {
  return failuresIn(build).filter(({ about, how }) => {
    const known = data.knownFailure.get(snapshot, about);
    return known === undefined || (known.how !== how && known.tree !== build.tree);
  });
}

/** What is kept of a build: for its criteria, for the final report, and for whoever accepts it as it is. */
export function buildData({ results, rewritten, tree }: Build, snapshot: Snapshot): DataPatch {
  const { rewritten: seen } = data.checks.of(snapshot);
  const all = [...new Set([...seen, ...rewritten.map(withoutNumbers)])];
  const passing = results.filter(({ entry, status }) => status === 'passed' && data.knownFailure.get(snapshot, entry));
  const over = passing.map(({ entry }) => data.knownFailure.clear(entry));
  return merged([data.checks.set({ results, tree, rewritten: all }), ...over]);
}

/** The last build is accepted as it is. */
export function acceptedBuild(snapshot: Pick<Snapshot, 'data'>, reason: string): DataPatch {
  const { results, rewritten, tree } = data.checks.of(snapshot);
  const failures = failuresIn({ results, rewritten, tree });
  return merged(failures.map(({ about, how }) => data.knownFailure.set(about, { how, tree, reason })));
}

function merged(patches: readonly DataPatch[]): DataPatch {
  return Object.fromEntries(patches.flatMap(Object.entries<Json>));
}
