import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { journalOf, recordsIn, repositoryFor, reviewTags, settings, stateOf, stepsOf } from './observed.ts';
import { challenge, issue, listTasks, planned, propose, revise, specify, task } from './scripts.ts';

const folder = 'agentd/changes/greet';
const generate = [propose(), specify(), listTasks()];
const needsRevision = challenge('needs_revision', [issue]);
const unresolved = listTasks([task('1.1', { spec_ref: 'greeting:R9' })]);
const repair = (turn: object) => ({ ...turn, role: 'planner', step: 'repair' });

/** Keeps the change's folder as it was while the turn was played. */
const keepAs = (name: string) => [`cp -r ${folder} ../${name}`];

describe.concurrent('generating a plan', () => {
  test('[change/planning/order-of-documents] proposal.md, then specs, then tasks.md', async (context) => {
    const change = repositoryFor(context, [
      { ...propose(), run: keepAs('at-propose') },
      { ...specify(), run: keepAs('at-specify'), expect_prompt: [`${folder}/proposal.md`] },
      { ...listTasks(), run: keepAs('at-list-tasks') },
      { ...challenge('approved'), run: keepAs('at-challenge') },
    ]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
    const there = (name: string) =>
      ['proposal.md', 'specs/greeting.md', 'tasks.md'].filter((path) => change.repository.exists(`../${name}/${path}`));
    expect(there('at-propose')).toEqual([]);
    expect(there('at-specify')).toEqual(['proposal.md']);
    expect(there('at-list-tasks')).toEqual(['proposal.md', 'specs/greeting.md']);
    expect(there('at-challenge')).toEqual(['proposal.md', 'specs/greeting.md', 'tasks.md']);
  });

  test('[change/planning/tasks-carry-change-id] tasks.md has an explicit change_id', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(change.repository.read(`${folder}/tasks.md`)) ?? [];
    expect(parse(front)).toMatchObject({ change_id: 'greet', type: 'tasks' });
  });

  test('[change/planning/specs-in-dependency-order] one dispatch per affected spec, dependencies first', async (context) => {
    const specs = [
      { id: 'last', depends: ['middle', 'first'] },
      { id: 'middle', depends: ['first'] },
      { id: 'first', depends: [] },
    ];
    const change = repositoryFor(context, [
      propose(specs),
      { ...specify('first'), expect_prompt: ['`first`'] },
      { ...specify('middle'), expect_prompt: ['`middle`'] },
      { ...specify('last'), expect_prompt: ['`last`'] },
      listTasks([task('1.1', { spec_ref: 'first:R1' })]),
      challenge('approved'),
    ]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'specify', 'specify', 'list_tasks', 'challenge']);
    const items = journalOf(change, 'greet').flatMap(({ type, item }) =>
      type === 'dispatch.started' && item ? [item.id] : [],
    );
    expect(items).toEqual(['first', 'middle', 'last']);
    for (const { id } of specs) expect(change.repository.exists(`${folder}/specs/${id}.md`)).toBe(true);
  });

  test.for([
    ['an unknown dependency', [{ id: 'greeting', depends: ['nowhere'] }], /greeting.*nowhere/],
    [
      'a cycle',
      [
        { id: 'one', depends: ['two'] },
        { id: 'two', depends: ['one'] },
      ],
      /circle.*(one → two|two → one)/,
    ],
  ] as const)(
    '[change/planning/unknown-dependency-or-cycle] %s among affected_specs: a clear error, no dispatch',
    async ([, specs, words], context) => {
      const change = repositoryFor(context, [propose(specs), ...generate, challenge('approved')]);
      const { code, json } = await change.change('plan', 'greet', 'Greet by name');
      expect(code).toBe(3);
      expect(stepsOf(json)).toEqual(['propose']);
      expect(json).toMatchObject({ action: 'proposed', phase: 'proposed', next: 'pawl change plan greet' });
      expect(json['diagnostics'][0].message).toMatch(words);
      expect(json['diagnostics'][0].message).toContain(`${folder}/proposal.md`);
      expect(await change.change('plan', 'greet')).toMatchObject({ code: 3, json: { dispatches: { length: 1 } } });
    },
  );

  test('[change/planning/unknown-dependency-or-cycle] the person drops the dependency, and plan goes on', async (context) => {
    const change = repositoryFor(context, [propose([{ id: 'greeting', depends: ['nowhere'] }]), ...planned.slice(1)]);
    const { repository } = change;
    await change.change('plan', 'greet', 'Greet by name');
    const text = repository.read(`${folder}/proposal.md`);
    repository.write(`${folder}/proposal.md`, text.replace(/depends:\s+- nowhere|depends: \[.*\]/, 'depends: []'));
    const { code, json } = await change.change('plan', 'greet');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'challenge']);
  });

  test('[change/planning/description-journalled] the description stands in the journal before the first dispatch', async (context) => {
    const journal = '.git/pawl/change/greet/journal.jsonl';
    const change = repositoryFor(context, [
      { ...propose(), run: [`cp ${journal} ../journal-at-propose.jsonl`], expect_prompt: ['Greet "people" by name'] },
      ...planned.slice(1),
    ]);
    expect((await change.change('plan', 'greet', 'Greet "people" by name')).code).toBe(0);
    const records = recordsIn(join(change.repository.folder, 'journal-at-propose.jsonl'));
    const told = records.findIndex((record) => JSON.stringify(record).includes('Greet \\"people\\" by name'));
    const first = records.findIndex(({ type }) => type === 'dispatch.started');
    expect(told).toBeGreaterThan(-1);
    expect(told).toBeLessThan(first);
  });

  test('[change/planning/description-journalled] another description for an existing change is refused, the same one is not', async (context) => {
    const change = repositoryFor(context, planned);
    await change.change('plan', 'greet', 'Greet by name');
    const state = change.repository.read(`${folder}/STATE.yaml`);
    const { code, json } = await change.change('plan', 'greet', 'Say farewell');
    expect(code).toBe(2);
    expect(json['diagnostics'][0]).toMatchObject({ code: 'DescriptionDiffers' });
    expect(json['diagnostics'][0].message).toContain('Greet by name');
    expect(change.repository.read(`${folder}/STATE.yaml`)).toBe(state);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
  });
});

describe.concurrent('format validation', () => {
  test('[change/planning/mechanical-fixes] what can be mended without judgement is mended without a dispatch', async (context) => {
    const change = repositoryFor(context, [challenge('approved')]);
    const { repository } = change;
    const specification = ['# Greeting', '## Overview', 'How people are greeted.', '## Requirements', '### R1: Names'];
    const criteria = [
      'The name is in it.',
      '## Acceptance Criteria',
      '### Scenario: A name',
      '- **WHEN** greet',
      '- **THEN** it is',
    ];
    const front = [
      '---',
      'id: greet',
      'affected_specs:',
      '  - id: greeting',
      '    path: specs/greeting.md',
      '    depends: []',
      '---',
    ];
    const body = ['## Summary', 'Names.', '## Why', 'Cold.', '## What Changes', 'greet().', '## Impact', 'Small.', ''];
    repository.write(`${folder}/proposal.md`, [...front, ...body].join('\n'));
    repository.write(`${folder}/specs/greeting.md`, [...specification, ...criteria, ''].join('\r\n'));
    const yaml = [
      '```yaml',
      'id: "1.1"',
      'action: CREATE',
      'status: pending',
      'file: src/a.mjs',
      'spec_ref: greeting:R1',
      '```',
    ];
    repository.write(`${folder}/tasks.md`, ['## 1. Data Layer', '### Task 1.1: Names', ...yaml, ''].join('\n'));

    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['challenge']);
    const proposal = repository.read(`${folder}/proposal.md`);
    expect(proposal).toMatch(/^<proposal>\n+# Change: greet\n[\s\S]*^<\/proposal>$/m);
    expect(repository.read(`${folder}/tasks.md`)).toMatch(/^---\n[\s\S]*^change_id: greet$[\s\S]*^---$/m);
    const spec = repository.read(`${folder}/specs/greeting.md`);
    expect(spec).not.toContain('\r');
    expect(spec).toMatch(/total: 1/);
    const [validation] = stateOf(change, 'greet')['validations'];
    expect(validation.valid).toBe(true);
    expect(validation.fixed).toHaveLength(3);
    expect(validation.fixed.join('; ')).toMatch(/<proposal> tags.*line ends.*front matter.*change_id/s);
  });

  test('[change/planning/repaired-once] other High findings go back to the planner, who is told what blocks', async (context) => {
    const change = repositoryFor(context, [
      propose(),
      specify(),
      unresolved,
      { ...repair(listTasks()), expect_prompt: ['task 1.1 refers to R9'] },
      challenge('approved'),
    ]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'repair', 'challenge']);
    expect(stateOf(change, 'greet')['validations']).toMatchObject([{ valid: false }, { valid: true }]);
  });

  test('[change/planning/repaired-once] still invalid: stops in proposed, exit 3, without a challenge', async (context) => {
    const change = repositoryFor(context, [
      propose(),
      specify(),
      unresolved,
      repair(unresolved),
      challenge('approved'),
    ]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(3);
    expect(stepsOf(json)).toEqual(['propose', 'specify', 'list_tasks', 'repair']);
    expect(json).toMatchObject({
      action: 'proposed',
      phase: 'proposed',
      verdict: null,
      next: 'pawl change plan greet',
    });
    expect(json['diagnostics'][0].message).toMatch(/tasks\.md:\d+: task 1\.1 refers to R9/);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'proposed' });

    const tasks = change.repository.read(`${folder}/tasks.md`);
    change.repository.write(`${folder}/tasks.md`, tasks.replace('greeting:R9', 'greeting:R1'));
    expect(await change.change('plan', 'greet')).toMatchObject({ code: 0, json: { phase: 'challenged' } });
  });

  test('[change/planning/repaired-once] the next plan may repair once again, also after a repair that failed', async (context) => {
    const crash = { role: 'planner', step: 'repair', fault: 'crash' };
    const turns = [
      propose(),
      specify(),
      unresolved,
      crash,
      repair(unresolved),
      repair(listTasks()),
      challenge('approved'),
    ];
    const change = repositoryFor(context, turns, settings('script_retries = 0'));
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(1);
    const second = await change.change('plan', 'greet');
    expect(second.code).toBe(3);
    expect(stepsOf(second.json).slice(3)).toEqual(['repair', 'repair']);
    const third = await change.change('plan', 'greet');
    expect(third.code).toBe(0);
    expect(stepsOf(third.json).slice(3)).toEqual(['repair', 'repair', 'repair', 'challenge']);
  });

  test('[change/planning/repaired-once] a repair does not count as a reproposal', async (context) => {
    const turns = [propose(), specify(), unresolved, repair(listTasks()), needsRevision, revise, challenge('approved')];
    const change = repositoryFor(context, turns, settings('planning_iterations = 1'));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json).slice(3)).toEqual(['repair', 'challenge', 'revise', 'challenge']);
  });

  test('[change/planning/validated-before-every-challenge] a revision and a hand edit are validated too', async (context) => {
    const spoiled = { ...unresolved, step: 'revise' };
    const turns = [...generate, needsRevision, spoiled, repair(listTasks()), challenge('approved')];
    const change = repositoryFor(context, turns);
    const first = await change.change('plan', 'greet', 'Greet by name');
    expect(first.code).toBe(0);
    expect(stepsOf(first.json).slice(3)).toEqual(['challenge', 'revise', 'repair', 'challenge']);

    const tasks = change.repository.read(`${folder}/tasks.md`);
    change.repository.write(`${folder}/tasks.md`, tasks.replaceAll('greeting:R1', 'greeting:R7'));
    change.script([...turns, repair(listTasks()), challenge('approved')]);
    const second = await change.change('plan', 'greet');
    expect(second.code).toBe(0);
    expect(stepsOf(second.json).slice(7)).toEqual(['repair', 'challenge']);
    expect(stateOf(change, 'greet')['validations'].map(({ valid }: { valid: boolean }) => valid)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});

describe.concurrent('challenge', () => {
  test('[change/planning/reproposal] NEEDS_REVISION: the planner revises, then it is challenged again; reviews stay', async (context) => {
    const change = repositoryFor(context, [
      ...generate,
      { ...needsRevision },
      { ...revise, expect_prompt: [`${folder}/proposal.md`], run: keepAs('at-revise') },
      challenge('approved'),
    ]);
    const { repository } = change;
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(0);
    expect(stepsOf(json).slice(3)).toEqual(['challenge', 'revise', 'challenge']);
    const proposal = repository.read(`${folder}/proposal.md`);
    expect(proposal).toContain('at most 40 letters');
    const [first = ''] = /<review [\s\S]*?<\/review>/.exec(repository.read('../at-revise/proposal.md')) ?? [];
    expect(first).toContain('No limit is named');
    expect(proposal).toContain(first);
    expect(reviewTags(change, 'greet')).toEqual([
      '<review iteration="1" reviewer="scripted" status="needs_revision" of="plan">',
      '<review iteration="2" reviewer="scripted" status="approved" of="plan">',
    ]);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'challenged', verdict: 'APPROVED', iteration: 2 });
  });

  test('[change/challenge/review-block] one block per review, with attributes, Summary, Issues, Verdict and Next Steps', async (context) => {
    const remark = { ...issue, severity: 'Low', title: 'A </review> in <proposal>' };
    const change = repositoryFor(context, [...generate, challenge('approved', [remark])]);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
    const proposal = change.repository.read(`${folder}/proposal.md`);
    const block = proposal.slice(proposal.indexOf('<review '));
    expect(block.match(/^<\/review>$/gm)).toHaveLength(1);
    expect(block.startsWith('<review iteration="1" reviewer="scripted" status="approved" of="plan">\n')).toBe(true);
    expect(block.match(/^#{2,3} .*$/gm)?.map((heading) => heading.replace(/: .*/, ''))).toEqual([
      '## Summary',
      '## Issues',
      '### Issue',
      '## Verdict',
      '## Next Steps',
    ]);
    for (const [name, value] of Object.entries({ ...issue, severity: 'Low' })) {
      if (name !== 'title') expect(block.toLowerCase()).toContain(`**${name}**: ${value}`.toLowerCase());
    }
    expect(block).toMatch(/## Verdict\n\nAPPROVED\n/);
  });

  test('[change/challenge/looks-for] the challenger is sent for gaps, conflicts with the codebase and edge cases', async (context) => {
    const looksFor = ['Gaps', 'Conflicts with the codebase', 'Edge cases', `${folder}/specs`, `${folder}/tasks.md`];
    const change = repositoryFor(context, [...generate, { ...challenge('approved'), expect_prompt: looksFor }]);
    expect((await change.change('plan', 'greet', 'Greet by name')).code).toBe(0);
  });

  test('[change/challenge/no-approval-with-high-issue] append_review refuses approved with a High finding, and says so', async (context) => {
    const high = { ...issue, severity: 'High' };
    const change = repositoryFor(context, [...generate, challenge('approved', [high])], settings('script_retries = 0'));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(1);
    expect(json).toMatchObject({ phase: 'proposed', verdict: null, action: 'failed' });
    expect(json['diagnostics'][0].message).toContain('An approval cannot carry a High finding');
    expect(reviewTags(change, 'greet')).toEqual([]);
  });

  test('[change/tools/second-filing-is-refused] a second review in one dispatch is refused, and the first does not count either (attack 3.13)', async (context) => {
    const both = [challenge('needs_revision', [issue]), challenge('approved')].flatMap(({ call }) => call);
    const turns = [...generate, { role: 'challenger', call: both }, challenge('needs_revision', [issue])];
    const change = repositoryFor(context, turns, settings('planning_iterations = 0\nscript_retries = 1'));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(3);
    expect(json).toMatchObject({ phase: 'proposed', verdict: 'NEEDS_REVISION' });
    expect(reviewTags(change, 'greet')).toHaveLength(1);
  });

  test('[change/tools/second-filing-is-refused] the phase changes when the dispatch ends: a review filed before a crash does not count', async (context) => {
    const filed = { ...challenge('approved'), fault: 'exit:9' };
    const change = repositoryFor(context, [...generate, filed], settings('script_retries = 0'));
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(1);
    expect(json).toMatchObject({ phase: 'proposed', verdict: null });
    expect(reviewTags(change, 'greet')).toEqual([]);
  });

  test('[change/planning/rejected] REJECTED: phase rejected, exit 3', async (context) => {
    const change = repositoryFor(context, [...generate, challenge('rejected', [{ ...issue, severity: 'High' }])]);
    const { code, json } = await change.change('plan', 'greet', 'Greet by name');
    expect(code).toBe(3);
    expect(json).toMatchObject({ action: 'rejected', phase: 'rejected', verdict: 'REJECTED', decisions: [] });
    expect(stepsOf(json).slice(3)).toEqual(['challenge']);
    expect(stateOf(change, 'greet')).toMatchObject({ phase: 'rejected', verdict: 'REJECTED' });
  });
});
