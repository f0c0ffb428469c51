/** A change in memory, for tests: files that tools write to, and the context a dispatch sees. */

import { initialSnapshot, type Json, type WorkItem } from '../../engine/snapshot.ts';
import type { DispatchContext, FileView, Tool, ToolAnswer, Write } from '../workflow.ts';
import { machine } from './transition-table.ts';
import { toolArguments, type ToolName } from './tool-arguments.ts';
import { tools } from './dispatching.ts';
import { planApproval } from './documents.ts';

export interface Setting {
  readonly step: string;
  readonly role?: string;
  readonly agent?: string;
  readonly item?: WorkItem;
  readonly data?: Readonly<Record<string, Json>>;
  readonly hint?: string;
  readonly at?: string;
}

export class ChangeFixture {
  readonly files: Map<string, string>;
  readonly id = 'add-login';

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Map(Object.entries(files));
  }

  get view(): FileView {
    return {
      read: (path) => this.files.get(path),
      exists: (path) => [...this.files.keys()].some((file) => file === path || file.startsWith(`${path}/`)),
      list: (folder) => [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`)).toSorted(),
    };
  }

  /** Of the plan as it is. */
  get approval() {
    return planApproval({ files: this.view, run: this.id }, 'challenger');
  }

  context({
    step,
    role = 'planner',
    agent = 'codex',
    item,
    data = {},
    hint,
    at = '2026-02-01T10:00:00Z',
  }: Setting): DispatchContext {
    return {
      run: this.id,
      workspace: '/repository',
      snapshot: { ...initialSnapshot(machine), state: step, data: { ...this.approval, ...data } },
      files: this.view,
      at,
      history: [],
      step,
      role,
      agent,
      dispatch: 'd1',
      ...(item && { item }),
      ...(hint !== undefined && { hint }),
    };
  }

  /** Calls a tool and applies what it writes, as the runtime does. */
  call(name: ToolName, args: Readonly<Record<string, unknown>>, setting: Setting = { step: 'revise' }): ToolAnswer {
    const tool: Tool = tools[name];
    const answer = tool.call(args, this.context(setting));
    if ('text' in answer) this.apply(answer.writes ?? []);
    return answer;
  }

  /** As `call`, with the tool's own example and some arguments changed. */
  callExample(name: ToolName, changes: Readonly<Record<string, unknown>> = {}, setting?: Setting): ToolAnswer {
    return this.call(name, { ...toolArguments[name].example, ...changes }, setting);
  }

  read(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) throw new Error(`there is no ${path}; there are ${[...this.files.keys()].join(', ')}`);
    return text;
  }

  private apply(writes: readonly Write[]): void {
    for (const write of writes) {
      if ('moveTo' in write) throw new Error('no tool moves a folder');
      if (write.content === null) this.files.delete(write.path);
      else this.files.set(write.path, write.content);
    }
  }
}

/** A valid plan of two specs and two tasks, written by the planner's own tools. */
export function plannedChange(files: Readonly<Record<string, string>> = {}): ChangeFixture {
  const change = new ChangeFixture(files);
  const task = toolArguments.create_tasks.example.tasks[0];
  change.callExample('create_proposal');
  change.callExample('create_spec');
  change.callExample('create_spec', { spec_id: 'login', title: 'Login' });
  change.callExample('create_tasks', {
    tasks: [
      task,
      {
        ...task,
        id: '2.1',
        title: 'Log in',
        layer: 'logic',
        action: 'MODIFY',
        file: 'src/login.ts',
        spec_ref: 'login:R1',
        depends_on: ['1.1'],
      },
    ],
  });
  return change;
}
