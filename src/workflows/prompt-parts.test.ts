import { describe, expect, test } from 'vitest';
import { DocumentError } from '../documents/document-error.ts';
import { promptFiles, promptParts } from '../documents/prompt-parts.ts';
import { readWorkflowConfig } from './workflow-config.ts';

const prompt = `You are the reviewer.

## Read first

- \`a.md\`

## Look for

- Gaps.

## What to do

Call \`create_proposal\`.

## Limits

Read only.

## Report

Call \`create_review\`.
`;
const place = { workflow: 'change', role: 'reviewer', tools: ['create_proposal', 'create_review'] };
const files: Readonly<Record<string, string>> = {
  'docs/rules.md': '# Ours\n\n## Report\n\nNothing.\n',
  'docs/look.md': 'Bugs.\n',
};

function configOf(text: string) {
  const read = (path: string): string | undefined => (path === 'pawl.toml' ? text : files[path]);
  return readWorkflowConfig({ read }, { sections: {}, roles: ['reviewer'] });
}

function partsOf(text: string, more: Partial<typeof place> = {}) {
  return promptParts(prompt, configOf(text).config.prompts, { ...place, ...more }, { read: (path) => files[path] });
}

const textOf = (parts: ReturnType<typeof partsOf>): string => parts.map(({ text }) => text).join('');

describe('the prompt of a role', () => {
  test('is as bundled where the project adds nothing', () => {
    expect(textOf(partsOf(''))).toBe(prompt);
    expect(textOf(partsOf('[prompts.change.planner]\nappend = "Short."\n'))).toBe(prompt);
    expect(textOf(partsOf('[prompts.issue.reviewer]\nappend = "Short."\n'))).toBe(prompt);
  });

  test('R1, R2: has house rules and rules for the role before the limits, without sections of Pawl', () => {
    const parts = partsOf('[prompts]\nhouse_rules = "docs/rules.md"\n[prompts.change.reviewer]\nappend = "Count."\n');
    expect(parts.map(({ origin, section }) => [origin, section])).toEqual([
      ['Pawl', null],
      ['Pawl', 'Read first'],
      ['Pawl', 'Look for'],
      ['Pawl', 'What to do'],
      ['docs/rules.md', 'House rules'],
      ['pawl.toml', 'Rules for the reviewer'],
      ['Pawl', 'Limits'],
      ['Pawl', 'Report'],
    ]);
    expect(textOf(parts)).toContain(
      '## House rules\n\n### Ours\n\n#### Report\n\nNothing.\n\n## Rules for the reviewer\n\nCount.\n\n## Limits',
    );
  });

  test('R1: a section about the work is replaced; one that names a tool is not', () => {
    const parts = partsOf(
      '[prompts.change.reviewer.replace]\n"Look for" = "docs/look.md"\n"What to do" = "As you like."\n',
    );
    expect(textOf(parts)).toBe(prompt.replace('- Gaps.', 'Bugs.'));
    expect(parts.find(({ section }) => section === 'Look for')).toMatchObject({
      origin: 'docs/look.md',
      replaceable: true,
    });
    expect(parts.filter(({ replaceable }) => replaceable)).toHaveLength(1);
  });
});

describe('the configuration', () => {
  test.each([
    [
      '[prompts]\nhouse_rules = "docs/none.md"\n',
      'pawl.toml:2: prompts.house_rules is "docs/none.md"; expected a file',
    ],
    ['[prompts.change.reviewer.replace]\nReport = "Say yes."\n', 'pawl.toml:2: prompts.change.reviewer.replace.Report'],
    ['[prompts.change.reviewer]\nappend = 3\n', 'pawl.toml:2: prompts.change.reviewer.append is 3'],
  ])('refuses %j', (text, message) => {
    const read = () => configOf(text);
    expect(read).toThrow(DocumentError);
    expect(read).toThrow(message);
  });

  test('warns of a role that the workflow lacks, and names all files', () => {
    const { config, warnings } = configOf(
      '[prompts]\nhouse_rules = "docs/rules.md"\n[prompts.change.reviwer]\nappend = "docs/look.md"\n',
    );
    expect(warnings.map(({ message }) => message).join()).toContain(
      'change has no role "reviwer"; did you mean reviewer?',
    );
    expect(promptFiles(config.prompts).map(({ file }) => file)).toEqual(['docs/rules.md', 'docs/look.md']);
  });

  test('a path that leads out of the repository is a text', () => {
    expect(promptFiles(configOf('[prompts]\nhouse_rules = "../../etc/x.md"\n').config.prompts)).toEqual([]);
  });
});
