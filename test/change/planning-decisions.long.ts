import { describe, expect, test } from 'vitest';
import { journalOf, repositoryFor, reviewTags, settings, stateOf, stepsOf } from './observed.ts';
import { challenge, issue, listTasks, propose, revise, specify, type ChangeRepository, type Turn } from './scripts.ts';

const folder = 'agentd/changes/greet';
const generate = [propose(), specify(), listTasks()];
const needsRevision = challenge('needs_revision', [issue]);
const gravelyWrong = challenge('needs_revision', [{ ...issue, severity: 'High' }]);
const oneRound = settings('planning_iterations = 1');
const noRound = settings('planning_iterations = 0');

async function untilAsked(change: ChangeRepository): Promise<Record<string, any>> {
  const { code, json } = await change.change('plan', 'greet', 'Greet by name');
  expect(code).toBe(3);
  expect(json).toMatchObject({ action: 'decision_pending', phase: 'proposed', verdict: 'NEEDS_REVISION' });
  return json;
}

function editTasks({ repository }: ChangeRepository): void {
  const tasks = repository.read(`${folder}/tasks.md`);
  repository.write(`${folder}/tasks.md`, tasks.replace('Write it.', 'Write it, with a limit of 40 letters.'));
}

describe.concurrent('the planning budget', () => {
  test('[change/planning/iterations-count-reproposals] two reproposals: at most three challenges', async (context) => {
    const rounds = [needsRevision, revise, needsRevision, revise, needsRevision, revise, challenge('approved')];
    const change = repositoryFor(context, [...generate, ...rounds]);
    const json = await untilAsked(change);
    expect(stepsOf(json).slice(3)).toEqual(['challenge', 'revise', 'challenge', 'revise', 'challenge']);
    expect(stateOf(change, 'greet')).toMatchObject({ iteration: 3 });
    expect(reviewTags(change, 'greet')).toHaveLength(3);
  });

  test('[change/planning/iterations-count-reproposals] none: the first NEEDS_REVISION is put to a person', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    expect(stepsOf(await untilAsked(change)).slice(3)).toEqual(['challenge']);
  });

  test('[change/planning/budget-spent-asks] implement anyway, view or continue; without a person exit 3, phase proposed', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    const { decisions, next, diagnostics } = await untilAsked(change);
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ id: 'revision' });
    expect(Object.keys(decisions[0].answers).toSorted()).toEqual(['continue', 'implement_anyway']);
    expect(decisions[0].paths).toEqual(
      ['proposal.md', 'specs/greeting.md', 'tasks.md'].map((name) => `${folder}/${name}`),
    );
    expect(decisions[0].detail).toContain('Medium: No limit is named');
    expect(next).toBe('pawl answer greet revision <answer>');
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'decision_pending' }]);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'proposed' });
    const status = await change.pawl('change', 'status', 'greet');
    expect(status.json).toMatchObject({ phase: 'proposed', outcome: 'needs_person', decisions: [{ id: 'revision' }] });
  });

  test('[DEF-9] [change row 39] pawl answer: a number is the answer in that place; view is for the terminal, and is not recorded', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    await untilAsked(change);
    const before = journalOf(change, 'greet').length;
    for (const word of ['view', '3', '4', 'cont']) {
      const refused = await change.pawl('answer', 'greet', 'revision', word);
      expect([word, refused.code]).toEqual([word, 2]);
    }
    expect((await change.pawl('answer', 'greet', 'revision', 'view')).stderr).toContain(`read ${folder}/proposal.md`);
    expect(journalOf(change, 'greet')).toHaveLength(before);
    expect((await change.pawl('answer', 'greet', 'revision', '2')).json).toMatchObject({ answer: '2' });
    expect(journalOf(change, 'greet').at(-1)).toMatchObject({ signal: 'continue' });
  });

  test('[D27] a misspelt key in --answers is refused with the near word, before anything is written', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    change.repository.write('../answers.yaml', 'revison: continue\n');
    const args = ['plan', 'greet', 'Greet by name', '--answers', '../answers.yaml'];
    const refused = await change.change(...args);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"revison"')]);
    expect(refused.stderr).toContain('did you mean revision?');
    expect(change.repository.exists(folder)).toBe(false);
    change.repository.write('../answers.yaml', 'revision: implement_anyway\n');
    expect((await change.change(...args)).code).toBe(0);
  });

  test('[change/planning/continue-one-round] continue: one revision and one challenge, then the person is asked again', async (context) => {
    const rounds = [revise, needsRevision, revise, challenge('approved')];
    const change = repositoryFor(context, [...generate, needsRevision, ...rounds], noRound);
    await untilAsked(change);
    const answered = await change.pawl('answer', 'greet', 'revision', 'continue');
    expect(answered).toMatchObject({ code: 0, json: { answer: 'continue', next: 'pawl resume greet' } });
    const second = await change.pawl('resume', 'greet');
    expect(second).toMatchObject({ code: 3, json: { action: 'decision_pending', decisions: [{ id: 'revision' }] } });
    expect(stepsOf(second.json).slice(4)).toEqual(['revise', 'challenge']);

    await change.pawl('answer', 'greet', 'revision', 'continue');
    const third = await change.pawl('resume', 'greet');
    expect(third).toMatchObject({ code: 0, json: { phase: 'challenged', verdict: 'APPROVED' } });
    expect(stepsOf(third.json).slice(4)).toEqual(['revise', 'challenge', 'revise', 'challenge']);
    expect(stateOf(change, 'greet')['override']).toBeUndefined();
  });

  test('[change/planning/continue-one-round] plan itself goes on after the answer, too', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision, revise, challenge('approved')], noRound);
    await untilAsked(change);
    await change.pawl('answer', 'greet', 'revision', 'continue');
    expect(await change.change('plan', 'greet')).toMatchObject({ code: 0, json: { phase: 'challenged' } });
  });

  test('[change/planning/implement-anyway] [change row 40] phase challenged, and the override is recorded and shown with the open findings', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    await untilAsked(change);
    const answered = await change.pawl('answer', 'greet', 'revision', 'implement_anyway');
    expect(answered.code).toBe(0);
    expect(stateOf(change, 'greet')).toMatchObject({
      phase: 'challenged',
      verdict: 'NEEDS_REVISION',
      override: {
        by: expect.any(String),
        at: expect.any(String),
        open_issues: [{ severity: 'Medium', title: issue.title }],
      },
    });
    const decided = journalOf(change, 'greet').find(({ signal }) => signal === 'implement_anyway');
    expect(decided).toMatchObject({ by: { how: 'answer' } });
    expect(await change.change('plan', 'greet')).toMatchObject({
      code: 0,
      json: { phase: 'challenged', next: 'pawl change impl greet' },
    });
    const plain = await change.repository.pawl(['change', 'plan', 'greet']);
    expect(plain.stdout).toContain('the plan of greet is approved by override, with one finding open');
    const status = await change.repository.pawl(['change', 'status', 'greet']);
    expect(status.stdout).toMatch(/approved by override \(a person, .*\), with findings open:\n +- Medium: /);
  });

  test('[change/planning/implement-anyway] the command named after the answer is one that can be run', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    await untilAsked(change);
    const { json } = await change.pawl('answer', 'greet', 'revision', 'implement_anyway');
    expect(json['next']).toBe('pawl change impl greet');
  });

  test('[change/challenge/high-issue-decides] [change/planning/implement-anyway] a High finding is open: implement anyway is neither offered nor accepted', async (context) => {
    const change = repositoryFor(context, [...generate, gravelyWrong, revise, challenge('approved')], noRound);
    const { decisions } = await untilAsked(change);
    expect(Object.keys(decisions[0].answers)).toEqual(['continue']);
    const before = journalOf(change, 'greet').length;
    const refused = await change.pawl('answer', 'greet', 'revision', 'implement_anyway');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/High finding is open[^]*possible answers: continue\n/);
    expect(journalOf(change, 'greet')).toHaveLength(before);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'proposed' });
    expect(stateOf(change, 'greet')['override']).toBeUndefined();

    await change.pawl('answer', 'greet', 'revision', 'continue');
    expect(await change.pawl('resume', 'greet')).toMatchObject({ code: 0, json: { phase: 'challenged' } });
  });

  test('[change/challenge/high-issue-decides] the last review decides, not an earlier one', async (context) => {
    const change = repositoryFor(context, [...generate, gravelyWrong, revise, needsRevision], oneRound);
    const { decisions } = await untilAsked(change);
    expect(Object.keys(decisions[0].answers)).toContain('implement_anyway');
  });

  test('[change/planning/fresh-budget] plan run again after a stop has its whole loop budget', async (context) => {
    const rounds: Turn[] = [needsRevision, revise, needsRevision, needsRevision, revise, challenge('approved')];
    const change = repositoryFor(context, [...generate, ...rounds], oneRound);
    await untilAsked(change);
    editTasks(change);
    const { code, json } = await change.change('plan', 'greet');
    expect(code).toBe(0);
    expect(stepsOf(json).slice(3)).toEqual(['challenge', 'revise', 'challenge', 'challenge', 'revise', 'challenge']);
  });
});

describe.concurrent('a pending decision', () => {
  test('[change/decisions/asked-first] is asked before anything else, whatever the command', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision, challenge('approved')], noRound);
    await untilAsked(change);
    for (const verb of ['plan', 'impl', 'archive']) {
      const { code, json } = await change.change(verb, 'greet');
      expect(code, verb).toBe(3);
      expect(json).toMatchObject({ action: 'decision_pending', decisions: [{ id: 'revision' }] });
      expect(json['dispatches'], verb).toHaveLength(4);
    }
    expect(await change.pawl('resume', 'greet')).toMatchObject({ code: 3, json: { dispatches: { length: 4 } } });
  });

  test('[change/decisions/asked-first] is closed as skipped, with the reason, when the plan was edited', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision, challenge('approved')], noRound);
    await untilAsked(change);
    editTasks(change);
    const status = await change.pawl('change', 'status', 'greet');
    expect(status.json['next']).toBe('pawl change plan greet');
    const late = await change.pawl('answer', 'greet', 'revision', 'implement_anyway');
    expect(late.code).toBe(4);
    expect(late.stderr).toContain('the plan was changed since it was judged');
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'proposed' });

    const { code, json, stderr } = await change.change('plan', 'greet');
    expect(code).toBe(0);
    expect(json).toMatchObject({ phase: 'challenged', decisions: [] });
    expect(stepsOf(json).slice(3)).toEqual(['challenge', 'challenge']);
    expect(stderr).toMatch(/is no longer asked: the plan was changed since it was judged/);
    const closed = journalOf(change, 'greet').find(({ signal }) => signal === 'withdrawn');
    expect(closed).toMatchObject({
      from: 'ask_revision',
      change: { data: { skipped: { decision: 'revision', reason: 'the plan was changed since it was judged' } } },
    });
  });

  test('[change/decisions/asked-first] stays when only a review block was edited', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    const { repository } = change;
    await untilAsked(change);
    const proposal = repository.read(`${folder}/proposal.md`);
    repository.write(`${folder}/proposal.md`, proposal.replace('The plan is needs_revision.', 'It needs a revision.'));
    expect(await change.change('plan', 'greet')).toMatchObject({ code: 3, json: { decisions: [{ id: 'revision' }] } });
  });

  test('[change/decisions/asked-first] a mistaken answer changes nothing and names the ones there are', async (context) => {
    const change = repositoryFor(context, [...generate, needsRevision], noRound);
    await untilAsked(change);
    const before = journalOf(change, 'greet').length;
    const mistakes = [
      ['greet', 'revision', 'contiune', 'did you mean continue?'],
      ['greet', 'revison', 'continue', 'did you mean revision?'],
      ['great', 'revision', 'continue', 'did you mean greet?'],
    ];
    for (const [run = '', decision = '', answer = '', hint] of mistakes) {
      const { code, stderr } = await change.pawl('answer', run, decision, answer);
      expect(code).toBe(2);
      expect(stderr).toContain(hint);
    }
    expect(await change.change('plan', 'greet')).toMatchObject({ code: 3, json: { decisions: [{ id: 'revision' }] } });
    expect(
      journalOf(change, 'greet')
        .slice(before)
        .map(({ signal }) => signal),
    ).toEqual([]);
  });

  test('[change/decisions/asked-first] an agent may not answer for the person', async (context) => {
    const { program } = await import('./scripts.ts');
    const answer = `${process.execPath} ${program} answer greet revision implement_anyway`;
    const turns = [...generate, needsRevision, { ...revise, run: [answer] }, gravelyWrong];
    const change = repositoryFor(context, turns, noRound);
    await untilAsked(change);
    await change.pawl('answer', 'greet', 'revision', 'continue');
    expect(await change.pawl('resume', 'greet')).toMatchObject({ code: 3, json: { phase: 'proposed' } });
    const waiting = await change.repository.pawl(['answer', 'greet', 'revision', 'continue'], {
      env: { PAWL_DISPATCH: 'x' },
    });
    expect(waiting).toMatchObject({ code: 4, stderr: expect.stringContaining('only a person may') });
  });

  test('answering a run that waits for nothing exits 4', async (context) => {
    const change = repositoryFor(context, [...generate, challenge('approved')]);
    await change.change('plan', 'greet', 'Greet by name');
    expect((await change.pawl('answer', 'greet', 'revision', 'continue')).code).toBe(4);
  });
});
