import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../src/cli/command-table.ts';

const folder = new URL('../integrations/agentd/', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

describe('[change/commands/slash-commands] /agentd:plan, /agentd:impl, /agentd:archive', () => {
  test('there are these three and no others', () => {
    expect(JSON.parse(read('.claude-plugin/plugin.json'))).toMatchObject({ name: 'agentd' });
    expect(readdirSync(join(folder, 'commands')).toSorted()).toEqual(['archive.md', 'impl.md', 'plan.md']);
  });

  test.each(['plan', 'impl', 'archive'])(
    '%s runs a command that exists, asks nobody by itself, and leaves answers to the person',
    (verb) => {
      const text = read(`commands/${verb}.md`);
      expect(commands('agentd').some(({ path }) => path[0] === verb)).toBe(true);
      expect(text).toContain(`agentd ${verb} $ARGUMENTS`);
      expect(text).toContain('--no-input');
      expect(text).not.toMatch(/allowed-tools:.*(answer|Write|Edit)/);
    },
  );

  test('the version is the package’s', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(JSON.parse(read('.claude-plugin/plugin.json'))).toMatchObject({ version });
  });
});
