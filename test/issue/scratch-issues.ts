/** A repository with issues, and agents that take any of them to its end in the fewest steps. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { renderIssue } from '../../src/workflows/issue/files/issue-file.ts';
import type { Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { program } from '../change/scripts.ts';
import { WarmRepository } from '../warm-repository.ts';

export interface GivenIssue {
  readonly id: string;
  readonly title?: string;
  readonly dependsOn?: readonly string[];
  readonly parent?: string | null;
  readonly criteria?: readonly string[];
}

export type Turn = Readonly<Record<string, unknown>>;

const scriptPath = '../script.yaml';
export const scripted = ['--agent', 'scripted', '--script', scriptPath];

export class IssueRepository extends WarmRepository {
  static with(issues: readonly GivenIssue[], files: Readonly<Record<string, string>> = {}): IssueRepository {
    const listed = issues.filter(({ parent }) => (parent ?? null) === null);
    const rows = listed.map(({ id, title = `Do ${id}` }) => `- [ ] [${id}](${id}.md) — ${title}\n`).join('');
    const texts = issues.map(
      ({ id, title = `Do ${id}`, dependsOn = [], parent = null, criteria = ['It is done.'] }) => [
        `TODO/${id}.md`,
        renderIssue({ id, title, parent, labels: [], dependsOn, text: 'As the title says.', criteria, sections: [] }),
      ],
    );
    const base = { 'pawl.toml': 'retry_delay_secs = 0\n', 'TODO/README.md': `# Issues\n\n## Inbox\n\n${rows}` };
    const made = super.create(program, { ...base, ...Object.fromEntries(texts), ...files });
    if (!(made instanceof IssueRepository)) throw new Error('internal error: another class of repository');
    made.git('config', 'user.name', 'Ada');
    made.git('config', 'user.email', 'ada@example.org');
    return made;
  }

  play(turns: readonly Turn[]): void {
    this.write(scriptPath, stringify(turns));
  }

  issue(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.pawl(['issue', ...args], options);
  }
}

const acceptable = { verdict: 'ACCEPTABLE', summary: 'Looks right.' };

/** Each of the issues writes its file, which nobody can test; `does` are commands that `make` runs in the work tree. */
export function untested(ids: readonly string[], does: readonly string[]): readonly Turn[] {
  const files = ids.map(fileOf);
  const task = { title: 'Write the file', description: 'Write it.', new_files: files, criteria: ['It is there.'] };
  const plan = { problem: 'None.', approach: 'Do it.', kinds: ['other'], new_files: files };
  const holds = ids.map((id) => ({ task: `${id} task 1`, holds: true, why: 'Text.' }));
  return [
    turn('planner', 'draft_plan', 'write_plan', plan),
    turn('check', 'review_plan', 'file_review', acceptable),
    turn('simplify', 'review_plan', 'file_advice', {}),
    turn('planner', 'draft_tasks', 'write_tasks', { tasks: [task] }),
    turn('test', 'write_tests', 'report_tests', { verdict: 'NOT_TESTABLE', reason: 'Text.' }),
    turn('check', 'sign_off', 'file_sign_off', { signed: true, rationale: 'Text.' }),
    { ...turn('make', 'implement', 'report_work', { verdict: 'Complete', summary: 'Written.' }), run: does },
    turn('check', 'review_code', 'file_review', { ...acceptable, untested: holds }),
    turn('simplify', 'review_code', 'file_advice', {}),
    turn('pm', 'update_issue', 'update_issue', { criteria_met: [1], comment: 'Done.' }),
  ];
}

/** Run by `make` in the worktree of an issue, with the id in ID: `script` is the body of a module. */
export function makerIn(repository: IssueRepository, script = 'write(fileOf(ID), ID);'): string {
  const file = join(repository.folder, 'make.mjs');
  const head = `import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const ID = process.cwd().replace(/^.*-issue-/, '');
const fileOf = (id) => 'out/' + id + '.txt';
const write = (path, text) => (mkdirSync('out', { recursive: true }), writeFileSync(path, text + '\\n'));
`;
  writeFileSync(file, head + script);
  return `node ${file}`;
}

export const fileOf = (id: string): string => `out/${id}.txt`;

export function turn(role: string, step: string, tool: string, args: object): Turn {
  return { role, step, call: [{ tool, args }] };
}
