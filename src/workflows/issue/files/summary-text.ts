/** summary.md: what a run did, what it leaves open, and how to begin again after a failure. */

import { sectionText } from '../../../documents/render-documents.ts';
import { oneLine } from '../../../documents/review-text.ts';
import type { ReviewFinding } from '../../../documents/review-finding.ts';

interface Cause {
  readonly signal: string;
  readonly why: string;
}

export interface SummaryValues {
  readonly issue: string;
  readonly title: string;
  readonly branch: string;
  readonly outcome: 'done' | 'failed';
  /** Steps that were finished, in order. */
  readonly steps: readonly string[];
  /** Null unless the run failed. */
  readonly failure: Cause | null;
  /** Each time a budget was used up, and by what. */
  readonly spent: readonly (Cause & { readonly budget: string })[];
  readonly blockers: readonly { readonly phase: string; readonly finding: ReviewFinding }[];
  readonly deviations: readonly string[];
  readonly advice: readonly { readonly step: string; readonly text: string }[];
  /** Tasks without tests. */
  readonly manifest: readonly { readonly task: string; readonly justification: string; readonly rationale: string }[];
  readonly followUps: readonly { readonly id: string; readonly label: string; readonly title: string }[];
  readonly commits: readonly { readonly id: string; readonly message: string }[];
  /** Commands to paste. */
  readonly recovery: readonly string[];
}

/** Parts without content are left out. */
export function renderSummary(values: SummaryValues): string {
  const { issue, title, branch, outcome, failure } = values;
  const parts = [
    `# ${issue}: ${oneLine(title)}`,
    outcome === 'done' ? `The run on \`${branch}\` is done.` : `The run on \`${branch}\` failed.`,
    failure && section('What failed', [causeText(failure)]),
    section('What was done', values.steps),
    section(
      'Commits',
      values.commits.map(({ id, message }) => `\`${id}\` ${oneLine(message)}`),
    ),
    section(
      'Budgets spent',
      values.spent.map((each) => `${each.budget}: ${causeText(each)}`),
    ),
    section(
      'Open findings',
      values.blockers.map(({ phase, finding }) => findingLine(phase, finding)),
    ),
    section('Deviations from the plan', values.deviations),
    section('Without tests', values.manifest.map(manifestText)),
    section(
      'Issues filed',
      values.followUps.map(({ id, label, title: name }) => `${id} (${label}): ${oneLine(name)}`),
    ),
    section(
      'Advice, not acted on',
      values.advice.map(({ step, text }) => `${step}: ${text}`),
    ),
    values.recovery.length > 0 && `## Begin again\n\n\`\`\`sh\n${values.recovery.join('\n')}\n\`\`\``,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function causeText({ signal, why }: Cause): string {
  return why.trim() === '' ? signal : `${signal}: ${why}`;
}

function findingLine(phase: string, { severity, class: kind, file, symbol, line, title, detail }: ReviewFinding) {
  const place = [file, line].filter((each) => each !== undefined).join(':');
  const inSymbol = symbol === undefined ? '' : ` (${symbol})`;
  return `${severity}, ${kind}, ${phase}: ${oneLine(title)}, ${place}${inSymbol}\n${detail}`;
}

function manifestText({ task, justification, rationale }: SummaryValues['manifest'][number]): string {
  return `${task}: ${justification}\nSigned off: ${rationale}`;
}

/** A list, each item perhaps of several lines; no line of it begins a section. */
function section(heading: string, texts: readonly string[]): string {
  const items = texts.map((text) => `- ${text.trim().replaceAll(/(?:\r\n?|\n)+/g, '\n  ')}`);
  return items.length === 0 ? '' : `## ${heading}\n\n${sectionText(items.join('\n'), 3)}`;
}
