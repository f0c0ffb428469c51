/** How acceptance criteria come to be met: by checks that ran, or by a person's word. */

import type { Query } from '../../engine/decision.ts';
import type { RunView } from '../workflow.ts';
import { criteriaOf, tasksOf } from './documents.ts';
import type { Criterion } from './files/acceptance-file.ts';
import { data } from './run-data.ts';

/** Every check of the session, each once: those of the criteria first, then those of the tasks. */
export function acceptanceEntries(view: RunView): readonly string[] {
  const criteria = criteriaOf(view);
  const ids = new Set(criteria.map(({ id }) => id));
  const entries = [
    ...criteria.flatMap(({ verify }) => verify),
    ...tasksOf(view).tasks.flatMap(({ acceptance_checks: checks }) => checks),
  ];
  return [...new Set(entries.map(canonical))].filter((entry) => !ids.has(entry));
}

/** `CMD: npm test` is a command too. */
function canonical(entry: string): string {
  return entry.replace(/^(?:cmd|manual):/i, (kind) => kind.toLowerCase());
}

/** What only a person can say: manual checks, and criteria that nothing else vouches for. */
export function openQueries(view: RunView): readonly Query[] {
  const manual = acceptanceEntries(view).filter((entry) => !entry.startsWith('cmd:'));
  const undecided = manual.filter((entry) => settledBy(view, entry) === null);
  const criteria = criteriaOf(view).filter((criterion) => {
    const relies = criterion.verify.some((entry) => undecided.includes(canonical(entry)));
    return !relies && judged(view, criterion).status === undefined;
  });
  return [
    ...undecided.map((entry) => query(entry, entry.replace(/^manual:\s*/, ''))),
    ...criteria.map(({ id, description }) => query(id, `${id}: ${description}`)),
  ];
}

function query(about: string, question: string): Query {
  return { question, about, suggestions: ['met', 'not met: <why>', 'waive: <reason>'], binding: true };
}

/** The criteria with what became of them. */
export function judgeCriteria(view: RunView): readonly Criterion[] {
  return criteriaOf(view).map((criterion) => judged(view, criterion));
}

function judged(view: RunView, criterion: Criterion): Criterion {
  const { status: _, evidence: __, ...open } = criterion;
  const said = settledBy(view, criterion.id);
  if (said) return { ...open, ...said };
  if (criterion.verify.length === 0) return open;
  const found = criterion.verify.map((entry) => evidenceOf(view, canonical(entry)));
  if (found.some((each) => each === null)) return open;
  const waived = found.some((each) => each?.status === 'waived');
  return { ...open, status: waived ? 'waived' : 'met', evidence: found.map((each) => each?.evidence).join('; ') };
}

type Settled = Required<Pick<Criterion, 'status' | 'evidence'>>;

/** What speaks for one check; null when nothing does. */
function evidenceOf(view: RunView, entry: string): Settled | null {
  const said = settledBy(view, entry);
  if (said) return { ...said, evidence: `${entry}: ${said.evidence}` };
  const outcome = data.checks.of(view.snapshot).results.find((each) => each.entry === entry);
  return outcome?.status === 'passed' ? { status: 'met', evidence: `${entry} passed (${outcome.evidence})` } : null;
}

/** What a person said that settles it. */
function settledBy({ snapshot }: RunView, about: string): Settled | null {
  const { status, words } = data.verdict.get(snapshot, about) ?? { status: 'unmet', words: '' };
  if (status === 'unmet') return null;
  const by = status === 'waived' ? 'waived by a person' : 'a person saw it';
  return { status, evidence: words === '' ? by : `${by}: ${words}` };
}
