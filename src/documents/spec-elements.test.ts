import { describe, expect, test } from 'vitest';
import { elementTexts, takeApart } from './spec-elements.ts';

const SPEC = `---
id: login
owner: us
---

# Login

Preface.

## Overview

All of it.

## Requirements

Introduction.

### R1: Names

A name is asked for.

#### Scenario: inside

- WHEN a
- THEN b

### A2: Without an id

Kept as it is.

### A group

#### R3: In a group

Text.

## Acceptance Criteria

### Scenario: Works

- WHEN a
- THEN b

### Notes

A note.

## Data  Model

One.
`;

const partsOf = (text: string) => takeApart(text, 'login.md');

describe('takeApart', () => {
  test('finds requirements, scenarios, sections and headings without an id, in their order', () => {
    expect(partsOf(SPEC).elements.map(({ key }) => key)).toEqual([
      'R1',
      'Heading: a2: without an id',
      'R3',
      'Scenario: works',
      'Heading: notes',
      'Section: data model',
    ]);
  });

  test('knows the lines around them', () => {
    const { frame, lines } = partsOf(SPEC);
    expect(frame.map((line) => lines[line - 1])).toEqual([
      '# Login',
      'Preface.',
      '## Overview',
      'All of it.',
      '## Requirements',
      'Introduction.',
      '### A group',
      '## Acceptance Criteria',
    ]);
  });

  test('gives texts that do not change with white space and line ends', () => {
    const spaced = SPEC.replace('A name', '\n\nA name').replaceAll('Text.', 'Text.  ').replaceAll('\n', '\r\n');
    expect(elementTexts(partsOf(spaced))).toEqual(elementTexts(partsOf(SPEC)));
    expect(partsOf(spaced)).toMatchObject({ lineEnd: '\r\n', isEnded: true });
  });

  test('takes a spec apart whose front matter is broken, and says so', () => {
    const broken = partsOf(SPEC.replace('owner: us', 'owner: ['));
    expect(broken.unreadable).toContain('login.md');
    expect(broken.elements).toEqual(partsOf(SPEC).elements);
    expect(broken.frame).toEqual(partsOf(SPEC).frame);
  });
});
