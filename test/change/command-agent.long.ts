/** A program nobody wrote an adapter for, through a whole change: prompt on standard input, report as a fenced block. */

import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readJournal } from '../../src/store/read-journal.ts';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';
import { implemented, planned, program, type Turn } from './scripts.ts';

const repositories: ScratchRepository[] = [];

afterEach(() => {
  for (const repository of repositories.splice(0)) repository.remove();
});

/** Plays the turn of the tool the prompt asks for; the first report of the challenger is wrong. */
const agent = `#!${process.execPath}
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const { turns, refusals } = JSON.parse(readFileSync(new URL('turns.json', import.meta.url), 'utf8'));
const prompt = readFileSync(process.argv[2] === '--file' ? process.argv[3] : 0, 'utf8');
const asked = prompt.split('## Without MCP')[0];
const turn = turns.find(({ call }) => asked.includes('\`' + call[0].tool + '\`'));
for (const [path, content] of Object.entries(turn.write ?? {})) {
  mkdirSync('src', { recursive: true });
  writeFileSync(path, content);
}
const log = new URL('refused.log', import.meta.url);
const wrong = turn.role === 'challenger' && (!existsSync(log) || refusals > 1);
if (wrong || prompt.includes('was refused')) appendFileSync(log, prompt.split('## Your last report was refused')[1] ?? 'first');
const calls = wrong ? [{ tool: 'append_review', args: { status: 'splendid', content: 'x', issues: [] } }] : turn.call;
console.log('Here is my report.\\n\\n\`\`\`json\\n' + JSON.stringify(calls, null, 2) + '\\n\`\`\`');
`;

function repositoryWith(command: readonly string[], turns: readonly Turn[], refusals = 1): ScratchRepository {
  const roles = ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'];
  const repository = WarmRepository.create(program, {
    'README.md': '# Scratch\n',
    'agentd/config.toml': [
      '[workflow]\nretry_delay_secs = 0\nscript_retries = 0',
      `[roles]\n${roles.map((role) => `${role} = "mine"`).join('\n')}`,
      '[checks]\ntest = ["node", "-e", "0"]',
      `[mine]\ncommand = ${JSON.stringify(command)}`,
    ].join('\n\n'),
  });
  repositories.push(repository);
  writeFileSync(join(repository.folder, 'agent.mjs'), agent, { mode: 0o755 });
  writeFileSync(join(repository.folder, 'turns.json'), JSON.stringify({ turns, refusals }));
  return repository;
}

test.each([
  ['standard input', ['../agent.mjs']],
  ['a file', ['../agent.mjs', '--file', '{prompt_file}']],
])('a whole change, with the prompt from %s', async (_where, command) => {
  const repository = repositoryWith(command, [...planned, ...implemented]);
  const plan = await repository.pawl(['change', 'plan', 'greet', 'Greet people by name', '--no-input']);
  expect(plan.code, plan.stderr).toBe(0);
  expect(readFileSync(join(repository.folder, 'refused.log'), 'utf8')).toContain('status');
  const impl = await repository.pawl(['change', 'impl', 'greet', '--no-input']);
  expect(impl.code, impl.stderr).toBe(0);
  expect(repository.read('src/1.1.mjs')).toBe("export const made = '1.1';\n");
  const signals = (readJournal(repository.runFolder('change', 'greet')) ?? []).flatMap((record) =>
    record.type === 'moved' && record.dispatch ? [record.signal] : [],
  );
  expect(signals).toEqual(['reported', 'reported', 'reported', 'approved', 'reported', 'approved']);
});

test('attack 1.20, audit 12.4: a program that is replaced during a command is not started again', async () => {
  const repository = repositoryWith(['../agent.mjs'], [...planned, ...implemented], 0);
  const path = join(repository.folder, 'agent.mjs');
  // Its first call leaves another program in its place.
  const swap = `import { writeFileSync as put } from 'node:fs';\nput(${JSON.stringify(path)}, ${JSON.stringify(agent)});\n`;
  writeFileSync(path, agent.replace('\n', `\n${swap}`));
  const plan = await repository.pawl(['change', 'plan', 'greet', 'Greet people by name', '--no-input']);
  expect([plan.code, plan.stdout + plan.stderr]).toEqual([
    69,
    expect.stringContaining('the program of mine was replaced while this command runs'),
  ]);
  expect(startedIn(repository)).toHaveLength(1);
  const resumed = await repository.pawl(['resume', 'greet', '--no-input']);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout + resumed.stderr).toContain('the program of mine is not the one this run used before');
  const [first, ...others] = startedIn(repository).map(({ program: used }) => used?.[0]);
  expect(first).toEqual({ path: realpathSync(path), digest: expect.stringMatching(/^sha256:/) });
  expect(new Set(others.map((used) => used?.digest)).size).toBe(1);
  expect(others[0]?.digest).not.toBe(first?.digest);
});

test('audit 12.4: the record of a command has the digest of its configuration', async () => {
  const repository = repositoryWith(['../agent.mjs'], [...planned, ...implemented], 0);
  const digests = (): readonly (string | undefined)[] =>
    (readJournal(repository.runFolder('change', 'greet')) ?? []).flatMap((record) =>
      record.type === 'moved' && record.by?.how === 'command' ? [record.config] : [],
    );
  await repository.pawl(['change', 'plan', 'greet', 'Greet people by name', '--no-input']);
  await repository.pawl(['change', 'plan', 'greet', '--no-input']);
  repository.write('pawl.toml', '[budget]\ncost_usd = 3\n');
  await repository.pawl(['change', 'impl', 'greet', '--no-input']);
  const [first, second, third] = digests();
  expect(first).toMatch(/^sha256:/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

function startedIn(repository: ScratchRepository) {
  const records = readJournal(repository.runFolder('change', 'greet')) ?? [];
  return records.filter((record) => record.type === 'dispatch.started');
}

test('a report that stays wrong is refused three times, and the run can be resumed', async () => {
  const repository = repositoryWith(['../agent.mjs'], planned, 9);
  const plan = await repository.pawl(['change', 'plan', 'greet', 'Greet people by name', '--no-input']);
  expect(plan.code, plan.stderr).toBe(1);
  expect(plan.stdout).toContain('refused: append_review was refused');
  expect(readFileSync(join(repository.folder, 'refused.log'), 'utf8').match(/status/g)?.length).toBeGreaterThanOrEqual(
    2,
  );
  writeFileSync(join(repository.folder, 'turns.json'), JSON.stringify({ turns: planned, refusals: 0 }));
  const resumed = await repository.pawl(['resume', 'greet', '--no-input']);
  expect(resumed.code, resumed.stderr).toBe(0);
});
