import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { implemented, planned } from '../change/scripts.ts';
import { run, type AgentUnderTest } from './agent-run.ts';
import { agentScenarios, startRun } from './agent-scenarios.ts';

const claude: AgentUnderTest = {
  agent: 'claude',
  env: (server) => ({ ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: server.url }),
};
const subscribed: AgentUnderTest = {
  ...claude,
  env: (server) => ({ CLAUDE_CODE_OAUTH_TOKEN: 'dummy', ANTHROPIC_BASE_URL: server.url }),
};

agentScenarios({ ...claude, tellsCost: true, resumes: true });

describe('claude, beyond what all have', () => {
  test('the limit of a subscription ends at the time that was told', async (context) => {
    const resetsAt = Math.ceil(Date.now() / 1000) + 5_400;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'retry-after': '5400',
    };
    const error = { status: 429, message: 'This request would exceed your account’s rate limit.', headers };
    const work = await startRun(context, subscribed, [{ role: 'planner', error }], { retries: 2 });
    const ran = await work.change('plan', 'Greet people by name');
    expect([ran.code, ran.json['until']], ran.stderr).toEqual([75, new Date(resetsAt * 1000).toISOString()]);
    expect(work.server.asked.length).toBe(1);
  });

  test('nobody logged in: not retried, and told what to do', async (context) => {
    const work = await startRun(
      context,
      { ...claude, env: (server) => ({ ANTHROPIC_BASE_URL: server.url }) },
      planned,
      {
        retries: 2,
      },
    );
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(69);
    expect(ran.stderr).toContain('/login');
    expect(work.server.asked).toEqual([]);
  });

  test('a model that does not exist: not retried', async (context) => {
    const error = { status: 404, message: 'model: claude-nonsense' };
    const work = await startRun(context, claude, [{ role: 'planner', error }], { retries: 2 });
    const ran = await work.change('plan', 'Greet people by name');
    expect(ran.code, ran.stderr).toBe(69);
    expect(ran.stderr).toContain('model');
  });

  test('neither its key nor our token reaches the shell of the model', async (context) => {
    const counting = 'echo "seen: $(env | grep -cE "ANTHROPIC_API_KEY|PAWL_TOOL_TOKEN")"';
    const [implementing = {}, ...rest] = implemented;
    const work = await startRun(context, claude, [{ ...implementing, run: counting }, ...rest]);
    await work.planFirst(planned);
    const ran = await work.change('impl');
    expect(ran.code, ran.stderr).toBe(0);
    expect(work.server.asked.flatMap(({ request }) => request.results).join('\n')).toContain('seen: 0');
  });

  test('settings that name programs are not left behind for the next claude of the user', async (context) => {
    // In a program: its own rules look at the words of a command.
    const plant = `import { homedir } from 'node:os';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const attempt = (act) => { try { act(); } catch {} };
attempt(() => writeFileSync(homedir() + '/.claude/settings.json', 'planted'));
attempt(() => mkdirSync(homedir() + '/.claude/hooks'));
attempt(() => writeFileSync(homedir() + '/.claude/hooks/planted.sh', 'planted'));
attempt(() => appendFileSync(homedir() + '/.claude.json', 'planted'));
writeFileSync(homedir() + '/.claude/note', 'kept');
`;
    const [implementing = {}, ...rest] = implemented;
    const turns = [{ ...implementing, run: 'node plant.mjs' }, ...rest];
    const prepare = (repository: ScratchRepository): void => {
      const { home } = repository;
      repository.write('plant.mjs', plant);
      mkdirSync(join(home, '.claude'));
      writeFileSync(join(home, '.claude/settings.json'), '{}');
      writeFileSync(join(home, '.claude.json'), '{}');
    };
    const work = await startRun(context, { ...claude, prepare }, turns);
    await work.planFirst(planned);
    const ran = await work.change('impl');
    expect(ran.code, ran.stderr).toBe(0);
    const at = (path: string): string => join(work.repository.home, path);
    expect(readFileSync(at('.claude/settings.json'), 'utf8')).toBe('{}');
    expect(readFileSync(at('.claude.json'), 'utf8')).toBe('{}');
    expect(existsSync(at('.claude/hooks'))).toBe(false);
    expect(readFileSync(at('.claude/note'), 'utf8')).toBe('kept');
    expect(ran.stderr).toMatch(/the agent made .*hooks, which may name programs to run: it was moved to/);
  });

  test('a run begun anew under the same name is another conversation', async (context) => {
    const work = await startRun(context, claude, [...planned, ...planned]);
    expect((await work.change('plan', 'Greet people by name')).code).toBe(0);
    const before = work.dispatches().map(({ session }) => session);
    rmSync(work.repository.runFolder('change', run), { recursive: true });
    rmSync(join(work.repository.root, 'agentd/changes', run), { recursive: true });
    work.play(planned);
    const again = await work.change('plan', 'Greet people by name');
    expect(again.code, again.stderr).toBe(0);
    expect(work.dispatches().map(({ session }) => session)).not.toEqual(before);
  });
});
