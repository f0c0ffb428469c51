/** Turns for the scripted agent: a complete small change, and variations on it. */

import { stringify } from 'yaml';
import type { Ran, ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';

export const program = new URL('../../dist/pawl.js', import.meta.url).pathname;
export const agentd = new URL('../../dist/agentd.js', import.meta.url).pathname;

export type Turn = Readonly<Record<string, unknown>>;

export const issue = {
  title: 'No limit is named',
  severity: 'Medium',
  category: 'gap',
  description: 'Nobody can test a limit that has no number.',
  location: 'proposal.md',
  recommendation: 'Name the limit.',
};

export const propose = (specs: readonly Turn[] = [{ id: 'greeting', depends: [] }]): Turn => ({
  role: 'planner',
  step: 'propose',
  call: [
    {
      tool: 'create_proposal',
      args: {
        summary: 'Greet by name',
        why: 'A greeting without a name is cold.',
        what_changes: ['greet() takes a name.'],
        impact: { scope: 'minor', affected_files: ['src/greet.mjs'], new_files: ['src/1.1.mjs'] },
        affected_specs: specs,
      },
    },
  ],
});

export const specify = (id = 'greeting', requirement = 'R1'): Turn => ({
  role: 'planner',
  step: 'specify',
  call: [
    {
      tool: 'create_spec',
      args: {
        spec_id: id,
        title: `About ${id}`,
        overview: 'How people are greeted.',
        requirements: [{ id: requirement, title: 'Names', text: 'The greeting contains the name.' }],
        scenarios: [
          { name: 'A name is given', given: ['a name'], when: ['greet is called'], then: ['it is in the text'] },
        ],
      },
    },
  ],
});

export const task = (id: string, more: Turn = {}): Turn => ({
  id,
  title: `Do ${id}`,
  layer: 'logic',
  action: 'CREATE',
  file: `src/${id}.mjs`,
  spec_ref: 'greeting:R1',
  depends_on: [],
  text: 'Write it.',
  ...more,
});

export const listTasks = (tasks: readonly Turn[] = [task('1.1'), task('1.2', { depends_on: ['1.1'] })]): Turn => ({
  role: 'planner',
  step: 'list_tasks',
  call: [{ tool: 'create_tasks', args: { tasks } }],
});

export const challenge = (status: string, issues: readonly Turn[] = []): Turn => ({
  role: 'challenger',
  call: [{ tool: 'append_review', args: { status, content: `The plan is ${status}.`, issues } }],
});

export const revise: Turn = {
  role: 'planner',
  step: 'revise',
  call: [
    {
      tool: 'create_proposal',
      args: {
        summary: 'Greet by name, at most 40 letters',
        why: 'A greeting without a name is cold.',
        what_changes: ['greet() takes a name of at most 40 letters.'],
        impact: { scope: 'minor', affected_files: ['src/greet.mjs'], new_files: ['src/1.1.mjs'] },
        affected_specs: [{ id: 'greeting', depends: [] }],
      },
    },
  ],
};

export const implement = (tasks: readonly string[] = ['1.1', '1.2'], status = 'completed'): Turn => ({
  role: 'implementer',
  step: 'implement',
  write: Object.fromEntries(tasks.map((id) => [`src/${id}.mjs`, `export const made = '${id}';\n`])),
  call: tasks.map((id) => ({ tool: 'update_task', args: { task_id: id, status } })),
});

export const review = (verdict: string, issues: readonly Turn[] = verdict === 'APPROVED' ? [] : [issue]): Turn => ({
  role: 'reviewer',
  step: 'review',
  call: [{ tool: 'create_review', args: { verdict, summary: `I say ${verdict}.`, issues } }],
});

export const fix = (content = "export const made = 'fixed';\n"): Turn => ({
  role: 'implementer',
  step: 'fix',
  write: { 'src/1.1.mjs': content },
});

export const planned: readonly Turn[] = [propose(), specify(), listTasks(), challenge('approved')];
export const implemented: readonly Turn[] = [implement(), review('APPROVED')];

/** No pauses between retries, and a check that costs nothing. */
export const config = `[workflow]
retry_delay_secs = 0

[checks]
test = ["node", "-e", "0"]
`;

export class ChangeRepository {
  readonly repository: ScratchRepository;

  constructor(repository: ScratchRepository) {
    this.repository = repository;
  }

  static create(turns: readonly Turn[] = [], settings = config): ChangeRepository {
    const repository = WarmRepository.create(program, {
      'agentd/config.toml': settings,
      'README.md': '# Scratch\n',
      'src/greet.mjs': "export const greet = () => 'Hello';\n",
    });
    const change = new ChangeRepository(repository);
    change.script(turns);
    return change;
  }

  get scriptFile(): string {
    return `${this.repository.folder}/script.yaml`;
  }

  /** Replaces what the agent will play; turns already played still count as played. */
  script(turns: readonly Turn[]): void {
    this.repository.write('../script.yaml', stringify(turns));
  }

  /** `pawl change <args>` with the scripted agent, as a script would call it. */
  async change(...args: readonly string[]): Promise<Ran & { json: Record<string, any> }> {
    const ran = await this.repository.pawl([
      'change',
      ...args,
      '--agent',
      'scripted',
      '--script',
      this.scriptFile,
      '--json',
    ]);
    return { ...ran, json: parse(ran) };
  }

  /** Any other command, with --json. */
  async pawl(...args: readonly string[]): Promise<Ran & { json: Record<string, any> }> {
    const ran = await this.repository.pawl([...args, '--json']);
    return { ...ran, json: parse(ran) };
  }
}

function parse({ stdout }: Ran): Record<string, any> {
  try {
    return JSON.parse(stdout) as Record<string, any>;
  } catch {
    return { notJson: stdout };
  }
}
