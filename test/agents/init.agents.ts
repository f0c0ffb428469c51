/** The real agents find what `pawl init` installed for them. */

import { describe, expect, test, type TestContext } from 'vitest';
import { PersonAgent } from './person-agent.ts';

async function personWith(agent: string, { onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const person = await PersonAgent.create(agent);
  onTestFinished(() => person.close());
  return person;
}

const context = 'Poll tea; next: pawl poll topics';
const described = "Pawl's change workflow (plan, impl, lean, archive).";
/** As JSON of the request has it. */
const called = 'Run `pawl poll topics';

/** Of a tool of `pawl mcp`, registered as docs/guides/coding-agents.md says. */
const served = 'Unfinished runs of this repository';
const server = { command: 'pawl', args: ['mcp'] };

describe('claude', () => {
  const env = (person: PersonAgent) => ({
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: person.server.url,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  });
  const args = ['claude', '-p', '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'];

  test('lists skills and command, and the context of the session reaches the model', async (test) => {
    const person = await personWith('claude', test);
    const { stdout, sent } = await person.start(args, 'Hello', env(person));
    const [begin] = stdout.split('\n').flatMap((line) => (line.includes('"subtype":"init"') ? [JSON.parse(line)] : []));
    expect(begin).toMatchObject({
      skills: expect.arrayContaining(['pawl-change', 'pawl-session', 'pawl-issue', 'pawl-poll']) as unknown,
      slash_commands: expect.arrayContaining(['topics']) as unknown,
    });
    expect(sent).toContain(context);
    expect(sent).toContain(described);
    // What only a person calls is not in the model's context.
    expect(sent).not.toContain('all topics');
  });

  test('[feature/hook/context] the context of the active feature reaches the model, and its phases are commands', async (test) => {
    const person = await personWith('claude', test);
    expect((await person.repository.pawl(['feature', 'create', 'Short slugs', '--mode', 'hotfix'])).code).toBe(0);
    const { stdout, sent } = await person.start(args, 'Hello', env(person));
    expect(sent).toContain('Feature 001-short-slugs (hotfix): created; next: pawl feature implement 001-short-slugs');
    const [begin] = stdout.split('\n').flatMap((line) => (line.includes('"subtype":"init"') ? [JSON.parse(line)] : []));
    expect(begin).toMatchObject({ slash_commands: expect.arrayContaining(['specify', 'finish']) as unknown });
  });

  test('runs the command that the person calls', async (test) => {
    const person = await personWith('claude', test);
    const { sent } = await person.start(args, '/topics now', env(person));
    expect(sent).toContain(`${called} now --json --no-input`);
  });

  test('offers the tools of pawl mcp to its model', async (test) => {
    const person = await personWith('claude', test);
    const add = ['claude', 'mcp', 'add', '--scope', 'project', 'pawl', '--', 'pawl', 'mcp'];
    expect((await person.start(add, '', env(person))).code).toBe(0);
    const settings = JSON.stringify({ enableAllProjectMcpServers: true });
    const { stdout } = await person.start([...args, '--settings', settings], 'Hello', env(person));
    expect(stdout).toContain('mcp__pawl__list_runs');
  });

  test('prefers the command of the repository to its own of the same name', async (test) => {
    const person = await personWith('claude', test);
    person.repository.write('.claude/commands/verify.md', '---\ndescription: x\n---\nRun `mine $ARGUMENTS`');
    expect((await person.start(args, '/verify now', env(person))).sent).toContain('Run `mine now`');
  });
});

describe('codex', () => {
  const args = ['codex', 'exec', '--json', '-'];
  const env = { SCRIPTED_KEY: 'dummy' };
  const configured = async (test: TestContext) => {
    const person = await personWith('codex', test);
    person.put(
      'home/.codex/config.toml',
      `model = "scripted-model"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
remote_plugin = false
plugin_discovery_prefetch = false
apps = false

[model_providers.scripted]
name = "Scripted"
base_url = "${person.server.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`,
    );
    return person;
  };

  test('lists the skills to its model, without those that only a person calls', async (test) => {
    const person = await configured(test);
    const { sent, stderr } = await person.start(args, 'Hello', env);
    expect(sent, stderr).toContain(described);
    expect(sent).toContain('pawl-poll');
    expect(sent).not.toContain('all topics');
  });

  test('offers the tools of pawl mcp to its model', async (test) => {
    const person = await configured(test);
    const add = ['codex', 'mcp', 'add', 'pawl', '--', 'pawl', 'mcp'];
    expect((await person.start(add, '', env)).code).toBe(0);
    const { sent, stderr } = await person.start(args, 'Hello', env);
    expect(sent, stderr).toContain(served);
  });

  test('loads the skill that the person calls', async (test) => {
    const person = await configured(test);
    const { sent, stderr } = await person.start(args, '$topics now', env);
    expect(sent, stderr).toContain(`${called} <arguments> --json --no-input`);
  });
});

describe('gemini', () => {
  test('runs the commands that the person calls, and connects to pawl mcp', async (test) => {
    const person = await personWith('gemini', test);
    person.put(
      'home/.gemini/settings.json',
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    );
    const env = {
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: person.server.url,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    };
    const args = ['gemini', '-m', 'gemini-2.5-pro', '--output-format', 'stream-json', '-p'];
    const add = ['gemini', 'mcp', 'add', '--scope', 'project', 'pawl', 'pawl', 'mcp'];
    expect((await person.start(add, '', env)).code).toBe(0);
    const topics = await person.start([...args, '/topics now'], '', env);
    expect(topics.sent, topics.stderr + topics.stdout).toContain(`${called} now --json --no-input`);
    const change = await person.start([...args, '/pawl-change plan add-login'], '', env);
    expect(change.sent, change.stderr).toContain("The person's request: plan add-login");
    // Where nobody can confirm a call, the tools are not offered to the model.
    const listed = await person.start(['gemini', 'mcp', 'list'], '', env);
    expect(listed.stdout + listed.stderr).toMatch(/pawl: pawl mcp \(stdio\).*Connected/);
  });
});

describe('opencode', () => {
  const configured = async (test: TestContext) => {
    const person = await personWith('opencode', test);
    const model = { name: 'Model', tool_call: true, limit: { context: 200_000, output: 8_000 } };
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${person.server.url}/v1`, apiKey: 'dummy' },
      models: { model },
    };
    // With these it has no need to install anything.
    const plugin = { dependencies: { '@opencode-ai/plugin': '1.18.33' } };
    const lock = { lockfileVersion: 3, packages: { '': plugin } };
    const config = { autoupdate: false, share: 'disabled', enabled_providers: ['scripted'], provider: { scripted } };
    for (const folder of ['home/.config/opencode', 'repo/.opencode']) {
      person.put(`${folder}/package.json`, JSON.stringify(plugin));
      person.put(`${folder}/package-lock.json`, JSON.stringify(lock));
      person.put(`${folder}/node_modules/.keep`, '');
    }
    person.put('home/.config/opencode/opencode.json', JSON.stringify(config));
    return person;
  };
  const env = {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  };
  const args = ['opencode', 'run', '--format', 'json', '-m', 'scripted/model', '--title', 'run'];

  test('lists the skills to its model', async (test) => {
    const person = await configured(test);
    const { sent, stderr } = await person.start(args, 'Hello', env);
    expect(sent, stderr).toContain(described);
  });

  test('offers the tools of pawl mcp to its model', async (test) => {
    const person = await configured(test);
    const mcp = { pawl: { type: 'local', command: ['pawl', 'mcp'] } };
    person.repository.write('opencode.json', JSON.stringify({ mcp }));
    const { sent, stderr } = await person.start(args, 'Hello', env);
    expect(sent, stderr).toContain(served);
  });

  test('runs the command that the person calls', async (test) => {
    const person = await configured(test);
    const { sent, stderr } = await person.start([...args, '--command', 'topics', 'now'], '', env);
    expect(sent, stderr).toContain(`${called} now --json --no-input`);
  });
});

describe('copilot', () => {
  const env = (person: PersonAgent) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_BASE_URL: person.server.url,
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'claude-sonnet-4.6',
  });
  const args = ['copilot', '--output-format', 'json', '--no-color', '--no-auto-update', '--disable-builtin-mcps'];

  // In its non-interactive mode a person cannot call a skill by `/name`: the words reach the model as they are.
  test('lists the skills, and loads the one that its model asks for', async (test) => {
    const person = await personWith('copilot', test);
    person.server.play([{ role: 'nobody', call: [{ tool: 'skill', args: { skill: 'pawl-change' } }] }]);
    const { sent, stdout, stderr } = await person.start(args, 'Hello', env(person));
    const names = ['pawl-change', 'pawl-session', 'pawl-issue', 'pawl-poll', 'topics'];
    const loaded = stdout.split('\n').find((line) => line.includes('"session.skills_loaded"'));
    const { data } = JSON.parse(loaded ?? '{}') as { data: { skills: { name: string; userInvocable: boolean }[] } };
    const callable = data.skills.filter(({ userInvocable }) => userInvocable).map(({ name }) => name);
    expect(callable, stderr).toEqual(expect.arrayContaining(names));
    expect(sent).toContain('change workflow (plan, impl, lean, archive).');
    expect(sent).not.toContain('all topics');
    expect(sent).toContain('Merge the specs of a complete change');
  });

  test('offers the tools of pawl mcp to its model', async (test) => {
    const person = await personWith('copilot', test);
    const mcpServers = { pawl: { type: 'local', ...server, tools: ['*'] } };
    const more = ['--additional-mcp-config', JSON.stringify({ mcpServers })];
    const { sent, stderr } = await person.start([...args, ...more], 'Hello', env(person));
    expect(sent, stderr).toContain(served);
  });
});
