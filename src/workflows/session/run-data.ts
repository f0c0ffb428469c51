/**
 * What signals left in a session's snapshot, typed again. Our own code wrote it, so what does not fit is a broken promise.
 *
 * What grows with the session has a key for each piece (`decision:UD-7`, `retries:T-003`), so that a transition records
 * the piece and not all of them.
 */

import type { Json, Snapshot } from '../../engine/snapshot.ts';
import { currentItem } from '../../engine/snapshot.ts';
import type { ProjectType } from './files/checklists.ts';
import { projectTypes } from './files/checklists.ts';
import type { RepairKind } from './files/status.ts';
import { itemsIn, mapIn, recordOf, textIn, textsIn, type Data, type Holder } from './recorded.ts';
import { repairs, type Repair } from './vocabulary.ts';

export { recordOf, type Data } from './recorded.ts';

export function goalOf({ data }: Holder): string {
  return textIn(data, 'goal');
}

export function projectTypeOf({ data }: Holder): ProjectType {
  return projectTypes.find((type) => type === data['projectType']) ?? 'mixed';
}

/** What the spec agent found out beyond its documents. */
export interface Intake {
  readonly needsResearch: boolean;
  readonly hasUi: boolean;
  readonly research: string;
}

export function intakeOf({ data }: Holder): Intake {
  const intake = mapIn(data, 'intake');
  return {
    needsResearch: intake['needsResearch'] === true,
    hasUi: intake['hasUi'] === true,
    research: textIn(intake, 'research'),
  };
}

export function assumptionsOf({ data }: Holder): readonly string[] {
  return textsIn(data, 'assumptions');
}

export function knownIssuesOf({ data }: Holder): readonly string[] {
  return numbered(data, issueKey);
}

export function issueData(holder: Holder, more: readonly string[]): Data {
  return numberedData(knownIssuesOf(holder).length, issueKey, more);
}

/** Notes of reviewers that a person left as they are. */
export function declinedNotesOf({ data }: Holder): readonly string[] {
  return numbered(data, declinedKey);
}

export function declinedData(holder: Holder, more: readonly string[]): Data {
  return numberedData(declinedNotesOf(holder).length, declinedKey, more);
}

const issueKey = 'issue:';
const declinedKey = 'declined:';

function numbered(data: Data, key: string): readonly string[] {
  return Object.keys(data)
    .filter((name) => name.startsWith(key))
    .map((name) => textIn(data, name));
}

function numberedData(count: number, key: string, more: readonly string[]): Data {
  return Object.fromEntries(more.map((text, index) => [`${key}${count + index + 1}`, text]));
}

/** What a person said about the repair at hand. */
export function guidanceOf({ data }: Holder): string {
  return textIn(data, 'guidance');
}

/** What the gates under way judge: a task by its id, or everything. */
export function scopeOf({ flags, lists }: Pick<Snapshot, 'flags' | 'lists'>): string {
  return (flags['round'] === 'task' && currentItem(lists['tasks'])?.id) || meta;
}

export const meta = 'meta';

/* Repairs */

export const kindOf: Readonly<Record<Repair, RepairKind>> = {
  fix_review: 'FIX_REVIEW',
  fix_tests: 'FIX_TESTS',
  fix_security: 'FIX_SECURITY',
  fix_build: 'FIX_BUILD',
};

const retriesKey = 'retries:';

export type Counts = Readonly<Record<RepairKind, number>>;

export function retriesOf({ data }: Holder, scope: string): Counts {
  return countsOf(mapIn(data, `${retriesKey}${scope}`));
}

function countsOf(counts: Data): Counts {
  const count = (kind: RepairKind): number => (typeof counts[kind] === 'number' ? counts[kind] : 0);
  return {
    FIX_REVIEW: count('FIX_REVIEW'),
    FIX_TESTS: count('FIX_TESTS'),
    FIX_SECURITY: count('FIX_SECURITY'),
    FIX_BUILD: count('FIX_BUILD'),
  };
}

/** Attempts at one task by the budget they count against; undefined where there were none. */
export function spentOn(holder: Holder, scope: string): Readonly<Record<string, number>> | undefined {
  const counts = retriesOf(holder, scope);
  const spent = repairs.filter((repair) => counts[kindOf[repair]] > 0);
  return spent.length === 0 ? undefined : Object.fromEntries(spent.map((repair) => [repair, counts[kindOf[repair]]]));
}

export function allRetries({ data }: Holder): Readonly<Record<string, Counts>> {
  const keys = Object.keys(data).filter((key) => key.startsWith(retriesKey));
  return Object.fromEntries(keys.map((key) => [key.slice(retriesKey.length), countsOf(mapIn(data, key))]));
}

export function retriesData(holder: Holder, scope: string, kind: RepairKind, count: number): Data {
  return { [`${retriesKey}${scope}`]: { ...retriesOf(holder, scope), [kind]: count } };
}

/** One try at mending something, and what was still wrong with it. */
export interface Attempt {
  readonly kind: string;
  readonly tried: string;
}

/** Tries at the task at hand. */
export function attemptsOf({ data }: Holder): readonly Attempt[] {
  return itemsIn(data, 'attempts').map((value) => {
    const attempt = recordOf(value, 'attempts');
    return { kind: textIn(attempt, 'kind'), tried: textIn(attempt, 'tried') };
  });
}

/** What a gate said last: whoever mends it reads this. */
export interface Judgement {
  readonly scope: string;
  readonly summary: string;
  readonly findings: readonly Json[];
}

export function judgementOf({ data }: Holder, gate: string): Judgement | null {
  const value = data[`judgement:${gate}`];
  if (value === undefined || value === null) return null;
  const map = recordOf(value, `judgement:${gate}`);
  return { scope: textIn(map, 'scope'), summary: textIn(map, 'summary'), findings: itemsIn(map, 'findings') };
}

/** What the task at hand touched so far, by the paths git reports. */
export function touchedOf({ data }: Holder): { readonly behaviour: boolean; readonly risky: boolean } {
  const touched = mapIn(data, 'touched');
  return { behaviour: touched['behaviour'] === true, risky: touched['risky'] === true };
}

/* Design */

export interface Correction {
  readonly summary: string;
  readonly role: string;
  readonly dispatchedAt: string | null;
  /** Digest of the design when the correction was asked for. */
  readonly from: string;
}

export function correctionOf({ data }: Holder): Correction | null {
  const value = data['correction'];
  if (value === undefined || value === null) return null;
  const map = recordOf(value, 'correction');
  const { dispatchedAt } = map;
  return {
    summary: textIn(map, 'summary'),
    role: textIn(map, 'role'),
    dispatchedAt: typeof dispatchedAt === 'string' ? dispatchedAt : null,
    from: textIn(map, 'from'),
  };
}

/** Digest of the design a person approved; null before. */
export function approvedDesign({ data }: Holder): string | null {
  const digest = data['approvedDesign'];
  return typeof digest === 'string' ? digest : null;
}

/* Acceptance */

/** One executed or answered check. */
export interface CheckOutcome {
  readonly entry: string;
  readonly status: 'passed' | 'failed';
  readonly evidence: string;
}

export function checkOutcomes({ data }: Holder): readonly CheckOutcome[] {
  return itemsIn(mapIn(data, 'checks'), 'results').map((value) => {
    const map = recordOf(value, 'checks.results');
    return {
      entry: textIn(map, 'entry'),
      status: map['status'] === 'passed' ? 'passed' : 'failed',
      evidence: textIn(map, 'evidence'),
    };
  });
}

export type CiResult = 'unknown' | 'green' | 'red';

export function ciOf({ data }: Holder): { readonly result: CiResult; readonly failedStep: string | null } {
  const { result, failedStep } = mapIn(data, 'ci');
  return {
    result: result === 'green' || result === 'red' ? result : 'unknown',
    failedStep: typeof failedStep === 'string' ? failedStep : null,
  };
}

/** What a person said about something only a person can judge: a manual check, or a criterion by its id. */
export interface Verdict {
  readonly status: 'met' | 'waived' | 'unmet';
  readonly words: string;
}

const verdictKey = 'verdict:';

export function verdictOn({ data }: Holder, about: string): Verdict | undefined {
  const value = data[`${verdictKey}${about}`];
  if (value === undefined || value === null) return undefined;
  const { status, words } = recordOf(value, 'verdict');
  return {
    status: status === 'met' || status === 'waived' ? status : 'unmet',
    words: typeof words === 'string' ? words : '',
  };
}

/** What a person saw is not what is there any more; what they do without, they still do without. */
export function verdictsToAskAgain({ data }: Holder): Data {
  const seen = Object.keys(data).filter(
    (key) => key.startsWith(verdictKey) && verdictOn({ data }, key.slice(verdictKey.length))?.status === 'met',
  );
  return Object.fromEntries(seen.map((key) => [key, null]));
}

export function verdictData(about: string, { status, words }: Verdict): Data {
  return { [`${verdictKey}${about}`]: { status, words } };
}

export interface RuntimeFlags {
  readonly instructions: boolean;
  readonly checkedAt: string | null;
}

export function runtimeFlagsOf({ data }: Holder): RuntimeFlags {
  const { instructions, checkedAt } = mapIn(data, 'runtime');
  return { instructions: instructions === true, checkedAt: typeof checkedAt === 'string' ? checkedAt : null };
}
