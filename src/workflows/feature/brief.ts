/** The prompt of each step. It names documents by their absolute paths, and paraphrases none. */

import { fillTemplate } from '../prompt-template.ts';
import type { Brief, DispatchContext, Dispatching } from '../workflow.ts';
import { previousArtifact, taskOf } from './phase-artifacts.ts';
import { conclude, toolOf } from './conclude.ts';
import finalReview from './prompts/final-review.md';
import frame from './prompts/frame.md';
import implementTask from './prompts/implement-task.md';
import produce from './prompts/produce.md';
import reads from './prompts/reads.md';
import review from './prompts/review.md';
import revise from './prompts/revise.md';
import verify from './prompts/verify.md';
import writesCode from './prompts/writes-code.md';
import writesDocument from './prompts/writes-document.md';
import { requirementIds } from '../../documents/review-issues.ts';
import { data } from './run-data.ts';
import { artifactPath, phaseRules, phases } from './phases.ts';
import { tools } from './tools.ts';

export const dispatching: Dispatching = { tools, brief, conclude };

const templates: Readonly<Record<string, readonly [task: string, limits: string]>> = {
  produce: [produce, writesDocument],
  implement_task: [implementTask, writesCode],
  revise: [revise, writesCode],
  review: [review, reads],
  review_verification: [review, reads],
  review_code: [review, reads],
  final_review: [finalReview, reads],
};

export function brief(context: DispatchContext): Brief {
  const { step } = context;
  const [task, limits] = templates[step] ?? [];
  if (task === undefined || limits === undefined) throw new Error(`the feature workflow has no prompt for "${step}"`);
  const tool = toolOf(step);
  const isVerification = step === 'produce' && data.target.of(context.snapshot) === 'verify';
  const own: Readonly<Record<string, string>> = {
    tool,
    task: fill(isVerification ? verify : task, context),
    limits: fill(limits, context),
    documents: documentLines(context),
  };
  const prompt = fillTemplate(frame, (name) => own[name] ?? values[name]?.(context));
  return { prompt, closedBy: tool, complexity: 'medium' };
}

function fill(template: string, context: DispatchContext): string {
  return fillTemplate(template, (name) => values[name]?.(context)).trim();
}

const values: Readonly<Record<string, (context: DispatchContext) => string>> = {
  role: ({ role }) => (role === 'auditor' ? 'auditor, who compares the implementation with the spec,' : role),
  feature: ({ run }) => run,
  description: ({ snapshot }) => data.description.of(snapshot),
  workspace: ({ workspace }) => workspace,
  phase: ({ snapshot }) => data.target.of(snapshot),
  artifact: ({ snapshot, run, workspace }) => `${workspace}/${artifactPath(run, data.target.of(snapshot))}`,
  purpose: ({ snapshot }) => phaseRules[data.target.of(snapshot)].purpose,
  expectations: ({ snapshot }) =>
    phaseRules[data.target.of(snapshot)].expectations.map((text, index) => `- E${index + 1}: ${text}`).join('\n'),
  previous: ({ snapshot, files, run, workspace }) => {
    const path = previousArtifact(files, run, data.target.of(snapshot));
    return path === null ? 'There is none: this is the first.' : `${workspace}/${path}`;
  },
  subject: ({ snapshot, run, workspace, judged }) => {
    const phase = data.target.of(snapshot);
    if (phase !== 'implement') return `${workspace}/${artifactPath(run, phase)}`;
    const changed = judged?.files.map(({ path, change }) => `${path} (${change})`).join(', ');
    return `the code. Changed so far: ${changed || 'nothing'}`;
  },
  work: ({ item }) => taskOf(item),
  feedback: ({ snapshot }) => {
    const feedback = data.feedback.of(snapshot).trim();
    return feedback === '' ? '' : `\n## Reviewers say\n\n${feedback}\n`;
  },
  suite: ({ snapshot }) =>
    data.suite
      .of(snapshot)
      .map((line) => `- ${line}`)
      .join('\n') || '- none were run',
  requirements: ({ files, run }) =>
    requirementIds(files.read(artifactPath(run, 'specify')) ?? '').join(', ') ||
    'the requirements have no ids: name them by their words',
  specification: ({ files, run, workspace }) => {
    const path = artifactPath(run, 'specify');
    return files.exists(path) ? `${workspace}/${path}` : 'the description above: there is no spec.md';
  },
  person: ({ hint }) => (hint === undefined ? '' : `\n## A person adds\n\n${hint.trim()}\n`),
};

/** Only what exists: an agent sent to a missing file starts guessing. */
function documentLines({ files, run, workspace }: DispatchContext): string {
  const instructions = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'].map((path) => [path, 'how to work here'] as const);
  const own = phases.flatMap((phase) =>
    phaseRules[phase].artifact === null ? [] : [[artifactPath(run, phase), phase] as const],
  );
  return [...instructions, ...own]
    .filter(([path]) => files.exists(path))
    .map(([path, what]) => `- ${what}: ${workspace}/${path}`)
    .join('\n');
}
