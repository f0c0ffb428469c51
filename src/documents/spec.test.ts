/* oxlint-disable unicorn/no-thenable -- THEN is a word of the format */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from './document-error.ts';
import { readSpec, renderSpec, type SpecInput } from './spec.ts';

const SPEC = `---
id: login
type: spec
title: Login
version: 1.10
requirements:
  total: 3
  ids: [R1, R2, WF-R1]
---

# Login

## Overview

People log in.

## Requirements

### R1: A password is needed

It must have 12 characters.

\`\`\`mermaid
graph TD
### R9: not a requirement
\`\`\`

### R2 - Sessions end

#### Scenario: nested
- **WHEN** an hour passes
- **THEN** the session ends

### WF-R1: Workflow

## Acceptance Criteria

### Scenario: wrong password
- **GIVEN** a user
- **AND** a password
- **WHEN**: the password is wrong
  or empty
- THEN an error is shown
* **and** nothing is stored

## Removed Requirements
They are obsolete.
- R3
### R4: Old

## Renamed Requirements
- R5 -> R7
- \`R6\` → R8: New title
`;

describe('reading', () => {
  const spec = readSpec(SPEC, 'specs/login.md');

  test('front matter and overview', () => {
    expect(spec).toMatchObject({
      id: 'login',
      title: 'Login',
      version: '1.10',
      overview: 'People log in.',
      hasFront: true,
    });
    expect(spec.stated).toEqual({ total: '3', ids: ['R1', 'R2', 'WF-R1'] });
    expect(spec.findings).toEqual([]);
  });

  test('requirements in all accepted spellings, code left alone', () => {
    expect(spec.requirements.map(({ id, title, line }) => [id, title, line])).toEqual([
      ['R1', 'A password is needed', 19],
      ['R2', 'Sessions end', 28],
      ['WF-R1', 'Workflow', 34],
    ]);
    expect(spec.requirements[0]?.text).toContain('### R9');
  });

  test('scenarios, with AND going on with the step before', () => {
    expect(spec.scenarios.map(({ name, within }) => [name, within])).toEqual([
      ['nested', 'R2'],
      ['wrong password', null],
    ]);
    expect(spec.scenarios[1]).toMatchObject({
      given: ['a user', 'a password'],
      when: ['the password is wrong or empty'],
      then: ['an error is shown', 'nothing is stored'],
    });
  });

  test('removed and renamed requirements', () => {
    expect(spec.removed).toEqual(['R3', 'R4']);
    expect(spec.renamed).toEqual([
      { from: 'R5', to: 'R7', title: null },
      { from: 'R6', to: 'R8', title: 'New title' },
    ]);
  });

  test('D2: what should be a requirement and is none is a High finding', () => {
    const text =
      '# A\n## Requirements\n### Be fast\n## Removed Requirements\n- everything\n## Renamed Requirements\n- R1\n';
    const { findings } = readSpec(text, 'a.md');
    expect(findings.map(({ severity, path, code, line }) => [severity, path, code, line])).toEqual([
      ['High', 'a.md', 'requirement-without-id', 3],
      ['High', 'a.md', 'unreadable-removed', 5],
      ['High', 'a.md', 'unreadable-renamed', 7],
    ]);
  });

  test('without front matter the file and the heading speak', () => {
    expect(readSpec('# Title\n### R1: x\n', 'specs/a-b.md')).toMatchObject({
      id: 'a-b',
      title: 'Title',
      version: '1',
      hasFront: false,
      requirements: [{ id: 'R1' }],
      findings: [
        {
          code: 'spec-structure',
          path: 'specs/a-b.md',
          line: 2,
          message: 'requirement R1 is not under "## Requirements"',
          fix: 'move it under "## Requirements"',
          severity: 'Low',
        },
      ],
    });
  });

  test.each(['---\nid: [\n---\n', '---\n- a\n---\n'])('broken front matter is an error', (text) => {
    expect(() => readSpec(text, 'a.md')).toThrow(DocumentError);
  });
});

describe('renderSpec', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ':', '"', '#', '-', '*', '1', 'é'), maxLength: 10 });
  const line = word.map((text) => `x${text.replaceAll('#', '').replaceAll(/\s+/g, ' ')}`.trim());
  const input = fc.record({
    id: fc.constantFrom('login', 'a-1'),
    title: line,
    version: fc.constantFrom(1, '1.10'),
    overview: line,
    requirements: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('R1', 'R2', 'R10', 'WF-R1'),
        title: line,
        text: fc.array(line).map((lines) => lines.join('\n')),
      }),
      { selector: ({ id }) => id },
    ),
    scenarios: fc.array(fc.record({ name: line, given: fc.array(line), when: fc.array(line), then: fc.array(line) }), {
      maxLength: 3,
    }),
    removed: fc.subarray(['R21', 'R22']),
    renamed: fc.subarray([
      { from: 'R31', to: 'R32', title: null },
      { from: 'R33', to: 'R34', title: 'New' },
    ]),
  });

  test('what is written is read back', () => {
    fc.assert(
      fc.property(input, (given) => {
        const spec = readSpec(renderSpec(given), 'specs/x.md');
        expect(spec).toMatchObject({
          id: given.id,
          title: given.title,
          version: String(given.version),
          overview: given.overview,
        });
        expect(spec.requirements.map(({ id, title, text }) => ({ id, title, text }))).toEqual(given.requirements);
        expect(
          spec.scenarios.map((one) => ({ name: one.name, given: one.given, when: one.when, then: one.then })),
        ).toEqual(given.scenarios);
        expect({ removed: spec.removed, renamed: spec.renamed }).toEqual({
          removed: given.removed,
          renamed: given.renamed,
        });
        expect(spec.stated?.ids).toEqual(given.requirements.map(({ id }) => id));
        expect(spec.findings).toEqual([]);
      }),
    );
  });

  test('any text stays inside its requirement', () => {
    const lines = fc.array(fc.constantFrom('# A', '## Requirements', '### R9: x', '```', '~~~ts', 'words'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(lines, lines, (text, overview) => {
        const spec: SpecInput = {
          id: 'a',
          title: 'A',
          overview: overview.join('\n'),
          requirements: ['R1', 'R2'].map((id) => ({ id, title: 'T', text: text.join('\n') })),
          scenarios: [{ name: 'S', when: ['w'], then: ['t'] }],
        };
        const { sections, scenarios } = readSpec(renderSpec(spec), 'a.md');
        expect(sections.map(({ kind }) => kind)).toEqual(['overview', 'requirements', 'criteria']);
        expect(scenarios).toMatchObject([{ name: 'S', when: ['w'] }]);
      }),
    );
  });
});
