/** The life cycle of a change as crash scenarios: each command from the state the one before it left. */

import { runUndisturbed, type CrashScenario, type Undisturbed } from '../../src/testing/crash-kit.ts';
import {
  challenge,
  ChangeRepository,
  fix,
  implement,
  issue,
  listTasks,
  propose,
  review,
  revise,
  specify,
  task,
} from '../change/scripts.ts';

const hook = new URL('../../dist/crash-hook.js', import.meta.url).pathname;

/** Two specs, one revision, two groups of tasks, one fix, a merge of one new and one existing spec. */
const turns = [
  propose([
    { id: 'greeting', depends: [] },
    { id: 'farewell', depends: ['greeting'] },
  ]),
  specify('greeting', 'R1'),
  specify('farewell', 'R2'),
  listTasks([task('1.1'), task('1.2', { spec_ref: 'farewell:R2', depends_on: ['1.1'] })]),
  challenge('needs_revision', [issue]),
  {
    ...revise,
    call: propose([
      { id: 'greeting', depends: [] },
      { id: 'farewell', depends: ['greeting'] },
    ])['call'],
  },
  challenge('approved'),
  implement(['1.1']),
  implement(['1.2']),
  review('NEEDS_FIX'),
  fix(),
  review('APPROVED'),
];

const existingSpec = `---
id: farewell
type: spec
title: About farewell
version: 1
requirements:
  total: 1
  ids: [R1]
---

# About farewell

## Overview

How people are sent off.

## Requirements

### R1: Politeness

Nobody is sent off without a word.

## Acceptance Criteria

### Scenario: Somebody leaves

- **WHEN** somebody leaves
- **THEN** a word is said
`;

export interface LifeCycleStep {
  readonly name: string;
  readonly scenario: CrashScenario;
  readonly undisturbed: Undisturbed;
}

export async function lifeCycle(): Promise<readonly LifeCycleStep[]> {
  const change = ChangeRepository.create(turns);
  change.repository.write('agentd/specs/farewell.md', existingSpec);
  change.repository.git('add', '--all');
  change.repository.git('commit', '--quiet', '--message=spec');
  const steps: LifeCycleStep[] = [];
  let checkpoint = change.repository;
  for (const [name, ...rest] of [
    ['plan', 'greet', 'Greet people'],
    ['impl', 'greet'],
    ['archive', 'greet'],
  ] as const) {
    // The script's path must hold in every copy.
    const script = '../script.yaml';
    const args = ['change', name, ...rest, '--agent', 'scripted', '--script', script, '--no-input'];
    const scenario: CrashScenario = { checkpoint, args, workflow: 'change', run: 'greet', hook };
    const undisturbed = await runUndisturbed(scenario);
    steps.push({ name, scenario, undisturbed });
    checkpoint = undisturbed.after;
  }
  return steps;
}
