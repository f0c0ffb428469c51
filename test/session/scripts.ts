/** Turns for the scripted agent: a complete small session, and variations on it. */

export type Turn = Readonly<Record<string, unknown>>;

export const report = (more: Turn = {}): Turn => ({
  tool: 'report',
  args: { status: 'OK', summary: 'It is done.', ...more },
});

export const document = (path: string, content: string): Turn => ({ tool: 'write_document', args: { path, content } });

export const spec = `# Greetings

## Goals
- REQ-001: people are greeted by name

## Acceptance Criteria
- AC-001: the greeting is right

## Definition of Done
The check passes.
`;

export const architecture = (words = 'makes a greeting') => `# Greetings

## Overview
One module for REQ-001 and AC-001.

## Modules
- src/greet.mjs: ${words}

## Risks
None is known.
`;

/** Passes always. */
export const check = 'cmd: node -e 0';
export const criterion: Turn = { id: 'AC-001', description: 'The greeting is right', verify: [check] };

export const intake = (more: Turn = {}, criteria: readonly Turn[] = [criterion]): Turn => ({
  role: 'SpecAgent',
  step: 'intake',
  call: [document('spec.md', spec), { tool: 'write_acceptance', args: { criteria } }, report(more)],
});

export const architect = (more: Turn = {}): Turn => ({
  role: 'Architect',
  step: 'architect',
  call: [document('architecture.md', architecture()), report(more)],
});

export const correct = (words = 'makes a greeting with a name'): Turn => ({
  role: 'Architect',
  step: 'correct_architecture',
  call: [document('architecture.md', architecture(words)), report({ summary: 'It says so now.' })],
});

export const task = (id: string, more: Turn = {}): Turn => ({
  id,
  title: `Do ${id}`,
  goal: `What ${id} is for (REQ-001)`,
  depends_on: [],
  files_expected: [`src/${id}.mjs`],
  acceptance_checks: [check],
  done_when: ['it is there'],
  ...more,
});

export const writeTasks = (tasks: readonly Turn[]): Turn => ({
  tool: 'write_tasks',
  args: { project: { name: 'greetings', definition_of_done: ['the check passes'] }, tasks },
});

export const plan = (tasks: readonly Turn[] = [task('T-001')]): Turn => ({
  role: 'Planner',
  call: [writeTasks(tasks), report()],
});

export const code = (write: Turn = { 'src/T-001.mjs': 'export {};\n' }, more: Turn = {}): Turn => ({
  role: 'Coder',
  write,
  call: [report(more)],
});

/** Answers of the judges. */
export const review = (verdict = 'PASS', more: Turn = {}): Turn => ({
  role: 'Reviewer',
  call: [
    report({
      status: verdict === 'NEEDS FIXES' ? 'BLOCKED' : 'OK',
      verdict,
      checklist_summary: 'All looked at.',
      ...(verdict !== 'PASS' && { review_comments: [comment] }),
      ...more,
    }),
  ],
});

export const comment: Turn = { severity: 'minor', category: 'naming', file: 'src/T-001.mjs', message: 'Odd name.' };

export const qa = (status = 'OK', more: Turn = {}): Turn => ({
  role: 'QA',
  call: [report({ status, test_results: 'all ran', ...more })],
});

export const finding = (severity: string, description = 'Anybody can greet.'): Turn => ({
  severity,
  category: 'access',
  file: 'src/T-001.mjs',
  description,
  recommended_fix: 'Ask who is there.',
});

export const security = (status = 'OK', findings: readonly Turn[] = []): Turn => ({
  role: 'Security',
  call: [report({ status, findings })],
});

export const docs = (write: Turn = { 'README.md': '# Greetings\n\nBy name.\n' }): Turn => ({
  role: 'Docs',
  write,
  call: [report({ how_to_run: 'node src/greet.mjs', how_to_test: 'node -e 0' })],
});

export const release = (write: Turn = {}): Turn => ({
  role: 'Integrator',
  step: 'release_notes',
  write,
  call: [report({ ci_notes: 'nothing' })],
});

export const designed: readonly Turn[] = [intake(), architect()];
/** What follows a task that was coded, in a session that is reviewed task by task. */
export const closed: readonly Turn[] = [review(), docs(), release(), review()];

/** For a lean session. */
export const intakeLean = (
  more: Turn = {},
  criteria: readonly Turn[] = [criterion],
  tasks: readonly Turn[] = [task('T-001')],
): Turn => ({
  role: 'SpecAgent',
  step: 'intake_lean',
  call: [document('spec.md', spec), { tool: 'write_acceptance', args: { criteria } }, writeTasks(tasks), report(more)],
});

/** No pauses between retries. */
export const config = 'retry_delay_secs = 0\n';

/** A lean session has no other gate for the commands of its checks, which tests run without a sandbox. */
export const running = { 'UD-RUN-COMMANDS': 'run' } as const;
export const approving = { 'UD-APPROVE-DESIGN': 'approved' } as const;
export const perBatch = { ...approving, 'UD-REVIEW-STRATEGY': 'per-batch' } as const;
export const singleFinal = { ...approving, 'UD-REVIEW-STRATEGY': 'single-final' } as const;
