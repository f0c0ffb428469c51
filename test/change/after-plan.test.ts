import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contextFor } from '../../src/cli/context.ts';
import { storeOf } from '../../src/cli/local-store.ts';
import { compose } from '../../src/cli/compose.ts';
import { accepted } from '../../src/cli/problem.ts';
import { runCommand } from '../../src/runs/run-command.ts';
import { readRunState } from '../../src/runtime/run-state.ts';
import { workspaceFiles } from '../../src/runtime/workspace-files.ts';
import { bundled } from '../../src/workflows/bundled.ts';
import { change } from '../../src/workflows/change/change.ts';
import { plan } from '../../src/workflows/change/intents.ts';
import { changeSurface } from '../../src/workflows/change/surface.ts';
import type { Offer } from '../../src/workflows/workflow.ts';
import { challenge, ChangeRepository, listTasks, planned, propose, specify } from './scripts.ts';

describe('[change/planning/approved-offers-next] the next step is offered', () => {
  test('once the challenger approved: implement, view or stop', async () => {
    const { root, remove } = await plannedBy(planned);
    const offer = offerIn(root);
    expect(offer).toMatchObject({
      question: {
        answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
        paths: ['proposal.md', 'specs/greeting.md', 'tasks.md'].map((name) => `agentd/changes/greet/${name}`),
      },
    });
    expect(offer?.next).toEqual({ implement: { verb: 'impl', words: ['greet'] } });
    remove();
  });

  test('not again for a plan that was approved before, and not for one that was rejected', async () => {
    const approved = await plannedBy(planned);
    const rejected = await plannedBy([propose(), specify(), listTasks(), challenge('rejected')]);
    expect(await planAgain(approved.root)).toMatchObject({ rest: { outcome: 'done' }, offer: null });
    expect(offerIn(rejected.root)).toBeNull();
    approved.remove();
    rejected.remove();
  });
});

async function plannedBy(turns: typeof planned) {
  const repository = ChangeRepository.create(turns);
  await repository.change('plan', 'greet', 'Greet people');
  return { root: repository.repository.root, remove: () => repository.repository.remove() };
}

function offerIn(root: string): Offer | null {
  const state = readRunState(storeOf(join(root, '.git'), bundled), { workflow: 'change', run: 'greet' });
  if (!state) throw new Error('there is no run');
  const { snapshot, history, changedAt: at } = state;
  return change.offer?.({ run: 'greet', snapshot, history, at, files: workspaceFiles(root) }) ?? null;
}

async function planAgain(root: string) {
  const here = contextFor({ name: '', about: '', words: [], flags: {} }, bundled, () => root).repository();
  const intent = plan({ words: ['greet'], flags: {} });
  if (intent.kind !== 'command' || typeof intent.run !== 'string') throw new Error('planning is a command');
  const interrupted = new AbortController().signal;
  const host = compose({ surfaces: [], person: null, observe: () => {}, interrupted });
  const caller = { host, interrupt: () => {}, notify: () => {}, untrusted: () => Promise.resolve(null) };
  try {
    const order = { repository: here, surface: changeSurface, run: intent.run, intent, choices: {}, caller };
    return accepted(await runCommand(order));
  } finally {
    await host.close();
  }
}
