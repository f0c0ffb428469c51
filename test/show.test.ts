/** `pawl show`: workflows and runs, as a real process tells them. */

import { beforeAll, describe, expect, test } from 'vitest';
import { challenge, issue, listTasks, propose, revise, specify, type ChangeRepository } from './change/scripts.ts';
import { keepTidy, run, scratch } from './durability/at-work.ts';

keepTidy();

let change: ChangeRepository;

beforeAll(async () => {
  change = scratch([
    { ...propose(), fault: 'exit:1' },
    propose(),
    specify(),
    listTasks(),
    challenge('needs_revision', [issue]),
    revise,
    challenge('approved'),
  ]);
  expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
});

const show = (...args: readonly string[]) => change.repository.pawl(['show', ...args]);

describe.concurrent('a workflow', () => {
  test('is tables if nothing is said', async () => {
    const { code, stdout, stderr } = await show('change');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^# change\n\n## States\n/);
    expect(stdout).toMatch(/^\| challenge +\| needs_revision, planning spent +\| ask_revision \(sets high: yes\) \|$/m);
  });

  test.each([
    ['mermaid', /^flowchart TB\n/],
    ['dot', /^digraph "change" \{\n/],
    ['svg', /^<svg [^]*<\/svg>\n$/],
    ['json', /^\{"workflow":"change",[^\n]*"run":null\}\n$/],
  ])('as %s', async (format, expected) => {
    const { code, stdout } = await show('change', '--format', format);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  test('--json is --format json; without a name the workflows are listed', async () => {
    expect((await show('change', '--json')).stdout).toBe((await show('change', '--format', 'json')).stdout);
    expect((await show()).stdout).toMatch(/^WORKFLOW +FROM +COMMAND\nchange +bundled +pawl show change\n/);
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      workflows: [
        { name: 'change', file: null },
        { name: 'session', file: null },
        { name: 'issue', file: null },
        { name: 'feature', file: null },
      ],
    });
  });

  test('needs no repository', async () => {
    const { code, stdout } = await change.repository.pawl(['show', 'change'], { cwd: change.repository.home });
    expect(code).toBe(0);
    expect(stdout).toContain('## States');
  });

  test.each([
    [['chnage'], 'there is no workflow and no run "chnage"; did you mean change?'],
    [['gret'], 'there is no workflow and no run "gret"; did you mean greet?'],
    [['../../etc'], 'there is no workflow and no run "../../etc"'],
    [['change', '--format', 'matix'], 'unknown format "matix"; did you mean matrix?'],
    [['change', '--json', '--format', 'svg'], '--json and --format svg are two formats'],
  ])('%j: %s', async (args, problem) => {
    const { code, stderr } = await show(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe.concurrent('a run', () => {
  test('tells where it is, how it got there and how often it went each way', async () => {
    const { code, stdout } = await show(run);
    expect(code).toBe(0);
    expect(stdout).toContain('Run greet of change: at challenged (outcome done), after 14 steps.');
    expect(stdout).toContain(
      'new → survey → propose ×2 → order → specify → find_tasks → list_tasks → validate → challenge → revise → order → validate → challenge → challenged\n',
    );
    expect(stdout).toMatch(/^\| propose +\| failed, retries left +\| propose again \(spends retries\) +\| ×1 \|$/m);
    expect(stdout).toMatch(/^\| validate +\| valid +\| challenge +\| ×2 \|$/m);
    expect(stdout).toMatch(/^\| impl +\| confirm_plan \(remembers challenged\) \|$/m);
  });

  test('is marked in the pictures', async () => {
    const svg = await show(`change/${run}`, '--format', 'svg');
    expect(svg.stdout).toContain('● the run is here');
    expect(svg.stdout).toMatch(/class="node parked here"[^]*?>challenged</);
    expect(svg.stdout).toMatch(/class="edge fault"/);
    const mermaid = await show(run, '--format', 'mermaid');
    expect(mermaid.stdout).toContain('s_validate -->|"valid<br>×2"| s_challenge');
    expect(mermaid.stdout).toContain('s_propose -.->|"failed<br>×1"| s_propose');
  });

  test('has its way in the JSON document', async () => {
    const { run: walk } = (await change.pawl('show', run)).json;
    expect(walk).toMatchObject({ run, state: 'challenged', outcome: 'done' });
    expect(walk.path).toHaveLength(15);
    expect(walk.taken).toContainEqual({ from: 'validate', signal: 'valid', branch: 0, to: 'challenge', times: 2 });
  });
});
