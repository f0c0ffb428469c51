/** Commands on a run, carried out on a simulated computer by the real runtime. */

import { workspaceFiles } from '../../src/runtime/workspace-files.ts';
import { join } from 'node:path';
import { parseScript } from '../../src/agents/scripted/scripted.ts';
import type { Turn } from '../../src/agents/scripted/turn.ts';
import type { Disk } from '../../src/disk/disk.ts';
import type { Json } from '../../src/engine/snapshot.ts';
import { answer, pendingDecision, answerIn } from '../../src/runtime/answering.ts';
import { command, drive, isUnderWay, type Rest } from '../../src/runtime/drive.ts';
import { projectAtRest } from '../../src/runtime/state-writing.ts';
import { recover } from '../../src/runtime/recover.ts';
import { replay, runStateVersion, type RunState } from '../../src/runtime/run-state.ts';
import { Run } from '../../src/runtime/run.ts';
import type { Host } from '../../src/runtime/host.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { readJournal } from '../../src/store/read-journal.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import type { Workflow } from '../../src/workflows/workflow.ts';
import { listFiles } from '../../src/workspace/files.ts';
import { fileRemains, stateRemains } from '../../src/testing/crash-kit.ts';
import { simulatedComputer, type ProjectCommands, type SimulatedComputer } from './simulated-computer.ts';
import { branchOn, CommitObjects, simulatedHistory, simulatedLanding } from './simulated-history.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { TreeObjects } from './simulated-tree.ts';

export interface SimulatedLife {
  readonly workflow: Workflow;
  readonly run: string;
  /** The repository before the first command. */
  readonly files: Readonly<Record<string, string>>;
  /** What the agents do, as a script for the scripted agent. */
  readonly script: string;
  readonly commands: readonly SimulatedCommand[];
  readonly projectCommands?: ProjectCommands;
  /** The disk as processes see it, for one that does not keep what it promises. */
  readonly seenAs?: (disk: Disk) => Disk;
}

export interface SimulatedCommand {
  readonly name: string;
  /** The command whose end it begins from; else that of the one before it. */
  readonly from?: string;
  readonly does: Deed;
  /** Answers written down beforehand, by decision. */
  readonly prepared?: Readonly<Record<string, readonly string[]>>;
}

export type Deed =
  /** `times`: it is not given again once it is on record so often, where it would begin something anew. */
  | { readonly command: string; readonly args?: Readonly<Record<string, Json>>; readonly times?: number }
  /** Begins a run: given again, it goes on with the run that is there. */
  | { readonly begin: string; readonly args?: Readonly<Record<string, Json>> }
  | { readonly decision: string; readonly answer: string }
  | 'resume';

/** A process: who it is, where it runs, and what it finds. */
export interface SimulatedProcess {
  readonly pid: number;
  readonly boot: string;
  readonly computer: SimulatedComputer;
  readonly now: () => number;
  readonly interrupted?: AbortSignal;
}

export const workspaceRoot = '/repo';
const commonDir = '/repo/.git';

export function freshDisk({ files }: SimulatedLife, now: () => number): SimulatedDisk {
  const disk = new SimulatedDisk(now);
  disk.mkdir(commonDir);
  for (const [path, content] of Object.entries(files)) {
    disk.mkdir(join(workspaceRoot, path, '..'));
    disk.writeFile(join(workspaceRoot, path), content);
  }
  return disk.afterKill(disk.instants);
}

/** What outlives every process of a life. */
export interface Outside {
  readonly turns: readonly Turn[];
  readonly objects: TreeObjects;
  readonly commits: CommitObjects;
}

export function outsideOf({ script, files }: SimulatedLife): Outside {
  return { turns: parseScript(script, 'script'), objects: new TreeObjects(), commits: new CommitObjects(files) };
}

export function computerOn(
  disk: SimulatedDisk,
  { projectCommands, seenAs = (seen) => seen }: SimulatedLife,
  { turns, objects, commits }: Outside,
): SimulatedComputer {
  const seen = seenAs(disk);
  const computer = simulatedComputer(seen, { turns, objects, ...(projectCommands && { commands: projectCommands }) });
  return {
    ...computer,
    history: (root) => simulatedHistory(seen, { root, commonDir }, commits),
    landing: () => Promise.resolve(simulatedLanding(seen, commonDir, commits)),
  };
}

/** Throws where a person would have to say how to go on. */
export async function carryOut(life: SimulatedLife, does: SimulatedCommand, process: SimulatedProcess): Promise<Rest> {
  const run = open(life, does, process);
  try {
    run.held.drop();
    const interrupted = isUnderWay(run);
    const recovery = await recover(run, undefined);
    if (recovery.kind !== 'ready') throw new Error(`a person is needed: ${recovery.message}`);
    const edited = run.records.at(-1)?.type === 'state.edited';
    if (edited) throw new Error('the state file was taken for an edit');
    return await deliver(run, does.does, interrupted);
  } finally {
    run.close();
  }
}

function open({ workflow, run }: SimulatedLife, { prepared }: SimulatedCommand, process: SimulatedProcess): Run {
  const { computer, now } = process;
  const store = storeOn(process);
  const stateFile = workflow.stateFile(run);
  const host: Host = {
    ...computer,
    agent: () => Promise.resolve(computer.agent.agent),
    installed: () => [],
    toolServer: () => Promise.resolve(computer.agent.toolServer),
    person: null,
    ...(prepared && { prepared: { answerTo: (decision, nth) => prepared[decision]?.[nth] } }),
    observe: () => {},
    now,
    sleep: () => Promise.resolve(),
    interrupted: process.interrupted ?? new AbortController().signal,
    user: 'ada',
  };
  const place = { workflow, run, store, workspace: workspaceRoot, commonDir };
  const { limits } = workflow.settings(workspaceFiles(workspaceRoot, computer.disk));
  const begun = store.has({ workflow: workflow.name, run });
  const opened = Run.open(place, host, { input: {}, limits });
  const path = stateFile.path(opened.view());
  if (begun || !computer.disk.exists(join(workspaceRoot, path))) return opened;
  opened.close();
  throw new Error(`${path} is there, and its journal is lost`);
}

const chosen = { agent: 'scripted' };

async function deliver(run: Run, does: Deed, interrupted: boolean): Promise<Rest> {
  if (typeof does === 'object' && 'decision' in does) return decide(run, does);
  if (interrupted || does === 'resume') return drive(run, chosen);
  const isNew = run.state.snapshot.state === run.workflow.machine.initial;
  if ('begin' in does && !isNew) return drive(run, chosen);
  const name = 'begin' in does ? does.begin : does.command;
  const given = run.records.filter((record) => record.type === 'moved' && record.signal === name).length;
  if ('times' in does && does.times !== undefined && given >= does.times) return drive(run, chosen);
  const signal = run.workflow.enter(name, { ...does.args }, run.view());
  if ('fix' in signal) throw new Error(signal.message);
  return command(run, { ...signal, limits: { ...run.settings.limits, ...signal.limits } }, chosen);
}

/** As `pawl answer` does it: one answer, and nothing is set to work. */
function decide(run: Run, { decision, answer: words }: { decision: string; answer: string }): Rest {
  const pending = pendingDecision(run);
  const free = pending?.question.freeText;
  const isOpen = free ? free.parts.some(({ id }) => id === decision) : pending?.id === decision;
  if (pending && isOpen) {
    const taken = answer(run, pending, { decision, answer: words, how: 'answer' });
    if (taken.kind !== 'recorded') throw new Error(`${words} is not taken`);
  }
  projectAtRest(run);
  return { outcome: 'done', refusal: null, decision: null };
}

function storeOn({ pid, boot, computer, now }: SimulatedProcess): FileStore<RunState> {
  const self = { pid, startedAt: '1', host: 'here', bootId: boot, pidNamespace: '1' };
  return new FileStore(join(commonDir, 'pawl'), {
    disk: computer.disk,
    self,
    livenessOf: (owner) => (owner.pid === pid && owner.bootId === boot ? 'alive' : 'dead'),
    now,
    stateVersion: runStateVersion,
    seals: { folder: '/home/state/seals', boot: () => boot },
  });
}

export interface SimulatedRemains {
  readonly outcome: string;
  readonly files: Readonly<Record<string, string>>;
  readonly state: unknown;
  /** Every answer that is on record, in order. */
  readonly answers: readonly string[];
  readonly commits: string;
}

export function remainsOn(disk: SimulatedDisk, records: readonly JournalRecord[], { outcome }: Rest): SimulatedRemains {
  const answers = records.map(answerIn).filter((each) => each !== null);
  const paths = listFiles(workspaceRoot, '', disk);
  return {
    outcome,
    files: fileRemains(paths.map((path) => [path, disk.readFile(join(workspaceRoot, path)).toString()] as const)),
    state: stateRemains(replay(records)),
    answers: answers.map(({ decision, answer: words }) => `${decision}: ${words}`),
    commits: branchOn(disk, commonDir).join('\n'),
  };
}

export function runFolderOf({ workflow, run }: SimulatedLife): string {
  return join(commonDir, 'pawl', workflow.name, run);
}

export function recordsOn(disk: SimulatedDisk, life: SimulatedLife): readonly JournalRecord[] {
  return readJournal(runFolderOf(life), disk) ?? [];
}
