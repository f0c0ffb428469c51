/**
 * What is known to be wrong and stays so: for the person who decides, for the final report, for status.json.
 *
 * K1. Whatever a judge reports beside its verdict is kept until the same judge looks at the same files again.
 * K2. What a person accepts keeps its findings: file, line, text and suggested fix.
 */

import type { DataPatch } from '../data-slots.ts';
import type { EndedDispatch, RunView } from '../workflow.ts';
import { tasksIfReadable } from './documents.ts';
import { appended, data, meta, scopeOf, valuesOf } from './run-data.ts';
import type { Report } from './tool-arguments.ts';
import { kindOf, repairs, type Repair } from './session-words.ts';

export type Finding = Parameters<typeof data.judgement.set>[1]['findings'][number];

/** `[major, naming] src/a.mjs:3 It is wrong. Suggested: …`; whatever the judge, whatever it left out. */
export function findingText(finding: Finding): string {
  const { severity, category, file, line, message, description, gap, results, entry, evidence } = finding;
  const kind = [severity, category].filter((each) => each !== undefined).join(', ');
  const check = entry === undefined ? undefined : `${entry}: ${evidence ?? 'failed'}`;
  const fix = finding['suggested_fix'] ?? finding['recommended_fix'];
  const parts = [
    kind === '' ? '' : `[${kind}]`,
    file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`,
    message ??
      description ??
      (gap === undefined ? undefined : `not covered by tests: ${gap}`) ??
      results ??
      check ??
      '',
    fix === undefined ? '' : `Suggested: ${fix}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

export const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim();

/** What the gates under way judge, in words. */
export function subjectOf(view: Pick<RunView, 'snapshot' | 'files' | 'run'>): string {
  const scope = scopeOf(view.snapshot);
  if (scope === meta) return view.snapshot.flags['round'] === 'release' ? 'the release' : 'the whole session';
  const task = tasksIfReadable(view).find(({ id }) => id === scope);
  return task ? `${scope} (${task.title})` : scope;
}

/** K1. */
export function besides({ step, snapshot }: EndedDispatch, lines: readonly string[]): DataPatch {
  const scope = scopeOf(snapshot);
  const key = [step, scope, snapshot.flags['round']].join(' ');
  const kept = lines.map((line) => `${scope === meta ? '' : `${scope}: `}${oneLine(line)}`);
  return kept.length === 0 ? data.beside.clear(key) : data.beside.set(key, kept);
}

/** Remarks that belong to no verdict: conflicts with the project's instructions, concerns, anything odd. */
export function remarks({ role, step, snapshot }: EndedDispatch, { notes, gates }: Report): DataPatch {
  const concerns = (gates?.security_concerns ?? []).map((each) => `security concern: ${each}`);
  const scope = scopeOf(snapshot);
  const lines = [...(notes === undefined ? [] : [notes]), ...concerns].map(
    (each) => `${role}, ${step}${scope === meta ? '' : ` of ${scope}`}: ${oneLine(each)}`,
  );
  const known = valuesOf(data.remark, snapshot);
  return appended(
    data.remark,
    snapshot,
    [...new Set(lines)].filter((each) => !known.includes(each)),
  );
}

/** Everything that is known to be wrong, each once. */
export function knownIssues(holder: Pick<RunView['snapshot'], 'data'>): readonly string[] {
  return [...new Set([...valuesOf(data.issue, holder), ...valuesOf(data.beside, holder).flat()])];
}

/** The gate whose word a repair is for. */
const gateOf = { fix_review: 'review', fix_tests: 'qa', fix_security: 'security', fix_build: 'integrate' } as const;
const gateNames = { fix_review: 'review', fix_tests: 'tests', fix_security: 'security review', fix_build: 'build' };

/** What a gate said last. */
export function objectionsTo(kind: Repair, holder: Pick<RunView['snapshot'], 'data'>) {
  const { summary = '', findings = [] } = data.judgement.get(holder, gateOf[kind]) ?? {};
  return { summary, findings: findings.map(findingText).filter((text) => text !== '') };
}

/** K2. */
export function acceptedIssue(kind: Repair, snapshot: RunView['snapshot'], reason: string): string {
  const { summary, findings } = objectionsTo(kind, snapshot);
  const scope = scopeOf(snapshot);
  const head = `${kindOf[kind]} of ${scope === meta ? 'the session' : scope}`;
  const why = reason === '' ? '' : ` (${oneLine(reason)})`;
  // Of a check's output the log has the rest.
  const lines = findings.map((each) => `- ${each.split('\n')[0]?.replace(/:$/, '')}`);
  return [`${head}, accepted${why}: ${oneLine(summary)}`, ...lines].join('\n');
}

/** Each attempt with what it was to fix. */
export function attempted({ step, snapshot }: EndedDispatch, { summary: tried }: Report): DataPatch {
  const kind = repairs.find((each) => isOf(each, step));
  const why = kind ? objectionsTo(kind, snapshot).summary : '';
  return data.attempts.set([...data.attempts.of(snapshot), { kind: step, tried, why, scope: scopeOf(snapshot) }]);
}

const isOf = (kind: Repair, step: string): boolean =>
  step.startsWith(kind) || (kind === 'fix_tests' && step === 'fix_own_tests');

/** Attempts of that kind alone. */
export function spentQuestion(kind: Repair, view: Pick<RunView, 'snapshot' | 'files' | 'run'>, why: string) {
  const { snapshot } = view;
  const { summary, findings } = objectionsTo(kind, snapshot);
  const scope = scopeOf(snapshot);
  const tried = data.attempts.of(snapshot).filter((each) => isOf(kind, each.kind) && ['', scope].includes(each.scope));
  const count = Math.max(tried.length, snapshot.limits[kind] ?? 0);
  const attempts = count === 1 ? 'one attempt' : `${count} attempts`;
  const indented = (text: string): string => text.replaceAll('\n', '\n    ');
  const detail = [
    `Still wrong: ${findings.length > 0 ? summary : why}`,
    ...findings.map((each) => `  - ${indented(each)}`),
    ...(tried.length === 0 ? [] : ['Attempts:']),
    ...tried.flatMap(({ tried: what, why: wrong }, index) => {
      const lines = [...(wrong === '' ? [] : [`problem: ${oneLine(wrong)}`]), `attempt: ${oneLine(what)}`];
      return lines.map((line, at) => `${at === 0 ? `  ${index + 1}. ` : '     '}${line}`);
    }),
  ];
  const subject = subjectOf(view).replace(/^the/, 'The');
  return { title: `${subject} still fails its ${gateNames[kind]} after ${attempts}. What now?`, detail };
}
