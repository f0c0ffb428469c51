import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProposal } from '../documents/proposal.ts';

const program = fileURLToPath(new URL('../../dist/pawl.js', import.meta.url));
const demoMsMax = 250_000;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-demo-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Ran {
  readonly exitCode: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd = folder, env = process.env): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd, env, timeout: demoMsMax }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const pawl = (args: readonly string[], cwd?: string): Promise<Ran> => run(process.execPath, [program, ...args], cwd);

describe('from the first command to the archive', () => {
  let sample = '';
  let ran: Ran;
  const read = (path: string): string => readFileSync(join(sample, path), 'utf8');

  beforeAll(async () => {
    sample = join(folder, 'sample');
    // Audit 12.10: the demo's own repository is nothing that an agent could approve.
    ran = await run(process.execPath, [program, 'demo', sample], folder, { ...process.env, CLAUDECODE: '1' });
  }, demoMsMax);

  test('prints what the README shows, times and sums aside', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, transcript = ''] = /```\n(\$ pawl change plan [^]*?)\n```/.exec(readme) ?? [];
    const told = (text: string): string[] =>
      text
        .replaceAll(/\d+\.\d+s|[\d.]+k tok|\$\d+\.\d+/g, '#')
        .split('\n')
        .map((line) => line.trim());
    const printed = told(`${ran.stdout}${ran.stderr}`);
    const shown = told(transcript);
    expect(shown.length).toBeGreaterThan(60);
    // The README breaks the long lines of a diff at words.
    const isPart = (line: string): boolean => !line.startsWith('Next: ') && printed.join(' ').includes(line);
    expect(shown.filter((line) => !printed.includes(line) && !isPart(line))).toEqual([]);
  });

  test('it succeeds, and says first that the agent is scripted', () => {
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toMatch(/^This is a rehearsal: every agent in it is scripted\. No model is called/);
  });

  test('it shows the commands as a person types them', () => {
    const shown = ran.stdout.split('\n').filter((line) => line.startsWith('$ '));
    expect(shown).toEqual([
      "$ pawl change plan limit-slugs 'Slugs get a maximum length and stay unique' --agent scripted",
      '$ pawl change impl limit-slugs --agent scripted',
      '$ pawl change archive limit-slugs --agent scripted',
    ]);
  });

  test('every file it says is worth opening is there', () => {
    const after = ran.stdout.slice(ran.stdout.indexOf('Files to read in'), ran.stdout.indexOf('Try next'));
    const paths = [...after.matchAll(/^ {2}(\S+)/gm)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((path) => !existsSync(join(sample, path)))).toEqual([]);
  });

  test('the plan was revised once, the specs are merged, the changelog names the change', () => {
    const { reviews } = readProposal(read('agentd/archive/limit-slugs/proposal.md'), 'proposal.md');
    expect(reviews.map(({ status }) => status)).toEqual(['needs_revision', 'approved']);
    expect(read('agentd/archive/limit-slugs/STATE.yaml')).toMatch(/^phase: archived$/m);
    expect(read('agentd/archive/limit-slugs/REVIEW.md')).toMatch(/^# Code Review \(Iteration 2\)$/m);
    expect(read('agentd/specs/slug.md')).toMatch(
      /^### R1: Characters$[^]*^### R3: Length$[^]*60 characters[^]*^### R4:/m,
    );
    expect(read('agentd/specs/slug-unique.md')).toMatch(/^### R2: Numbers count$/m);
    const changelog = read('agentd/specs/CHANGELOG.md');
    expect(changelog).toMatch(/^## limit-slugs /m);
    expect(changelog).toContain('- `slug`: added R4; modified R3\n');
    expect(changelog).toContain('- `slug-unique`: new (R1, R2)\n');
    expect(existsSync(join(sample, 'agentd/changes/limit-slugs'))).toBe(false);
  });

  test("the sample's tests pass, those of the change included", async () => {
    expect(await run('npm', ['test'], sample)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/pass 10$/m),
    });
  });

  test(
    'every command it says to try next works when typed',
    async () => {
      const after = ran.stdout.slice(ran.stdout.indexOf('Try next'), ran.stdout.indexOf('With a real agent'));
      const lines = after.split('\n').filter((line) => line.startsWith('  '));
      expect(lines.length).toBeGreaterThan(6);
      const typed = await run('bash', ['-c', ['set -e', 'shopt -s expand_aliases', ...lines].join('\n')]);
      expect(typed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('limit-slugs') });
    },
    demoMsMax,
  );
});

test(
  'a demo that is interrupted stops in order, names the way back, and can be resumed',
  async () => {
    const sample = join(folder, 'interrupted');
    const child = spawn(process.execPath, [program, 'demo', sample, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const planning = setInterval(() => {
      if (!existsSync(join(sample, 'agentd/changes/limit-slugs/proposal.md'))) return;
      clearInterval(planning);
      child.kill('SIGTERM');
    }, 20);
    expect(await ended).toBe(130);
    clearInterval(planning);
    expect(JSON.parse(stdout)).toEqual({ exitCode: 130, folder: sample, run: 'limit-slugs' });
    expect(stderr).toContain('The demo stops here');
    expect(stderr).toContain(`cd ${sample}`);
    expect(await pawl(['resume', 'limit-slugs', '--no-input'], sample)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(sample, 'agentd/changes/limit-slugs/STATE.yaml'), 'utf8')).toMatch(/^phase: challenged$/m);
  },
  demoMsMax,
);

test("a folder with somebody's files is refused, exit 2", async () => {
  const full = join(folder, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'mine.txt'), 'mine');
  const { exitCode, stdout, stderr } = await pawl(['demo', full]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`${full} is not empty`);
});
