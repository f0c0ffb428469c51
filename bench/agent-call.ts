/** What Pawl takes around an agent: starting it, snapshots of the work tree, bounds, journal, its own start included. */

import { performance } from 'node:perf_hooks';
import { spawnSync } from 'node:child_process';
import { replay } from '../src/runtime/run-state.ts';
import { readJournal } from '../src/store/read-journal.ts';
import { AgentRun, run } from '../test/agents/agent-run.ts';
import { isInstalled } from '../test/agents/agents-cache.ts';
import { codexUnderTest } from '../test/agents/codex-under-test.ts';
import { planned } from '../test/change/scripts.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { newPlan, newRepository, plannedId } from './planned-repository.ts';
import { summarize } from './rounds.ts';

const rounds = 7;

export const agentCall: Benchmark = {
  name: 'call',
  about: 'what Pawl adds to an agent call, against node -e 0',
  measure: async () => {
    const found = [await measured('an agent call, outside of the agent (goal: 100 ms)', planWithScript)];
    if (['codex', 'node'].every(isInstalled)) {
      found.push(await measured('the same with the real Codex', planWithCodex));
    } else {
      process.stderr.write(
        'call: Codex is not installed, so only the scripted agent is measured; npm run test:agents\n',
      );
    }
    return found;
  },
};

/** The folder of a run whose plan was just made. */
type Plan = () => Promise<{ readonly folder: string; readonly wallMs: number; readonly close: () => Promise<unknown> }>;

async function measured(what: string, plan: Plan): Promise<Measured> {
  const baselines: number[] = [];
  const subjects: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    const baseline = performance.now() - started;
    const { folder, wallMs, close } = await plan();
    const history = replay(readJournal(folder) ?? [])?.history ?? [];
    await close();
    const agents = history.reduce((sum, { ms }) => sum + ms, 0);
    // The first one warms up.
    if (round === 0) continue;
    baselines.push(baseline);
    subjects.push((wallMs - agents) / history.length);
  }
  return { what, unit: 'ms wall', ...summarize(baselines, subjects), ratioMax: null };
}

const planWithScript: Plan = async () => {
  const repository = newRepository();
  const begin = performance.now();
  await newPlan(repository);
  const wallMs = performance.now() - begin;
  return { folder: repository.runFolder('change', plannedId), wallMs, close: () => Promise.resolve() };
};

const planWithCodex: Plan = async () => {
  const work = await AgentRun.create(codexUnderTest(), planned);
  // The first command of a day asks the program for its version.
  await work.pawl(['change', 'plan', 'warm-up', 'Greet people by name']);
  work.play(planned);
  const begin = performance.now();
  const { code, stderr } = await work.change('plan', 'Greet people by name');
  const wallMs = performance.now() - begin;
  if (code !== 0) throw new Error(`the plan with Codex ended with exit code ${code}:\n${stderr}`);
  return { folder: work.repository.runFolder('change', run), wallMs, close: () => work.close() };
};
