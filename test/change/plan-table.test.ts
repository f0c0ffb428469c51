import { describe, expect, test } from 'vitest';
import { everything, repositoryFor, reviewTags, stateOf, stepsOf } from './observed.ts';
import { challenge, implement, issue, listTasks, planned, review, specify, type ChangeRepository } from './scripts.ts';

/** The script has no turn left, so any dispatch would fail. */
async function expectNoDispatch(change: ChangeRepository, exit: number): Promise<Record<string, any>> {
  const before = (await change.pawl('change', 'status', 'greet')).json['dispatches'];
  const ran = await change.change('plan', 'greet');
  expect(ran.code).toBe(exit);
  expect(ran.json['dispatches']).toHaveLength(before.length);
  return ran.json;
}

/** The run's own folder aside. */
function inWorkTree(change: ChangeRepository): string[] {
  return everything(change).filter((path) => !path.startsWith('repo/.git/'));
}

const rejection = challenge('rejected', [{ ...issue, title: 'Nobody wants this', severity: 'High' }]);
const proposalPath = 'agentd/changes/greet/proposal.md';

function edit({ repository }: ChangeRepository, path: string, from: string, to: string): void {
  const text = repository.read(path);
  expect(text).toContain(from);
  repository.write(path, text.replace(from, to));
}

describe.concurrent('plan, row by row', () => {
  test('[change/table/plan-new] without STATE.yaml: a description is needed; proposal, specs and tasks are generated, then challenged', async (context) => {
    const change = repositoryFor(context, planned);
    const before = everything(change);
    for (const description of [[], [''], ['  ']]) {
      const { code, json } = await change.change('plan', 'greet', ...description);
      expect(code).toBe(2);
      expect(json['diagnostics'][0]).toMatchObject({ code: 'DescriptionMissing' });
    }
    expect(everything(change)).toEqual(before);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
    expect(json).toMatchObject({ action: 'challenged', phase: 'challenged', verdict: 'APPROVED' });
  });

  test('[change/table/plan-proposed] in proposed: whatever of the plan is missing is generated, then it is challenged', async (context) => {
    const change = repositoryFor(context, planned);
    const { repository } = change;
    await change.change('plan', 'greet', 'Greet by name');
    const propose = () => edit(change, 'agentd/changes/greet/STATE.yaml', 'phase: challenged', 'phase: proposed');
    const planAgain = async (missing: string[]) => {
      for (const path of missing) repository.git('clean', '-fdq', `agentd/changes/greet/${path}`);
      propose();
      const before = (await change.pawl('change', 'status', 'greet')).json['dispatches'].length;
      const ran = await change.change('plan', 'greet');
      expect(ran).toMatchObject({ code: 0, json: { phase: 'challenged' } });
      return stepsOf(ran.json).slice(before);
    };
    change.script([
      ...planned,
      challenge('approved'),
      listTasks(),
      challenge('approved'),
      specify(),
      challenge('approved'),
    ]);
    expect(await planAgain([])).toEqual(['challenge']);
    expect(await planAgain(['tasks.md'])).toEqual(['list_tasks', 'challenge']);
    change.script([
      ...planned,
      challenge('approved'),
      listTasks(),
      challenge('approved'),
      specify(),
      listTasks(),
      challenge('approved'),
    ]);
    expect(await planAgain(['specs', 'tasks.md'])).toEqual(['specify', 'list_tasks', 'challenge']);
  });

  test('[change/table/plan-proposed] a missing spec alone is generated, and the tasks that are there stay', async (context) => {
    const change = repositoryFor(context, [...planned, specify(), challenge('approved')]);
    const { repository } = change;
    await change.change('plan', 'greet', 'Greet by name');
    edit(change, 'agentd/changes/greet/STATE.yaml', 'phase: challenged', 'phase: proposed');
    edit(change, 'agentd/changes/greet/tasks.md', 'Write it.', 'Write it by hand.');
    repository.git('clean', '-fdq', 'agentd/changes/greet/specs');
    const { code, json } = await change.change('plan', 'greet');
    expect(code).toBe(0);
    expect(stepsOf(json).slice(4)).toEqual(['specify', 'challenge']);
    expect(repository.read('agentd/changes/greet/tasks.md')).toContain('Write it by hand.');
  });

  test('[change/table/plan-challenged] in challenged: says so, names the next command, exit 0', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    const json = await expectNoDispatch(change, 0);
    expect(json).toMatchObject({ action: 'challenged', phase: 'challenged', next: 'pawl change impl greet' });
    expect(reviewTags(change, 'greet')).toHaveLength(1);
  });

  test('[change/approval/bound-to-plan] in challenged with edited documents: back to proposed, and challenged again', async (context) => {
    const seen = {
      ...challenge('approved'),
      run: ['cp agentd/changes/greet/STATE.yaml ../state-while-challenged.yaml'],
    };
    const change = repositoryFor(context, [...planned, seen, challenge('approved'), challenge('approved')]);
    await change.change('plan', 'greet', 'Greet by name');
    const edits = [
      [proposalPath, 'A greeting without a name is cold.', 'A greeting without a name is rude.'],
      ['agentd/changes/greet/specs/greeting.md', 'contains the name', 'begins with the name'],
      ['agentd/changes/greet/tasks.md', 'Write it.', 'Write it twice.'],
    ] as const;
    for (const [index, [path, from, to]] of edits.entries()) {
      edit(change, path, from, to);
      const { code, json } = await change.change('plan', 'greet');
      expect(code, path).toBe(0);
      expect(stepsOf(json).slice(4), path).toEqual(edits.slice(0, index + 1).map(() => 'challenge'));
    }
    expect(change.repository.read('../state-while-challenged.yaml')).toMatch(/^phase: proposed$/m);
    expect(reviewTags(change, 'greet')).toHaveLength(4);
    await expectNoDispatch(change, 0);
  });

  test('[change/approval/bound-to-plan] a review block or the status of a task is no edit of the plan', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    edit(change, proposalPath, 'The plan is approved.', 'The plan is approved, gladly.');
    edit(change, 'agentd/changes/greet/tasks.md', 'status: pending', 'status: in_progress');
    expect(await expectNoDispatch(change, 0)).toMatchObject({ phase: 'challenged' });
  });

  test('[change/table/plan-rejected-unchanged] in rejected, nothing changed: shows the rejection, exit 3', async (context) => {
    const change = repositoryFor(context, [...planned.slice(0, 3), rejection]);
    await change.change('plan', 'greet', 'Greet by name');
    const json = await expectNoDispatch(change, 3);
    expect(json).toMatchObject({
      action: 'rejected',
      phase: 'rejected',
      verdict: 'REJECTED',
      next: 'pawl change plan greet',
    });
    const [diagnostic] = json['diagnostics'];
    expect(diagnostic).toMatchObject({ code: 'rejected' });
    for (const words of ['The plan is rejected.', 'High: Nobody wants this', proposalPath]) {
      expect(diagnostic.message).toContain(words);
    }
  });

  test('[change/rejected/compares-checksums] in rejected: a touched file, a review block and an edit taken back are no changes', async (context) => {
    const change = repositoryFor(context, [...planned.slice(0, 3), rejection]);
    const { repository } = change;
    await change.change('plan', 'greet', 'Greet by name');
    repository.write(proposalPath, repository.read(proposalPath));
    await expectNoDispatch(change, 3);
    edit(change, proposalPath, 'The plan is rejected.', 'The plan is rejected, sadly.');
    await expectNoDispatch(change, 3);
    edit(change, 'agentd/changes/greet/tasks.md', 'Write it.', 'Write it twice.');
    edit(change, 'agentd/changes/greet/tasks.md', 'Write it twice.', 'Write it.');
    await expectNoDispatch(change, 3);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'rejected' });
  });

  test.for([
    [proposalPath, 'A greeting without a name is cold.', 'People asked for it.'],
    ['agentd/changes/greet/specs/greeting.md', 'contains the name', 'begins with the name'],
    ['agentd/changes/greet/tasks.md', 'Write it.', 'Write it twice.'],
  ] as const)(
    '[change/table/plan-rejected-changed] in rejected, %s changed: back to proposed and a new challenge',
    async ([path, from, to], context) => {
      const seen = {
        ...challenge('approved'),
        run: ['cp agentd/changes/greet/STATE.yaml ../state-while-challenged.yaml'],
      };
      const change = repositoryFor(context, [...planned.slice(0, 3), rejection, seen]);
      await change.change('plan', 'greet', 'Greet by name');
      edit(change, path, from, to);
      const { code, json } = await change.change('plan', 'greet');
      expect(code).toBe(0);
      expect(stepsOf(json).slice(4)).toEqual(['challenge']);
      expect(json).toMatchObject({ action: 'challenged', phase: 'challenged', verdict: 'APPROVED' });
      expect(change.repository.read('../state-while-challenged.yaml')).toMatch(/^phase: proposed$/m);
      expect(reviewTags(change, 'greet').map((tag) => /status="(\w+)"/.exec(tag)?.[1])).toEqual([
        'rejected',
        'approved',
      ]);
    },
  );

  test('[change/table/plan-later] in later phases: says that the change is beyond planning, exit 0', async (context) => {
    const change = repositoryFor(context, [...planned, implement(['1.1']), implement(['1.2']), review('APPROVED')]);
    const { repository } = change;
    await change.change('plan', 'greet', 'Greet by name');
    const beyond = async (phase: string, next: string | null) => {
      const documents = inWorkTree(change);
      const json = await expectNoDispatch(change, 0);
      expect(json).toMatchObject({ action: 'beyond_planning', phase, next });
      expect(inWorkTree(change)).toEqual(documents);
    };
    await change.change('impl', 'greet', '--tasks', '1.1');
    await beyond('implementing', 'pawl change impl greet');
    await change.change('impl', 'greet');
    await beyond('complete', 'pawl change archive greet');
    await change.change('archive', 'greet');
    await beyond('archived', 'pawl finish greet');
    expect(repository.exists('agentd/changes/greet')).toBe(false);
  });
});
