/** One configuration file for all workflows, and the older one of `change` beneath it. */

import { afterEach, describe, expect, test } from 'vitest';
import { ChangeRepository, planned } from './scripts.ts';

const made: ChangeRepository[] = [];
afterEach(() => {
  for (const change of made.splice(0)) change.repository.remove();
});

function repository(older: string, newer: string): ChangeRepository {
  const change = ChangeRepository.create(planned, older);
  made.push(change);
  change.repository.write('pawl.toml', newer);
  return change;
}

const run = 'greet';
const note = 'agentd/config.toml is the older place for this configuration; pawl.toml wins where both set a key';

test('pawl.toml overrules agentd/config.toml key by key, and a mistyped key is reported', async () => {
  const change = repository(
    '[roles]\nplanner = "no-such-agent"\nchallenger = "scripted"\n[workflow]\nretry_delay_secs = 0\n[budget]\ntokens = 5000000\n',
    '[roles]\nplanner = "scripted"\n[dispatch]\ntimeout_minuts = 9\n[budget]\ndispatches = 9\n',
  );
  const words = ['change', 'plan', run, 'Greet people', '--script', change.scriptFile, '--json'];
  const ran = await change.repository.pawl(words);
  const json = JSON.parse(ran.stdout);
  expect([ran.code, json['phase']], ran.stderr).toEqual([0, 'challenged']);
  expect(json['budget']['limits']).toMatchObject({ dispatches: 9, tokens: 5_000_000 });
  const warning = 'pawl.toml:4: unknown key "dispatch.timeout_minuts" is ignored; use "timeout_minutes"';
  expect(json['diagnostics']).toEqual([
    { severity: 'warning', code: 'UnknownSetting', message: warning, target: 'pawl.toml', fix: null },
  ]);
  const { stdout } = await change.repository.pawl(['change', 'status', run, '--json']);
  expect(JSON.parse(stdout)['problems']).toEqual([warning]);
  expect(ran.stderr).not.toContain(note);
});

describe('pawl doctor', () => {
  test('names what is ignored, and says that the older file is read', async () => {
    const change = repository('[workflow]\nplaning_iterations = 1\n', '');
    const { stdout } = await change.repository.pawl(['doctor', '--json']);
    const workflows: { workflow: string; notes: string[] }[] = JSON.parse(stdout).workflows;
    expect(Object.fromEntries(workflows.map(({ workflow, notes }) => [workflow, notes]))).toEqual({
      change: [
        'agentd/config.toml:2: unknown key "workflow.planing_iterations" is ignored; use "planning_iterations"',
        note,
      ],
      session: [],
      issue: [],
      feature: [],
    });
    expect((await change.repository.pawl(['doctor'])).stdout).toContain(note);
  });

  test('audit 12.11: says once what concerns all workflows', async () => {
    const change = repository('', '[roles]\nplaner = "scripted"\n');
    const { code, stdout } = await change.repository.pawl(['doctor']);
    expect(stdout.match(/has the role "planer"/g)).toHaveLength(1);
    expect(code).toBe(2);
    const { configuration, ready } = JSON.parse((await change.repository.pawl(['doctor', '--json'])).stdout);
    const message = 'pawl.toml:2: no workflow has the role "planer"; expected "planner"';
    expect([ready, configuration]).toEqual([false, [{ severity: 'error', message }]]);
  });

  test('a mistake in the definition of an own workflow is told with its line', async () => {
    const change = repository('', 'workflows = ["workflows/page.yaml"]\n');
    change.repository.write('workflows/page.yaml', 'name: page\nabuot: x\n');
    const { code, stdout } = await change.repository.pawl(['doctor', '--json']);
    const [problem] = JSON.parse(stdout).configuration;
    expect(code).toBe(2);
    expect(problem.message).toContain('workflows/page.yaml:2: unknown key "abuot"; expected "about"');
  });
});

test('all mistakes of both files are reported at once: exit 2, and nothing is begun', async () => {
  const change = repository('[workflow]\nplanning_iterations = 99\n', '[budget]\ntokens = 0\nhours = 0\n');
  const ran = await change.change('plan', run, 'Greet people');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('pawl.toml:2: budget.tokens is 0');
  expect(ran.stderr).toContain('pawl.toml:3: budget.hours is 0');
  expect(ran.stderr).toContain('agentd/config.toml:2: workflow.planning_iterations is 99');
});
