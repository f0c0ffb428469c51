/** The project's own checks before every review, and what a reviewer may and may not do. */

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countingCheck, folderOf, id, marksIn, Prepared, printedBy, promptOf, worked } from './prepared.ts';
import { fix, implement, implemented, review, type ChangeRepository, type Turn } from './scripts.ts';

const settings = '[workflow]\nretry_delay_secs = 0\n';
let approved: Prepared;

beforeAll(async () => {
  approved = await Prepared.make({ settings, files: { '.gitignore': 'node_modules\n' } });
});

afterAll(() => approved.remove());

/** Dispatches 1 to 4 are the plan. */
const firstReview = 6;

/** The package's own test command, which leaves a mark each time it runs. */
function packageWith(change: ChangeRepository, scripts: Readonly<Record<string, string>>): void {
  change.repository.write('package.json', JSON.stringify({ name: 'scratch', private: true, scripts }));
}

const reviewOf = ({ repository }: ChangeRepository): string => repository.read(`${folderOf()}/REVIEW.md`);

/** Files one verdict after the other, as a reviewer does who is told that the first is not possible. */
function insisting(...verdicts: readonly string[]): Turn {
  const turns = verdicts.map((verdict) => review(verdict)['call'] as Turn[]);
  return { ...review('APPROVED'), call: turns.flat() };
}

test.concurrent('[change/checks/before-every-review] [change/tools/create_review-refuses-approved-with-failed-check] [change/checks/output-by-path] a failing test forbids an approval; fixed, it allows one', async () => {
  const change = approved.copy();
  packageWith(change, { test: countingCheck(change, 1) });
  const mended = JSON.stringify({ scripts: { test: countingCheck(change) } });
  change.script([
    implement(),
    { ...insisting('APPROVED', 'NEEDS_FIX'), expect_prompt: ['test: failed (required: no approval), output in `/'] },
    { ...fix(), write: { 'package.json': mended }, expect_prompt: ['test: failed'] },
    { ...review('APPROVED'), expect_prompt: ['test: passed, output in `/'] },
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json), json['diagnostics']?.[0]?.message).toEqual([
    'implement:reported',
    'review:needs_fix',
    'fix:reported',
    'review:approved',
  ]);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  expect(marksIn(change)).toBe(2);
  expect(printedBy(change, firstReview)).toMatch(
    /create_review failed: An approval is not possible while a required check fails.*create_review answered: Filed: NEEDS_FIX/s,
  );
  const prompt = promptOf(change, firstReview);
  const [, log = ''] = /output in `(.+?)`/.exec(prompt) ?? [];
  expect(readFileSync(log, 'utf8')).toContain('the check speaks');
  expect(prompt).not.toContain('the check speaks');
  expect(reviewOf(change)).toContain('## Test Results\n\n- test: passed\n');
});

test.concurrent('an approval over a failing test is no verdict: repeated, then failed, with the refusal', async () => {
  const change = approved.copy([implement(), review('APPROVED'), review('APPROVED'), review('APPROVED')]);
  change.repository.write('agentd/config.toml', `${settings}script_retries = 1\n`);
  packageWith(change, { test: 'exit 1' });
  const { code, json } = await change.change('impl', id);
  expect([code, json['action'], json['phase']]).toEqual([1, 'failed', 'implementing']);
  expect(worked(json)).toEqual(['implement:reported', 'review:unparseable', 'review:unparseable']);
  expect(json['diagnostics'][0].message).toMatch(/create_review was not called\nrefused: .*test/s);
  expect(change.repository.exists(`${folderOf()}/REVIEW.md`)).toBe(false);
});

test.concurrent('[change/checks/before-every-review] impl --review on a complete change checks again', async () => {
  const change = approved.copy([...implemented, review('APPROVED')]);
  packageWith(change, { test: countingCheck(change) });
  expect((await change.change('impl', id)).json['phase']).toBe('complete');
  expect((await change.change('impl', id, '--review')).json['phase']).toBe('complete');
  expect(marksIn(change)).toBe(2);
});

test.concurrent('[change/checks/before-every-review] the configuration overrides what the marker files say; an audit that fails does not forbid an approval', async () => {
  const change = approved.copy([
    implement(),
    { ...review('APPROVED'), expect_prompt: ['- test: passed', '- audit: failed, output', '- lint: passed'] },
  ]);
  packageWith(change, { test: 'exit 1', lint: 'exit 0', typecheck: 'exit 1' });
  change.repository.write(
    'agentd/config.toml',
    `${settings}[checks]\ntest = ["node", "-e", "0"]\naudit = ["node", "-e", "process.exit(1)"]\ntypecheck = false\n`,
  );
  const { code, json } = await change.change('impl', id);
  expect([code, json['phase']], json['diagnostics']?.[0]?.message).toEqual([0, 'complete']);
  expect(reviewOf(change)).toContain('- test: passed\n- audit: failed\n- lint: passed\n');
});

test.concurrent('[change/checks/missing-tool-is-no-failure] a missing tool is not available, which is no failure', async () => {
  const change = approved.copy([implement(), { ...review('APPROVED'), expect_prompt: ['  - test: not available\n'] }]);
  change.repository.write('agentd/config.toml', `${settings}[checks]\ntest = ["no-such-tool-here", "--all"]\n`);
  const { code, json, stderr } = await change.change('impl', id);
  expect([code, json['phase']], json['diagnostics']?.[0]?.message).toEqual([0, 'complete']);
  expect(stderr).toContain('test: not available');
  expect(reviewOf(change)).toContain('## Test Results\n\n- test: not available\n');
});

test.concurrent('a project without checks is reviewed, and the review says that there were none', async () => {
  const change = approved.copy([
    implement(),
    { ...review('APPROVED'), expect_prompt: ['none were found for this project'] },
  ]);
  const { code, json } = await change.change('impl', id);
  expect([code, json['phase']], json['diagnostics']?.[0]?.message).toEqual([0, 'complete']);
  expect(reviewOf(change)).toContain('## Test Results\n\nNo checks were found.\n');
});

test.concurrent('a coder may not create pawl.toml, which overrules the older configuration', async () => {
  const change = approved.copy([
    {
      ...implement(),
      write: { 'src/1.1.mjs': 'export {};\n', 'src/1.2.mjs': 'export {};\n', 'pawl.toml': 'notify = "x"\n' },
    },
    { ...implement(), expect_prompt: ['may not write pawl.toml'] },
    review('APPROVED'),
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:out_of_bounds', 'implement:reported', 'review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  expect(change.repository.exists('pawl.toml')).toBe(false);
});

test.concurrent('attack 1.20, 1.21: a configuration, which says who judges, that a coder writes is put back', async () => {
  const configured = (text: string): Turn => ({
    ...implement(),
    write: { 'src/1.1.mjs': 'export {};\n', 'src/1.2.mjs': 'export {};\n', 'agentd/config.toml': text },
  });
  const change = approved.copy([
    configured(`${settings}script_retries = 9\n`),
    { ...implement(), expect_prompt: ['may not write agentd/config.toml'] },
    review('APPROVED'),
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:out_of_bounds', 'implement:reported', 'review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  expect(change.repository.read('agentd/config.toml')).toBe(settings);
});

test.concurrent('a reviewer that writes a file is out of bounds: its verdict does not count', async () => {
  const change = approved.copy([
    implement(),
    { ...review('APPROVED'), write: { 'src/1.1.mjs': 'export const made = "by the reviewer";\n' } },
    review('MAJOR_ISSUES'),
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:reported', 'review:out_of_bounds', 'review:major_issues']);
  expect([code, json['phase'], json['verdict']]).toEqual([3, 'implementing', 'MAJOR_ISSUES']);
  expect(json['dispatches'].at(-2).problem).toContain('its report does not count');
  expect(reviewOf(change)).toContain('## Verdict\n\nMAJOR_ISSUES\n');
  expect(change.repository.read('src/1.1.mjs')).not.toContain('by the reviewer');
});

test.concurrent('[change/tools/second-filing-is-refused] two verdicts that contradict each other void their dispatch (attack 3.13)', async () => {
  const change = approved.copy([
    implement(),
    insisting('APPROVED', 'MAJOR_ISSUES'),
    { ...review('MAJOR_ISSUES'), expect_prompt: ['create_review was called twice with different contents'] },
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:reported', 'review:unparseable', 'review:major_issues']);
  expect([code, json['verdict']]).toEqual([3, 'MAJOR_ISSUES']);
  expect(printedBy(change, firstReview)).toContain('neither report counts');
});

const noTests: Readonly<Record<string, (change: ChangeRepository) => void>> = {
  "npm init's script": (change) => packageWith(change, { test: 'echo "Error: no test specified" && exit 1' }),
  'vitest without tests': (change) =>
    packageWith(change, { test: "echo 'No test files found, exiting with code 1'; exit 1" }),
  'pytest without tests': (change) => {
    change.repository.write('setup.py', '');
    change.repository.write('bin/pytest', '#!/bin/sh\necho no tests ran\nexit 5\n');
    chmodSync(join(change.repository.root, 'bin/pytest'), 0o755);
    change.repository.write('agentd/config.toml', `${settings}[checks]\ntest = ["bin/pytest", "-q"]\n`);
  },
};

test.concurrent.each(Object.entries(noTests))(
  '[D17] [change/checks/no-tests-not-available] %s: not available, and an approval is possible',
  async (_, prepare) => {
    const expected = { ...review('APPROVED'), expect_prompt: ['  - test: not available'] };
    const change = approved.copy([implement(), expected]);
    prepare(change);
    const { code, json, stderr } = await change.change('impl', id);
    expect([code, json['phase']], json['diagnostics']?.[0]?.message).toEqual([0, 'complete']);
    expect(stderr).toContain('test: not available (there are no tests)');
  },
);

test.concurrent('[D26] [change/checks/timed-out] a check that takes too long says so, keeps its output, and forbids an approval', async () => {
  const change = approved.copy([implement(), insisting('APPROVED', 'MAJOR_ISSUES')]);
  const slow = `console.log("so far"); setTimeout(() => {}, 60000)`;
  change.repository.write(
    'agentd/config.toml',
    `${settings}[checks]\ntest = ['node', '-e', '${slow}']\ntimeout_minutes = 0.02\n`,
  );
  const { json, stderr } = await change.change('impl', id);
  expect(json['verdict']).toBe('MAJOR_ISSUES');
  expect(stderr).toMatch(/test: timed out \(node .* was stopped after 0\.02 minutes; see \[checks\] timeout_minutes\)/);
  expect(reviewOf(change)).toContain('- test: timed out\n');
  const [, log = ''] =
    /test: timed out \(required: no approval\), output in `(.+?)`/.exec(promptOf(change, firstReview)) ?? [];
  expect(readFileSync(log, 'utf8')).toBe('so far\n');
});

test.concurrent('[trial D3] a check that somebody kills found out nothing, and is made again', async () => {
  const change = approved.copy();
  const mark = join(change.repository.folder, 'killed');
  change.repository.write('check.sh', `test -e '${mark}' || { touch '${mark}'; kill -9 $$; }\n`);
  change.repository.write('pawl.toml', '[checks]\ntest = ["sh", "check.sh"]\n');
  change.script([implement(), { ...review('APPROVED'), expect_prompt: ['test: passed'] }]);
  const { code, stderr } = await change.change('impl', id);
  expect(code, stderr).toBe(0);
});
