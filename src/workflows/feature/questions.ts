/** What a person is asked in a feature. */

import { bullets, counted } from '../../documents/review-text.ts';
import { textDigest } from '../digest.ts';
import type { FreeQuestion, Question, RunView } from '../workflow.ts';
import { openTasks } from './phase-artifacts.ts';
import { findingLine, issueText } from '../../documents/review-issues.ts';
import { data, phaseRecords } from './run-data.ts';
import { skippedPhases } from './validate-transition.ts';
import { artifactPath, phaseRules, type Phase } from './phases.ts';

function question(
  title: string,
  detail: string,
  answers: Question['answers'],
  paths: readonly string[] = [],
): Question {
  return { title, detail, answers, about: textDigest(`${title}\n${detail}`), withdrawn: null, paths };
}

function artifactsThere({ files, run }: RunView, phase: Phase): readonly string[] {
  if (phaseRules[phase].artifact === null) return [];
  const path = artifactPath(run, phase);
  return files.exists(path) ? [path] : [];
}

export const questions: Readonly<Record<string, (view: RunView) => Question>> = {
  move: ({ snapshot }) => {
    const phase = data.target.of(snapshot);
    return question(`Go on with ${phase}?`, `Warning: ${data.warning.of(snapshot)}.`, {
      proceed: `begin ${phase} all the same (recorded)`,
      stop: 'leave everything as it is',
    });
  },
  partial: (view) => {
    const phase = data.target.of(view.snapshot);
    const paths = artifactsThere(view, phase);
    const there =
      phase === 'implement'
        ? counted(openTasks(view.files, view.run).length, 'open task')
        : paths.length === 0
          ? 'there is no artifact yet'
          : `${paths[0]} is there`;
    return question(
      `${phase} was started and not completed. How should it continue?`,
      `${there}.`,
      {
        continue: 'continue from what is there',
        fresh:
          phase === 'implement'
            ? 'take back what the agents made, and start again (a patch is kept)'
            : 'start again; what is there is put aside',
        ...((phase === 'implement' || paths.length > 0) && { review: 'review what is there first' }),
      },
      paths,
    );
  },
  findings: (view) => {
    const { snapshot, files, run } = view;
    const left = snapshot.budgets['addresses'] ?? 0;
    const spec = artifactPath(run, 'specify');
    // What the other reviewer still held against the code at its limit is not forgotten.
    const issues = data.approved.of(snapshot) ? [] : data.issues.of(snapshot).map(issueText);
    return question(
      'The implementation is not what was asked for. What shall be done?',
      bullets([...data.findings.of(snapshot).map(findingLine), ...issues]),
      {
        ...(left > 0 && { address: `have it corrected and reviewed again (${left} left)` }),
        proceed: 'complete the phase as it is (recorded)',
      },
      files.exists(spec) ? [spec] : [],
    );
  },
  finish: ({ snapshot, files, run }) => {
    const open = openTasks(files, run).length;
    const stale = Object.entries(phaseRecords(snapshot)).flatMap(([phase, record]) => (record.stale ? [phase] : []));
    const branch = data.branch.of(snapshot);
    const base = data.base.of(snapshot) ?? 'the branch of the main checkout';
    const own = branch !== null;
    const skipped = skippedPhases(data.currentPhase.of(snapshot), 'finish', data.mode.of(snapshot));
    const warnings = [
      ...(skipped.length === 0 ? [] : [`Warning: it skips ${skipped.join(', ')}.`]),
      ...(open === 0 ? [] : [`Warning: ${counted(open, 'open task')} in tasks.md.`]),
      ...(stale.length === 0 ? [] : [`Warning: stale since an earlier phase was made again: ${stale.join(', ')}.`]),
    ];
    const where = own ? `It is on the branch ${branch}, begun from ${base}.` : 'It was made in your checkout.';
    const asked = question(`Finish ${run}: how?`, [where, ...warnings].join('\n'), {
      pull_request: 'push the branch and open a pull request',
      merge: own
        ? `merge it into ${base}, then remove worktree and branch`
        : 'the commits stay where they are; the feature is completed',
      keep: 'change nothing',
      discard: own
        ? 'give it up: remove worktree and branch (asks again)'
        : 'give it up; your checkout stays as it is (asks again)',
    });
    return { ...asked, data: { keep: data.note.set(`${run} is kept as it is`) } };
  },
};

export const decisions: Readonly<Record<string, (view: RunView) => FreeQuestion>> = {
  discard: ({ run, snapshot }) => {
    const branch = data.branch.of(snapshot);
    const lost =
      branch === null
        ? 'The feature is given up; your checkout stays as it is.'
        : `The worktree and the branch ${branch} are removed, with all commits that are nowhere else.`;
    const kept = `${run} is kept as it is`;
    return {
      title: `Type the name of the feature to discard it: ${run}`,
      detail: `${lost} Any other words keep it.`,
      about: textDigest(`${run}\n${lost}`),
      ownWords: false,
      suggestions: {},
      reAsks: 0,
      read: (words) =>
        words.trim() === run
          ? { answer: run, signal: 'confirmed' }
          : { answer: words.trim() || 'no', signal: 'declined', understood: kept, data: data.note.set(kept) },
    };
  },
};
