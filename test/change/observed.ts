/** What tests of the `change` workflow look at: repositories that go away, and what a command left behind. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { parse } from 'yaml';
import { ChangeRepository, config, type Turn } from './scripts.ts';

/** A repository that is removed when the test has ended. */
export function repositoryFor(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  turns: readonly Turn[] = [],
  settings = config,
): ChangeRepository {
  const change = ChangeRepository.create(turns, settings);
  onTestFinished(() => change.repository.remove());
  return change;
}

/** The settings of `config`, with more lines for `[workflow]` and more sections. */
export function settings(workflow: string, sections = ''): string {
  return `${config.replace('[workflow]\n', `[workflow]\n${workflow}\n`)}\n${sections}\n`;
}

type Document = Readonly<Record<string, any>>;

export function stepsOf({ dispatches }: Document): string[] {
  return (dispatches as { step: string }[]).map(({ step }) => step);
}

/** What STATE.yaml says. */
export function stateOf({ repository }: ChangeRepository, id: string): Document {
  return parse(repository.read(`agentd/changes/${id}/STATE.yaml`)) as Document;
}

/** The records of a run's journal. */
export function journalOf({ repository }: ChangeRepository, id: string): Document[] {
  return recordsIn(join(repository.runFolder('change', id), 'journal.jsonl'));
}

export function recordsIn(file: string): Document[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Document);
}

/** Everything under the repository's folder, git's own bookkeeping aside: to see that nothing was written. */
export function everything({ repository }: ChangeRepository): string[] {
  return readdirSync(repository.folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('repo/.git/') || path.startsWith('repo/.git/pawl'))
    .toSorted();
}

/** The opening tags of the reviews behind a proposal. */
export function reviewTags({ repository }: ChangeRepository, id: string): string[] {
  return repository.read(`agentd/changes/${id}/proposal.md`).match(/^<review .*>$/gm) ?? [];
}
