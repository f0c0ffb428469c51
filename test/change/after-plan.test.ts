import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stateOf, wantsImplementation } from '../../src/cli/change/after-plan.ts';
import type { Choice, Person } from '../../src/runtime/surroundings.ts';
import { challenge, ChangeRepository, listTasks, planned, propose, specify } from './scripts.ts';

/** A person who gives one answer, and remembers what they were asked. */
function personSaying(answer: string | null): { person: Person; asked: Choice[] } {
  const asked: Choice[] = [];
  return {
    asked,
    person: {
      ask: (choice) => {
        asked.push(choice);
        return Promise.resolve(answer);
      },
    },
  };
}

describe('[change/planning/approved-offers-next] the next step is offered', () => {
  test('once the challenger approved: implement, view or stop', async () => {
    const { repository, ...change } = await plannedBy(planned);
    const { person, asked } = personSaying('implement');
    expect(await wantsImplementation(change, undefined, () => person)).toBe(true);
    expect(asked).toMatchObject([
      {
        answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
        paths: ['proposal.md', 'specs/greeting.md', 'tasks.md'].map((name) => `agentd/changes/greet/${name}`),
      },
    ]);
    repository.remove();
  });

  test.each(['stop', null])('%s is a no', async (answer) => {
    const { repository, ...change } = await plannedBy(planned);
    expect(await wantsImplementation(change, undefined, () => personSaying(answer).person)).toBe(false);
    repository.remove();
  });

  test('not again for a plan that was approved before, and not for one that was rejected', async () => {
    const approved = await plannedBy(planned);
    const rejected = await plannedBy([propose(), specify(), listTasks(), challenge('rejected')]);
    const { person, asked } = personSaying('implement');
    expect(await wantsImplementation(approved, stateOf(approved), () => person)).toBe(false);
    expect(await wantsImplementation(rejected, undefined, () => person)).toBe(false);
    expect(asked).toEqual([]);
    approved.repository.remove();
    rejected.repository.remove();
  });
});

async function plannedBy(turns: typeof planned) {
  const change = ChangeRepository.create(turns);
  await change.change('plan', 'greet', 'Greet people');
  return { run: 'greet', commonDir: join(change.repository.root, '.git'), repository: change.repository };
}
