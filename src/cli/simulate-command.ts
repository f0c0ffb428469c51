/** `simulate`: estimates the runs of a workflow by chance, before one is begun. */

import { existsSync } from 'node:fs';
import { runKeys } from '../runs/find.ts';
import { refusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/work-order.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { equalOdds, type Odds } from '../simulation/odds.ts';
import { simulate as walkThrough } from '../simulation/simulated-runs.ts';
import type { JournalRecord } from '../store/record.ts';
import { misnamed } from '../verifier/proofs/routes.ts';
import type { Prices } from '../verifier/worst-case.ts';
import type { CommandInput } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import { repositoryIfAny, type CommandFunction } from './context.ts';
import { Problem, toProblem, usageError, type Diagnostic } from './problem.ts';
import { print, screenOf } from './show/screen.ts';
import { simulationText } from './show/simulation.ts';
import { shellWord } from '../documents/shell-word.ts';
import { oddsFromJournals, type JournalOdds } from './simulate/journal-odds.ts';
import { oddsText, readOdds } from './simulate/odds-file.ts';
import { oneWorkflow, projectHere } from './workflows.ts';

const runsUsual = 10_000;
const runsMax = 1_000_000;
/** Short enough to be typed again. */
const seedsUsual = 1_000_000;

export const simulate: CommandFunction = async ({ words: [name = ''], flags }, context) => {
  const runs = wholeFlag(flags, 'runs', { usual: runsUsual, min: 1, max: runsMax });
  const anySeed = Math.floor(Math.random() * seedsUsual);
  const seed = wholeFlag(flags, 'seed', { usual: anySeed, min: 0, max: Number.MAX_SAFE_INTEGER });
  const save = newFile(flags);
  const repository = repositoryIfAny(context);
  const { bundled } = context.workflows;
  const project = projectHere(bundled);
  const workflow = await oneWorkflow(name, bundled, project);
  const { machine } = workflow;
  const [misnaming] = misnamed(machine);
  if (misnaming) throw new Problem(refusal('WorkflowRefuted', misnaming.what, { fix: `pawl verify ${name}` }));
  const source = oddsFor(workflow, flags, repository);
  const odds = withPrices(source.odds, project.prices);
  const faults = flags['faults'] === true;
  const settings = workflow.settings(repository ? workspaceFiles(repository.root) : { read: () => undefined });
  const { dispatches, costUsd, wallMs: agentMs } = settings.spending;
  const spending = { dispatches, costUsd, agentMs };
  const simulation = walkThrough(machine, odds, { runs, seed, faults, limits: settings.limits, spending });
  const { from, about, file, journals, diagnostics } = source;
  const title = `${workflow.name}, ${from === 'nothing' ? 'nothing is known' : about}`;
  if (save !== null) writeAtomically(save, oddsText(odds, machine, title));
  const shared = { workflow: workflow.name, runs, seed, faults };
  const document = { ...shared, odds: { from, file, journals }, budget: spending, ...simulation, diagnostics };
  const warnings = diagnostics.map(({ message }) => message);
  const shown = { ...shared, odds: about, simulation, spending, warnings, again: againOf(name, runs, seed, flags) };
  return print(flags, document, simulationText(shown, screenOf(process.stdout)));
};

function againOf(workflow: string, runs: number, seed: number, flags: CommandInput['flags']): string {
  const kept = ['faults', 'from-journals', 'odds'].flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [value === true ? `--${name}` : `--${name} ${shellWord(value)}`];
  });
  return [`pawl simulate ${shellWord(workflow)} --runs ${runs} --seed ${seed}`, ...kept].join(' ');
}

function wholeFlag(
  flags: CommandInput['flags'],
  name: string,
  { usual, min, max }: { readonly usual: number; readonly min: number; readonly max: number },
): number {
  const given = flags[name];
  if (given === undefined) return usual;
  const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usageError(`--${name} is ${JSON.stringify(given)}`, `give a whole number from ${min} to ${max}`);
}

/** A file somebody may have edited is not overwritten. */
function newFile({ save }: CommandInput['flags']): string | null {
  if (typeof save !== 'string') return null;
  if (!existsSync(save)) return save;
  throw usageError(`the file ${save} already exists`, 'give --save another name, or move the file away', save);
}

interface OddsSource {
  readonly odds: Odds;
  readonly from: 'nothing' | 'file' | 'journals';
  readonly about: string;
  readonly file: string | null;
  readonly journals: Omit<JournalOdds, 'odds'> | null;
  readonly diagnostics: readonly Diagnostic[];
}

function oddsFor(workflow: Workflow, flags: CommandInput['flags'], repository: RunRepository | null): OddsSource {
  const { odds: file } = flags;
  const { name, machine } = workflow;
  if (flags['from-journals'] === true) {
    if (file === undefined) return oddsOfJournals(workflow, repository);
    throw usageError('--odds and --from-journals exclude each other', 'leave one of them out');
  }
  const none = { file: null, journals: null, diagnostics: [] };
  if (typeof file !== 'string') {
    const about =
      'none given: every signal of a state is equally likely, and people take the shortest path to the end; ' +
      'use --odds <file> or --from-journals for better odds';
    return { ...none, odds: equalOdds(machine), from: 'nothing', about };
  }
  const text = readText(file);
  if (text === undefined) throw usageError(`there is no file ${file}`, `pawl simulate ${name} --save ${file}`, file);
  return { ...none, odds: readOdds(text, file, machine), from: 'file', about: `from ${file}`, file };
}

function oddsOfJournals({ name, machine }: Workflow, repository: RunRepository | null): OddsSource {
  const { journals, diagnostics } = repository ? readJournals(repository, name) : { journals: [], diagnostics: [] };
  if (journals.length === 0) {
    const fix = diagnostics[0]?.message ?? `run ${name} first, or give --odds <file>`;
    throw new Problem(refusal('NoJournals', `there is no run of ${name} here to learn from`, { fix }));
  }
  const { odds, ...seen } = oddsFromJournals(machine, journals);
  const foreign = seen.foreignSteps === 0 ? '' : `; ${seen.foreignSteps} steps of another version are left out`;
  const counts = [counted(seen.steps, 'step'), counted(seen.dispatches, 'agent call')];
  const about = `from the journals of ${counted(seen.runs, 'run')}: ${counts.join(', ')}${foreign}`;
  return { odds, from: 'journals', about, file: null, journals: seen, diagnostics };
}

function readJournals(repository: RunRepository, workflow: string) {
  const journals: (readonly JournalRecord[])[] = [];
  const diagnostics: Diagnostic[] = [];
  const keys = runKeys(repository, workflow).toSorted((left, right) => (left.run < right.run ? -1 : 1));
  for (const key of keys) {
    try {
      const records = repository.store.records(key) ?? [];
      if (records.length > 0) journals.push(records);
    } catch (error) {
      const { code, message: why } = toProblem(error).diagnostic;
      const message = `the journal of ${key.run} is left out: ${why}`;
      diagnostics.push({ severity: 'warning', code, message, target: repository.store.folder(key), fix: null });
    }
  }
  return { journals, diagnostics };
}

function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/** A configured price is used where the odds have no cost; half of the typical one is taken as the least. */
function withPrices(odds: Odds, prices: Prices | null): Odds {
  const roles = Object.entries(odds.roles).map(([role, taking]) => {
    const price = prices?.[role];
    if (!price || taking.costUsd) return [role, taking] as const;
    return [role, { ...taking, costUsd: { least: price.typical / 2, ...price } }] as const;
  });
  return { ...odds, roles: Object.fromEntries(roles) };
}
