/** Which agent works: what is installed, who stands in for whom, and waiting for a limit to end. */

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ChangeRepository, planned, propose, type Turn } from './scripts.ts';

const made: ChangeRepository[] = [];
afterEach(() => {
  for (const change of made.splice(0)) change.repository.remove();
});

function repository(turns: readonly Turn[], config: string): ChangeRepository {
  const change = ChangeRepository.create(turns, config);
  made.push(change);
  return change;
}

/** `plan` with the configured agents; the scripted one knows its script in case it is needed. */
async function plan(change: ChangeRepository, { PATH, description }: { PATH?: string; description?: string } = {}) {
  const words = ['change', 'plan', 'greet', ...(description === undefined ? [] : [description])];
  const flags = ['--script', change.scriptFile, '--json'];
  const ran = await change.repository.pawl([...words, ...flags], { env: PATH === undefined ? {} : { PATH } });
  return { ...ran, json: JSON.parse(ran.stdout) };
}
const description = 'Greet by name';

/** A program of that name in a folder of its own; it says its version, and otherwise what it is told to. */
function fakeProgram(change: ChangeRepository, name: string, says: string): string {
  const folder = join(change.repository.root, '..', `bin-${name}`);
  change.repository.write(
    `../bin-${name}/${name}`,
    `#!${process.execPath}\nif (process.argv.includes('--version')) console.log('9.9.9'); else console.log(${JSON.stringify(says)});\n`,
  );
  chmodSync(join(folder, name), 0o755);
  return folder;
}

/** In two hours. */
const resetsAt = Math.ceil(Date.now() / 1_000) + 7_200;

const roles = (agent: string): string =>
  `[roles]\n${['planner', 'challenger'].map((role) => `${role} = "${agent}"\n`).join('')}`;

describe('a stand-in', () => {
  test('goes on where the agent is missing, and the journal says who did the work', async () => {
    const change = repository(planned, `fallback = ["scripted"]\n${roles('claude')}`);
    const { code, stderr, json } = await plan(change, { description });
    expect([code, json['phase']]).toEqual([0, 'challenged']);
    expect(stderr).toContain('scripted replaces claude: claude is not installed');
    expect(new Set(json['dispatches'].map(({ agent }: { agent: string }) => agent))).toEqual(new Set(['scripted']));
  });

  test('goes on where the agent is out of quota; what that one had begun is abandoned with the reason', async () => {
    const change = repository(planned, `fallback = ["scripted"]\n${roles('claude')}`);
    const limited = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: `Claude AI usage limit reached|${resetsAt}`,
    });
    const PATH = `${fakeProgram(change, 'claude', limited)}:${process.env['PATH']}`;
    const { code, json, stderr } = await plan(change, { description, PATH });
    expect([code, json['phase']], stderr).toEqual([0, 'challenged']);
    const journal = readFileSync(join(change.repository.runFolder('change', 'greet'), 'journal.jsonl'), 'utf8');
    expect(journal).toMatch(/"type":"dispatch.abandoned".*claude: .*usage limit reached.*until 20\d\d-/);
    expect(journal.match(/dispatch\.abandoned/g)).toHaveLength(1);
  });

  test('is refused where it would judge its own work: exit 75, and what to wait for (attack 2.30)', async () => {
    const cast = '[roles]\nplanner = "scripted"\nchallenger = "claude"\n';
    const change = repository(planned, `fallback = ["scripted"]\n${cast}`);
    const limited = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: `Claude AI usage limit reached|${resetsAt}`,
    });
    const PATH = `${fakeProgram(change, 'claude', limited)}:${process.env['PATH']}`;
    const { code, json, stderr } = await plan(change, { description, PATH });
    expect(code, stderr).toBe(75);
    expect(json['diagnostics'][0].message).toMatch(
      /usage limit reached.*; scripted may not replace it: it is the planner, and nobody judges their own work/,
    );
    const agents = json['dispatches'].map(({ role, agent }: Record<string, string>) => `${role} ${agent}`);
    expect(new Set(agents)).toEqual(new Set(['planner scripted', 'challenger claude']));
  });

  test('is refused where it would make what it judges, also if it is missing (attack 2.30)', async () => {
    const cast = '[roles]\nplanner = "claude"\nchallenger = "scripted"\n';
    const change = repository(planned, `fallback = ["scripted"]\n${cast}`);
    const { code, json } = await plan(change, { description });
    expect(code).toBe(69);
    expect(json['diagnostics'][0].message).toContain('scripted may not replace it: it is the challenger');
  });

  test('has nobody behind it: exit 69 for a missing one, 75 for a limit', async () => {
    const change = repository(planned, roles('claude'));
    expect((await plan(change, { description })).code).toBe(69);
    const limited = '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429 rate_limit_error"}';
    const PATH = `${fakeProgram(change, 'claude', limited)}:${process.env['PATH']}`;
    expect((await plan(change, { description, PATH })).code).toBe(75);
  });
});

test('--wait: waits until the time it was told, and goes on by itself', async () => {
  const change = repository([{ ...propose(), fault: 'rate_limited:2' }, ...planned], '');
  const { code, json, stderr } = await change.change('plan', 'greet', 'Greet by name', '--wait');
  expect([code, json['phase']], stderr).toEqual([0, 'challenged']);
  expect(stderr).toMatch(/rate-limited until \d\d:\d\d \(in \d+s\); Ctrl-C stops/);
});

test('an agent that is too old is named with the command that updates it', async () => {
  const change = repository(planned, roles('claude'));
  const folder = fakeProgram(change, 'claude', '');
  change.repository.write('../bin-claude/claude', `#!${process.execPath}\nconsole.log('1.0.3');\n`);
  const { code, json } = await plan(change, { description, PATH: `${folder}:${process.env['PATH']}` });
  expect(code).toBe(69);
  expect(json['diagnostics'][0].message).toMatch(/claude 1\.0\.3 is too old, .* or newer is needed; run npm install/);
});

test("a dispatch's events are kept in one vocabulary, whoever the vendor is", async () => {
  const turn = { ...propose(), say: 'On my way.', usage: { input_tokens: 5, output_tokens: 3, cost_usd: 0.01 } };
  const change = repository([turn], '[workflow]\nscript_retries = 0\n');
  await change.change('plan', 'greet', description);
  const log = join(change.repository.runFolder('change', 'greet'), 'dispatches', '1', 'events.jsonl');
  const events = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toEqual(
    expect.arrayContaining([
      { type: 'text', text: 'On my way.' },
      { type: 'tool', name: 'create_proposal' },
      { type: 'usage', inputTokens: 5, outputTokens: 3, costUsd: 0.01 },
    ]),
  );
  expect(events.at(-1)).toEqual({ type: 'finished', error: null });
});
