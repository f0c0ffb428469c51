/** Repositories to measure in: a change planned by the bundled rehearsal, the same with a long journal, and many changes. */

import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { replay } from '../src/runtime/run-state.ts';
import { Run } from '../src/runtime/run.ts';
import { readJournal } from '../src/store/read-journal.ts';
import { encodeRecord, type JournalRecord } from '../src/store/record.ts';
import { ScratchRepository } from '../src/testing/scratch-repository.ts';
import { scratchStore } from '../test/scratch-store.ts';
import { change } from '../src/workflows/change/change.ts';
import { ChangeFixture, plannedChange } from '../src/workflows/change/change.fixture.ts';
import { changeFolder } from '../src/workflows/change/change-paths.ts';
import { toolArguments } from '../src/workflows/change/tool-arguments.ts';
import { host } from './without-agents.ts';

export const program = resolve('dist/pawl.js');
export const plannedId = 'add-limit';

const made: ScratchRepository[] = [];
let planned: Promise<ScratchRepository> | undefined;

/** A change in phase `challenged`, after seven dispatches of the scripted agent. */
export function plannedRepository(): Promise<ScratchRepository> {
  planned ??= newPlan();
  return planned;
}

/** Without the sandbox, unless the variables say otherwise: it is measured by itself. */
export async function newPlan(
  repository = newRepository(),
  env: Readonly<Record<string, string>> = { PAWL_SANDBOX: 'off' },
): Promise<ScratchRepository> {
  const args = ['change', 'plan', plannedId, 'Slugs get a maximum length', '--agent', 'scripted', '--no-input'];
  const { code, stderr } = await repository.pawl(args, { env });
  if (code !== 0) throw new Error(`the plan ended with exit code ${code}:\n${stderr}`);
  return repository;
}

export function newRepository(): ScratchRepository {
  const repository = ScratchRepository.create(program, {});
  made.push(repository);
  return repository;
}

/** Another repository with this many changes, each planned, found unchanged by another `plan` and at rest. */
export async function repositoryOfMany(count: number, plan = smallPlan()): Promise<ScratchRepository> {
  const source = await plannedRepository();
  const planned = replay(readJournal(source.runFolder('change', plannedId)) ?? []);
  if (!planned) throw new Error('the planned change has no journal');
  const many = newRepository();
  const commonDir = join(many.root, '.git');
  const store = scratchStore(join(commonDir, 'pawl'));
  for (let number = 1; number <= count; number += 1) {
    const run = `change-${String(number).padStart(5, '0')}`;
    for (const [name, text] of plan) many.write(`${changeFolder(run)}/${name}`, named(text, run));
    const place = { workflow: change, run, store, workspace: many.root, commonDir };
    const opened = Run.open(place, host, { input: {}, limits: {}, snapshot: planned.snapshot });
    opened.move({ name: 'plan' });
    opened.move({ name: 'unchanged' });
    opened.project();
    opened.close();
  }
  return many;
}

/** A proposal, one spec and its tasks, as the planner's tools write them from their own examples. */
function smallPlan(): [string, string][] {
  const change = new ChangeFixture();
  change.callExample('create_proposal', { affected_specs: [{ id: 'tokens', depends: [] }] });
  change.callExample('create_spec');
  change.callExample('create_tasks');
  return textsOf(change);
}

/** The same with two specs, five tasks that depend on each other, and two reviews. */
export function largerPlan(): [string, string][] {
  const change = plannedChange();
  const [task] = toolArguments.create_tasks.example.tasks;
  const tasks = ['1.1', '1.2', '1.3', '2.1', '2.2'].map((id, index, all) => ({
    ...task,
    id,
    layer: id.startsWith('1') ? 'data' : 'logic',
    depends_on: all.slice(Math.max(0, index - 1), index),
  }));
  change.callExample('create_tasks', { tasks });
  const reviewing = { step: 'challenge', role: 'challenger' };
  change.callExample('append_review', {}, reviewing);
  change.callExample('append_review', { summary: 'The gap is still there.' }, reviewing);
  return textsOf(change);
}

function textsOf({ files, id }: ChangeFixture): [string, string][] {
  return [...files].map(([path, text]) => [path.replace(`${changeFolder(id)}/`, ''), text]);
}

function named(text: string, id: string): string {
  return text.replaceAll(plannedId, id).replaceAll('add-login', id);
}

/** A copy of the planned change whose journal has this many records: it was edited and challenged again and again. */
export async function repositoryWithRecords(count: number): Promise<ScratchRepository> {
  const source = await plannedRepository();
  const copy = new ScratchRepository(program);
  made.push(copy);
  cpSync(source.folder, copy.folder, { recursive: true });
  const records = readJournal(source.runFolder('change', plannedId)) ?? [];
  const round = roundOf(records);
  const all = [...records];
  while (all.length < count) all.push(...round);
  writeFileSync(join(copy.runFolder('change', plannedId), 'journal.jsonl'), journalText(all));
  return copy;
}

/** From the command that finds the plan edited to its approval, with the report that was filed and the document it went into. */
function roundOf(records: readonly JournalRecord[]): JournalRecord[] {
  const last = records.findLastIndex((record) => record.type === 'moved' && record.from === 'validate');
  return [...editedPlan(records), ...records.slice(last)];
}

/** What `plan` records when a plan was edited after its approval. */
function editedPlan(records: readonly JournalRecord[]): JournalRecord[] {
  const [, command] = records;
  if (command?.type !== 'moved') throw new Error('the journal does not begin with a command');
  const { by: _person, ...moved } = command;
  const step = (from: string, signal: string, state: string): JournalRecord => ({
    ...moved,
    from,
    signal,
    change: { state, outcome: null },
  });
  return [
    { ...command, from: 'challenged', change: { ...command.change, state: 'compare_approved' } },
    step('compare_approved', 'changed', 'survey'),
    step('survey', 'complete', 'validate'),
  ];
}

function journalText(records: readonly JournalRecord[]): string {
  const begin = Date.parse(records[0]?.at ?? '');
  const lines: string[] = [];
  let last = '';
  for (const [index, record] of records.entries()) {
    const at = new Date(begin + index * 100).toISOString();
    const { line, sum } = encodeRecord({ ...record, seq: index + 1, at }, last);
    lines.push(line);
    last = sum;
  }
  return lines.join('');
}

export function dispose(): void {
  for (const repository of made) repository.remove();
}
