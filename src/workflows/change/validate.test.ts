import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlocking } from '../../documents/finding.ts';
import { validatePlan, type Validation } from './validate.ts';

const id = 'add-login';
const folder = `agentd/changes/${id}`;

const PROPOSAL = `---
id: add-login
type: proposal
version: 1
created_at: 2026-01-02T03:04:05Z
updated_at: 2026-01-02T03:04:05Z
author: gemini
status: proposed
iteration: 1
summary: Adds a login
impact:
  scope: minor
  affected_files: 3
  new_files: 1
affected_specs:
  - id: login
    path: specs/login.md
    depends: []
  - id: session
    path: specs/session.md
    depends: [login]
---

<proposal>

# Change: add-login

## Summary

A login.

## Why

Nobody can log in.

## What Changes

- a form

## Impact

Small.

</proposal>
`;

const SPEC = `---
id: login
type: spec
title: Login
version: 1
requirements:
  total: 2
  ids: [R1, R2]
---

# Login

## Overview

People log in.

## Requirements

### R1: Passwords

They have 12 characters.

### R2: Lockout

After 5 attempts.

## Acceptance Criteria

### Scenario: wrong password

- **GIVEN** a user
- **WHEN** the password is wrong
- **THEN** an error is shown
`;

const SESSION = SPEC.replaceAll('login', 'session').replaceAll('Login', 'Session');

const block = (id: string, specRef: string, dependsOn: string): string =>
  `### Task ${id}: Do ${id}\n\n\`\`\`yaml\nid: "${id}"\naction: CREATE\nstatus: pending\nfile: src/a.ts\nspec_ref: "${specRef}"\ndepends_on: [${dependsOn}]\n\`\`\`\n\nText.\n`;

const TASKS = `---
id: add-login-tasks
change_id: add-login
type: tasks
version: 1
proposal_ref: proposal.md
summary:
  total: 5
---

# Tasks

## 1. Data Layer

${block('1.1', 'login:R1', '')}
${block('1.2', 'session:R1', '"1.1"')}
## 2. Logic Layer

${block('2.1', 'login:R2', '"1.1"')}
${block('2.2', 'session:R2', '"1.2", "2.1"')}
## 4. Testing Layer

${block('4.1', 'session:R1', '"2.2"')}`;

interface Edit {
  readonly proposal?: [string | RegExp, string];
  readonly login?: [string | RegExp, string];
  readonly tasks?: [string | RegExp, string];
}

interface ChangeDocuments {
  readonly proposal?: string | undefined;
  readonly specs: ReadonlyMap<string, string>;
  readonly tasks?: string | undefined;
}

function documents(edit: Edit = {}): ChangeDocuments {
  const apply = (text: string, change: [string | RegExp, string] | undefined): string => {
    if (!change) return text;
    const edited = text.replace(change[0], change[1]);
    if (edited === text) throw new Error(`the edit ${String(change[0])} changes nothing`);
    return edited;
  };
  const specs = new Map([
    [`${folder}/specs/login.md`, apply(SPEC, edit.login)],
    [`${folder}/specs/session.md`, SESSION],
  ]);
  return { proposal: apply(PROPOSAL, edit.proposal), specs, tasks: apply(TASKS, edit.tasks) };
}

function validate({ proposal, specs, tasks }: ChangeDocuments): Validation {
  const all = { [`${folder}/proposal.md`]: proposal, ...Object.fromEntries(specs), [`${folder}/tasks.md`]: tasks };
  const files = new Map(Object.entries(all));
  const list = (within: string) => [...files.keys()].filter((path) => path.startsWith(`${within}/`));
  return validatePlan({ read: (path) => files.get(path), exists: (path) => files.has(path), list }, id);
}

function fixed(given: ChangeDocuments): ChangeDocuments {
  const fixes = new Map(validate(given).fixes.map(({ path, content }) => [path, content]));
  return {
    proposal: fixes.get(`${folder}/proposal.md`) ?? given.proposal,
    tasks: fixes.get(`${folder}/tasks.md`) ?? given.tasks,
    specs: new Map([...given.specs].map(([path, text]) => [path, fixes.get(path) ?? text])),
  };
}

test('a sound plan has no findings and needs no fix', () => {
  expect(validate(documents())).toEqual({ findings: [], fixes: [] });
});

test.each(['specs/login.md#r2-lockout', 'specs/login.md#R2', 'specs/login.md#overview', 'login#acceptance-criteria'])(
  '[D18] the reference %s is resolved',
  (reference) => {
    expect(validate(documents({ tasks: ['login:R2', reference] })).findings).toEqual([]);
  },
);

test('[D18] a skeleton beside the specs is none of them', () => {
  const given = documents();
  const skeleton = [`${folder}/specs/_skeleton.md`, '# <title>\n\nTODO\n'] as const;
  expect(validate({ ...given, specs: new Map([...given.specs, skeleton]) })).toEqual({ findings: [], fixes: [] });
});

describe('findings', () => {
  const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
  const H = 'High';
  const M = 'Medium';
  const rows: [what: string, edit: Edit, severity: string, code: string, file: string, line: number][] = [
    [
      'a required heading of the proposal',
      { proposal: ['## Why', '## Because'] },
      H,
      'missing-heading',
      'proposal.md',
      24,
    ],
    [
      'the proposal of another change',
      { proposal: ['id: add-login', 'id: other'] },
      H,
      'change-id-mismatch',
      'proposal.md',
      1,
    ],
    [
      'TBD in the summary',
      { proposal: ['summary: Adds a login', 'summary: TBD'] },
      H,
      'undecided-title',
      'proposal.md',
      1,
    ],
    [
      'TODO in a heading',
      { proposal: ['## Impact', '## Impact\n\n### TODO: costs'] },
      H,
      'undecided-title',
      'proposal.md',
      24,
    ],
    [
      'an unknown dependency of a spec',
      { proposal: ['[login]', '[logn]'] },
      H,
      'unknown-spec-dependency',
      'proposal.md',
      1,
    ],
    ['a cycle of specs', { proposal: ['depends: []', 'depends: [session]'] }, H, 'spec-cycle', 'proposal.md', 1],
    [
      'a spec without file',
      { proposal: [/id: session\n.*/, 'id: sessions\n    path: specs/sessions.md'] },
      H,
      'missing-spec',
      'proposal.md',
      1,
    ],
    [
      'a spec file that is not listed',
      { proposal: [/id: session\n.*/, 'id: login2\n    path: specs/login.md'] },
      M,
      'unlisted-spec',
      'proposal.md',
      1,
    ],
    [
      'a spec listed twice',
      { proposal: [/id: session\n.*/, 'id: login\n    path: specs/login.md'] },
      H,
      'duplicate-spec',
      'proposal.md',
      1,
    ],
    ['no list of specs', { proposal: [/affected_specs:[^]*?---/, '---'] }, H, 'no-affected-specs', 'proposal.md', 1],
    [
      'broken YAML in the proposal',
      { proposal: ['scope: minor', 'scope: [minor'] },
      H,
      'unreadable-document',
      'proposal.md',
      13,
    ],
    ['a required heading of a spec', { login: ['## Overview', '## Intro'] }, H, 'missing-heading', 'specs/login.md', 1],
    [
      'a requirement id twice',
      { login: ['### R2', '### R1'] },
      H,
      'duplicate-requirement',
      'specs/login.md',
      lineOf(SPEC, '### R2'),
    ],
    [
      'a requirement without id',
      { login: ['### R2: Lockout', '### Lockout'] },
      H,
      'requirement-without-id',
      'specs/login.md',
      lineOf(SPEC, '### R2'),
    ],
    ['no requirement', { login: [/### R1[^]*attempts\./, ''] }, H, 'no-requirements', 'specs/login.md', 1],
    ['no scenario', { login: [/### Scenario[^]*/, ''] }, H, 'no-scenarios', 'specs/login.md', 1],
    [
      'a scenario without WHEN',
      { login: ['- **WHEN** the password is wrong\n', ''] },
      H,
      'scenario-without-when',
      'specs/login.md',
      lineOf(SPEC, '### Scenario'),
    ],
    [
      'a scenario without THEN',
      { login: ['- **THEN** an error is shown\n', '- **THEN**\n'] },
      H,
      'scenario-without-then',
      'specs/login.md',
      lineOf(SPEC, '### Scenario'),
    ],
    [
      'TODO in a requirement',
      { login: ['Lockout', 'TODO'] },
      H,
      'undecided-title',
      'specs/login.md',
      lineOf(SPEC, '### R2'),
    ],
    [
      'TBD in a scenario',
      { login: ['wrong password', 'TBD'] },
      H,
      'undecided-title',
      'specs/login.md',
      lineOf(SPEC, '### Scenario'),
    ],
    [
      'code in a spec',
      { login: ['After 5', '```ts\nlet a;\n```\nAfter 5'] },
      M,
      'implementation-code',
      'specs/login.md',
      lineOf(SPEC, 'After 5'),
    ],
    ['another id than the file', { login: ['id: login', 'id: signin'] }, M, 'spec-id-mismatch', 'specs/login.md', 1],
    [
      'removed and kept',
      { login: ['## Acceptance', '## Removed Requirements\n- R2\n\n## Acceptance'] },
      H,
      'removed-and-kept',
      'specs/login.md',
      lineOf(SPEC, '### R2'),
    ],
    ['broken YAML in a spec', { login: ['ids: [R1, R2]', 'ids: [R1'] }, H, 'unreadable-document', 'specs/login.md', 9],
    [
      'tasks of another change',
      { tasks: ['change_id: add-login', 'change_id: other'] },
      H,
      'change-id-mismatch',
      'tasks.md',
      2,
    ],
    ['no tasks', { tasks: [/## 1\.[^]*/, ''] }, H, 'no-tasks', 'tasks.md', 1],
    [
      'a spec_ref to no spec',
      { tasks: ['login:R2', 'signin:R2'] },
      H,
      'unresolved-spec-ref',
      'tasks.md',
      lineOf(TASKS, '### Task 2.1'),
    ],
    [
      'a spec_ref to no requirement',
      { tasks: ['login:R2', 'login:R9'] },
      H,
      'unresolved-spec-ref',
      'tasks.md',
      lineOf(TASKS, '### Task 2.1'),
    ],
    [
      '[D18] a spec_ref to a place that is no requirement',
      { tasks: ['login:R2', 'specs/login.md#no-such-heading'] },
      'Medium',
      'unresolved-anchor',
      'tasks.md',
      lineOf(TASKS, '### Task 2.1'),
    ],
    [
      'a dependency on no task',
      { tasks: ['["2.2"]', '["2.20"]'] },
      H,
      'unresolved-dependency',
      'tasks.md',
      lineOf(TASKS, '### Task 4.1'),
    ],
    [
      'a cycle of tasks',
      { tasks: ['depends_on: ["1.1"]', 'depends_on: ["2.2"]'] },
      H,
      'task-cycle',
      'tasks.md',
      lineOf(TASKS, '### Task 1.2'),
    ],
    [
      'a dependency on a later group',
      { tasks: ['spec_ref: "login:R2"\ndepends_on: ["1.1"]', 'spec_ref: "login:R2"\ndepends_on: ["1.2"]'] },
      H,
      'depends-on-later-group',
      'tasks.md',
      lineOf(TASKS, '### Task 2.1'),
    ],
    [
      'a task id twice',
      { tasks: [/2\.2: Do 2\.2\n\n```yaml\nid: "2\.2"/, '2.1: Do\n\n```yaml\nid: "2.1"'] },
      H,
      'duplicate-task',
      'tasks.md',
      lineOf(TASKS, '### Task 2.2'),
    ],
    [
      'an unknown action',
      { tasks: ['action: CREATE', 'action: INVENT'] },
      H,
      'unknown-action',
      'tasks.md',
      lineOf(TASKS, '### Task 1.1'),
    ],
    [
      'an unknown status',
      { tasks: ['status: pending', 'status: soon'] },
      H,
      'unknown-status',
      'tasks.md',
      lineOf(TASKS, '### Task 1.1'),
    ],
    ['TODO in a task', { tasks: ['Do 1.1', 'TODO'] }, H, 'undecided-title', 'tasks.md', lineOf(TASKS, '### Task 1.1')],
    ['a broken block', { tasks: ['file: src/a.ts', 'file: [src'] }, H, 'unreadable-document', 'tasks.md', 22],
    [
      'a task under an unknown heading',
      { tasks: ['## 4. Testing Layer', '## Misc'] },
      'Low',
      'task-structure',
      'tasks.md',
      lineOf(TASKS, '### Task 4.1'),
    ],
  ];

  test.each(rows)('[change/validation/rules] %s', (...[, edit, severity, code, file, line]) => {
    const { findings } = validate(documents(edit));
    expect(findings.map((one) => [one.severity, one.code, one.path, one.line])).toContainEqual([
      severity,
      code,
      `${folder}/${file}`,
      line,
    ]);
    expect(findings.some(isBlocking)).toBe(findings.some((one) => one.severity === 'High'));
    for (const { fix, message } of findings) expect(Math.min(fix.length, message.length)).toBeGreaterThan(5);
  });

  test('[change/validation/later-group] a dependency on a later group blocks', () => {
    const later: Edit = { tasks: [/(spec_ref: "login:R2"\ndepends_on: )\["1.1"\]/, '$1["1.2"]'] };
    const { findings } = validate(documents(later));
    expect(findings.some(isBlocking)).toBe(true);
    expect(findings.map(({ message }) => message)).toEqual([
      'task 2.1 depends on 1.2, which belongs to a spec that is worked on later',
    ]);
  });

  test('V3: missing and unreadable documents do not hide the rest', () => {
    const given = documents({ login: ['ids: [R1, R2]', 'ids: [R1'], tasks: ['action: CREATE', 'action: INVENT'] });
    expect(validate({ specs: given.specs, tasks: given.tasks }).findings.map(({ code }) => code)).toEqual([
      'missing-document',
      'unreadable-document',
      'unknown-action',
    ]);
  });

  test('a task may refer to a removed or renamed requirement; a spec may only take away', () => {
    const spec =
      '---\nid: login\nrequirements:\n  total: 0\n  ids: []\n---\n# Login\n## Overview\nGone.\n## Removed Requirements\n- R1\n## Renamed Requirements\n- R5 -> R2\n';
    const permanent = SPEC.replace('### R2', '### R5');
    const own = [...documents().specs, [`${folder}/specs/login.md`, spec]] as const;
    const specs = new Map<string, string>([...own, ['agentd/specs/login.md', permanent]]);
    expect(validate({ ...documents(), specs }).findings).toEqual([]);
    const { findings } = validate({ ...documents(), specs: new Map<string, string>(own) });
    expect(findings.map(({ code, message, severity }) => [code, message, severity])).toEqual([
      ['no-such-requirement', 'R1 is removed, but agentd/specs/login.md has no R1', 'Medium'],
      ['no-such-requirement', 'R5 is renamed, but agentd/specs/login.md has no R5', 'Medium'],
    ]);
  });

  test('[D11] modified requirements that do not exist and added ones that do are found before the challenge', () => {
    const spec = SPEC.replace('## Requirements', '## Added Requirements').replace(
      '### R2',
      '## Modified Requirements\n\n### R2',
    );
    const permanent = SPEC.replace('### R2', '### R5');
    const specs = new Map<string, string>([
      ...documents().specs,
      [`${folder}/specs/login.md`, spec],
      ['agentd/specs/login.md', permanent],
    ]);
    expect(validate({ ...documents(), specs }).findings.map(({ message }) => message)).toEqual([
      'R1 is added, but agentd/specs/login.md has it already',
      'R2 is modified, but agentd/specs/login.md has no R2',
    ]);
  });

  test('[D5b] a name that no permanent spec can have is refused', () => {
    const specs = new Map([...documents().specs, [`${folder}/specs/CHANGELOG.md`, SPEC]]);
    expect(validate({ ...documents(), specs }).findings.filter(isBlocking)).toMatchObject([
      { code: 'spec-name', path: `${folder}/specs/CHANGELOG.md` },
    ]);
  });
});

describe('fixes', () => {
  const rows: [what: string, edit: Edit, path: string, contains: string][] = [
    [
      'tasks without front matter',
      { tasks: [/^---[^]*?---\n/, ''] },
      'tasks.md',
      '---\nid: add-login-tasks\nchange_id: add-login\n',
    ],
    [
      'tasks without change_id',
      { tasks: ['change_id: add-login\n', ''] },
      'tasks.md',
      '  total: 5\nchange_id: add-login\n---',
    ],
    [
      '[D25] broken front matter of tasks, whose other keys are kept',
      { tasks: ['version: 1', 'version: [\nowner: ann\npriority:\n  - high'] },
      'tasks.md',
      'owner: ann\npriority:\n  - high\n',
    ],
    [
      'front matter of tasks that is not closed',
      { tasks: ['total: 5\n---', 'total: 5\n'] },
      'tasks.md',
      '---\n\n# Tasks',
    ],
    [
      'no <proposal> tags',
      { proposal: [/<\/?proposal>\n/g, ''] },
      'proposal.md',
      '---\n\n<proposal>\n\n# Change: add-login',
    ],
    ['an open <proposal> tag', { proposal: ['</proposal>\n', ''] }, 'proposal.md', 'Small.\n\n</proposal>\n'],
    [
      'no heading of the change',
      { proposal: ['# Change: add-login\n', ''] },
      'proposal.md',
      '<proposal>\n\n# Change: add-login\n',
    ],
    [
      'the heading of another change',
      { proposal: ['# Change: add-login', '# Change: old'] },
      'proposal.md',
      '\n# Change: add-login\n',
    ],
    [
      'wrong counts',
      { login: ['total: 2\n  ids: [R1, R2]', 'total: 1\n  ids: [R1]'] },
      'specs/login.md',
      '  total: 2\n  ids: [R1, R2]\n---',
    ],
    [
      'no counts',
      { login: [/requirements:\n.*\n.*\n/, ''] },
      'specs/login.md',
      'version: 1\nrequirements:\n  total: 2\n  ids: [R1, R2]\n---',
    ],
    [
      'a spec without front matter',
      { login: [/^---[^]*?---\n/, ''] },
      'specs/login.md',
      '---\nid: login\ntype: spec\ntitle: Login\n',
    ],
    ['CRLF', { tasks: [/\n/g, '\r\n'], proposal: [/\n/g, '\r\n'], login: [/\n/g, '\r\n'] }, 'tasks.md', TASKS],
  ];

  test.each(rows)('V1: %s', (_, edit, path, contains) => {
    const given = documents(edit);
    const { findings, fixes } = validate(given);
    expect(findings).toEqual([]);
    const fix = fixes.find((one) => one.path === `${folder}/${path}`);
    expect(fix?.content).toContain(contains);
    expect(fix?.what).not.toBe('');
    expect(validate(fixed(given))).toEqual({ findings: [], fixes: [] });
  });

  test('review blocks survive every fix of the proposal', () => {
    const review =
      '\n<review iteration="1" reviewer="codex" status="needs_revision" of="plan">\n\n## Summary\n\nNot yet.\n\n## Verdict\n\nNEEDS_REVISION\n\n</review>\n';
    for (const edit of [/<\/?proposal>\n/g, /<\/proposal>\n/, /# Change: add-login\n/]) {
      const given = { ...documents(), proposal: PROPOSAL.replace(edit, '') + review };
      expect(fixed(given).proposal?.endsWith(review)).toBe(true);
      expect(validate(fixed(given))).toEqual({ findings: [], fixes: [] });
    }
  });

  test('V1, V2: whatever lines are lost, the fixed plan needs no fix and has the same findings', () => {
    const lossy = (text: string): fc.Arbitrary<string> =>
      fc.uniqueArray(fc.nat(text.split('\n').length), { maxLength: 4 }).map((lost) =>
        text
          .split('\n')
          .filter((_, index) => !lost.includes(index))
          .join('\n'),
      );
    fc.assert(
      fc.property(lossy(PROPOSAL), lossy(SPEC), lossy(TASKS), fc.boolean(), (proposal, spec, tasks, crlf) => {
        const ends = (text: string): string => (crlf ? text.replaceAll('\n', '\r\n') : text);
        const given = {
          proposal: ends(proposal),
          specs: new Map([
            ['specs/login.md', ends(spec)],
            ['specs/session.md', SESSION],
          ]),
          tasks: ends(tasks),
        };
        const first = validate(given);
        const paths = new Map(first.fixes.map(({ path, content }) => [path.slice(folder.length + 1), content]));
        const after = {
          proposal: paths.get('proposal.md') ?? given.proposal,
          tasks: paths.get('tasks.md') ?? given.tasks,
          specs: new Map([...given.specs].map(([path, text]) => [path, paths.get(path) ?? text])),
        };
        expect(validate(after)).toEqual({ findings: first.findings, fixes: [] });
      }),
      { numRuns: 300 },
    );
  });
});
