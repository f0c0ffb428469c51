/** `simulate`: what runs of a workflow come to, by chance, before one is begun. */

import { existsSync } from 'node:fs';
import type { JournalRecord } from '../store/record.ts';
import { runKeys } from '../runs/find.ts';
import type { RunRepository } from '../runs/run-repository.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { equalOdds, type Odds } from '../simulation/odds.ts';
import { simulate as walkThrough, type Simulation, type Spending } from '../simulation/simulated-runs.ts';
import { misnamed } from '../verifier/structure.ts';
import type { Prices } from '../verifier/worst-case.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import type { CommandFunction } from './verb.ts';
import { repositoryIfAny } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import type { Given } from './options.ts';
import { Problem, toProblem, type Diagnostic } from './problem.ts';
import { screenOf } from './show/screen.ts';
import { simulationText } from './show/simulation.ts';
import { oddsFromJournals, type JournalOdds } from './simulate/journal-odds.ts';
import { readOdds } from './simulate/odds-file.ts';
import { oddsText } from './simulate/odds-text.ts';
import { projectHere, workflowsNamed } from './workflows.ts';

const runsUsual = 10_000;
const runsMax = 1_000_000;

export const simulate: CommandFunction = async ({ words: [name], flags }, context) => {
  const runs = wholeFlag(flags, 'runs', { otherwise: runsUsual, min: 1, max: runsMax });
  const seed = wholeFlag(flags, 'seed', {
    otherwise: Math.floor(Math.random() * seedsUsual),
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  });
  const save = newFile(flags);
  const repository = repositoryIfAny(context);
  const { bundled } = context.workflows;
  const project = projectHere(bundled);
  const [workflow] = await workflowsNamed(name, bundled, project);
  if (!workflow) throw new Problem('unknown_workflow', 'there is no workflow to simulate');
  const [misnaming] = misnamed(workflow.machine);
  if (misnaming) throw new Problem('refuted', misnaming.what, { fix: `pawl verify ${name} says more` });
  const told = oddsFor(workflow, flags, repository);
  const odds = withPrices(told.odds, project.prices);
  const { limits, spending } = settingsOf(workflow, repository);
  const faults = flags['faults'] === true;
  const simulation = walkThrough(workflow.machine, odds, { runs, seed, faults, limits, spending });
  if (save !== null)
    writeAtomically(
      save,
      oddsText(
        odds,
        workflow.machine,
        `${workflow.name}, ${told.from === 'nothing' ? 'nothing is known' : told.about}`,
      ),
    );
  const screen = screenOf(process.stdout);
  const again = againOf(name ?? workflow.name, { runs, seed, flags });
  const warnings = told.diagnostics.map(({ message }) => message);
  const shown = { workflow: workflow.name, seed, faults, odds: told.about, simulation, spending, warnings, again };
  screen.write(
    flags['json']
      ? `${JSON.stringify(documentOf({ workflow, seed, faults, told, spending, simulation }))}\n`
      : simulationText(shown, screen),
  );
  return exitCodes.done;
};

function againOf(
  workflow: string,
  { runs, seed, flags }: { runs: number; seed: number; flags: Given['flags'] },
): string {
  const told = Object.entries(flags).flatMap(([name, value]) =>
    ['faults', 'from-journals', 'odds'].includes(name)
      ? [value === true ? `--${name}` : `--${name} ${typed(value)}`]
      : [],
  );
  return [`pawl simulate ${typed(workflow)} --runs ${runs} --seed ${seed}`, ...told].join(' ');
}

function typed(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Short enough to be typed again. */
const seedsUsual = 1_000_000;

function wholeFlag(
  flags: Given['flags'],
  name: string,
  { otherwise, min, max }: { readonly otherwise: number; readonly min: number; readonly max: number },
): number {
  const given = flags[name];
  if (given === undefined) return otherwise;
  const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Problem('usage', `--${name} is ${JSON.stringify(given)}`, {
    fix: `give a whole number from ${min} to ${max}`,
  });
}

/** A file somebody may have edited is not written over. */
function newFile(flags: Given['flags']): string | null {
  const { save } = flags;
  if (typeof save !== 'string') return null;
  if (!existsSync(save)) return save;
  throw new Problem('usage', `there is a file ${save} already`, {
    target: save,
    fix: 'give --save another name, or move the file away',
  });
}

interface Told {
  readonly odds: Odds;
  readonly from: 'nothing' | 'file' | 'journals';
  /** Where they come from, for people. */
  readonly about: string;
  readonly file: string | null;
  readonly journals: Omit<JournalOdds, 'odds'> | null;
  readonly diagnostics: readonly Diagnostic[];
}

function oddsFor(workflow: Workflow, flags: Given['flags'], repository: RunRepository | null): Told {
  const { odds: file } = flags;
  const { machine } = workflow;
  if (flags['from-journals'] === true) {
    if (file === undefined) return oddsOfJournals(workflow, repository);
    throw new Problem('usage', 'there are --odds and --from-journals', {
      fix: 'give one of them; --from-journals --save FILE writes what the journals say as a file to edit',
    });
  }
  const none = { file: null, journals: null, diagnostics: [] };
  if (typeof file !== 'string') {
    const about =
      'nothing is known, so every signal of a state is as likely as the next, and people take the shortest way ' +
      'to the end; --odds FILE or --from-journals tell more';
    return { ...none, odds: equalOdds(machine), from: 'nothing', about };
  }
  const text = readText(file);
  if (text === undefined) {
    throw new Problem('usage', `there is no file ${file}`, {
      target: file,
      fix: `pawl simulate ${workflow.name} --save ${file} writes one to begin with`,
    });
  }
  return { ...none, odds: readOdds(text, file, machine), from: 'file', about: `from ${file}`, file };
}

function oddsOfJournals({ name, machine }: Workflow, repository: RunRepository | null): Told {
  const { journals, diagnostics } = repository ? readJournals(repository, name) : { journals: [], diagnostics: [] };
  if (journals.length === 0) {
    const [unreadable] = diagnostics;
    throw new Problem('no_journals', `there is no run of ${name} here to learn from`, {
      fix: unreadable ? unreadable.message : 'run it first, or give --odds FILE',
    });
  }
  const { odds, ...seen } = oddsFromJournals(machine, journals);
  const foreign = seen.foreignSteps === 0 ? '' : `; ${seen.foreignSteps} steps of another version are left out`;
  const about = `from the journals of ${counted(seen.runs, 'run')}: ${counted(seen.steps, 'step')}, ${counted(seen.dispatches, 'dispatch', 'dispatches')}${foreign}`;
  return { odds, from: 'journals', about, file: null, journals: seen, diagnostics };
}

function readJournals(
  repository: RunRepository,
  workflow: string,
): { journals: (readonly JournalRecord[])[]; diagnostics: Diagnostic[] } {
  const journals: (readonly JournalRecord[])[] = [];
  const diagnostics: Diagnostic[] = [];
  const keys = runKeys(repository, workflow).toSorted((left, right) => (left.run < right.run ? -1 : 1));
  for (const key of keys) {
    try {
      const records = repository.store.records(key) ?? [];
      if (records.length > 0) journals.push(records);
    } catch (error) {
      const { code, message } = toProblem(error).diagnostic;
      diagnostics.push({
        severity: 'warning',
        code,
        message: `the journal of ${key.run} is left out: ${message}`,
        target: repository.store.folder(key),
        fix: null,
      });
    }
  }
  return { journals, diagnostics };
}

function counted(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}

/** A price that is configured stands in where the odds know no cost; half of the usual is taken as the least. */
function withPrices(odds: Odds, prices: Prices | null): Odds {
  const roles = Object.entries(odds.roles).map(([role, taking]) => {
    const price = prices?.[role];
    if (!price || taking.costUsd) return [role, taking] as const;
    return [role, { ...taking, costUsd: { least: price.typical / 2, ...price } }] as const;
  });
  return { ...odds, roles: Object.fromEntries(roles) };
}

function settingsOf(
  workflow: Workflow,
  repository: RunRepository | null,
): { limits: Readonly<Record<string, number>>; spending: Spending } {
  const files = repository ? workspaceFiles(repository.root) : { read: () => undefined };
  const { limits, spending } = workflow.settings(files);
  const { dispatches, costUsd, wallMs: agentMs } = spending;
  return { limits, spending: { dispatches, costUsd, agentMs } };
}

interface Documented {
  readonly workflow: Workflow;
  readonly seed: number;
  readonly faults: boolean;
  readonly told: Told;
  readonly spending: Spending;
  readonly simulation: Simulation;
}

function documentOf({ workflow, seed, faults, told, spending, simulation }: Documented): Record<string, unknown> {
  const { from, file, journals, diagnostics } = told;
  const { runs, ...figures } = simulation;
  return {
    workflow: workflow.name,
    runs,
    seed,
    faults,
    odds: { from, file, journals },
    budget: spending,
    ...figures,
    diagnostics,
  };
}
