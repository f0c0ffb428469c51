/** What the scripted model does next in a conversation: the turns of a script, played through whatever tools an agent offers. */

export interface ModelRequest {
  readonly dialect: 'anthropic' | 'responses' | 'chat' | 'gemini';
  readonly model: string;
  /** Everything said so far, in one text: system prompt, instructions and the user's words. */
  readonly text: string;
  readonly tools: readonly OfferedTool[];
  /** Results of the tool calls made so far in this conversation, oldest first. */
  readonly results: readonly string[];
  /** How often it has searched for tools; what it found is among the tools. */
  readonly searches?: number;
}

export interface OfferedTool {
  readonly name: string;
  /** Codex puts the tools of a server into a namespace. */
  readonly namespace?: string;
  /** Takes free text. */
  readonly free?: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Free text instead of arguments, for tools that take that. */
  readonly input?: string;
}

export type ModelAnswer =
  | { readonly kind: 'say'; readonly text: string; readonly usage?: ModelUsage }
  | { readonly kind: 'call'; readonly call: ToolCall; readonly usage?: ModelUsage }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message: string;
      readonly body?: unknown;
    }
  /** Half an answer, then the connection is gone. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'hang' };

export interface ModelUsage {
  readonly input: number;
  readonly output: number;
}

/** A turn as in a script of the scripted agent; `error`, `cut` and `hang` are the model's own ways to fail. */
export interface ModelTurn {
  readonly role: string;
  readonly call?: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];
  readonly write?: Readonly<Record<string, string>>;
  /** A command for the agent's shell, before all else. */
  readonly run?: string;
  readonly say?: string;
  readonly error?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly message: string;
    /** Instead of the message in the dialect's usual form. */
    readonly body?: unknown;
  };
  readonly cut?: true;
  readonly hang?: true;
}

type Action =
  | { readonly run: string }
  | { readonly write: readonly [path: string, content: string] }
  | { readonly call: { tool: string; args: Readonly<Record<string, unknown>> } };

/** Who is speaking is known by the report each role's prompt asks for. */
const roleTools: Readonly<Record<string, readonly string[]>> = {
  planner: ['create_proposal', 'create_spec', 'create_tasks'],
  challenger: ['append_review'],
  reviewer: ['create_review'],
  implementer: ['update_task'],
};

export class TurnPlayer {
  #turns: readonly ModelTurn[];
  readonly #played = new Map<string, number>();
  /** Role → the turn it is at. */
  readonly #current = new Map<string, ModelTurn | undefined>();

  constructor(turns: readonly ModelTurn[]) {
    this.#turns = turns;
  }

  /** Goes on with other turns: the way out of a model that only fails. */
  play(turns: readonly ModelTurn[]): void {
    this.#turns = turns;
    this.#played.clear();
    this.#current.clear();
  }

  answer(request: ModelRequest): ModelAnswer {
    // Titles, summaries and the like are asked for without tools: no part of the conversation.
    if (request.tools.length === 0) return { kind: 'say', text: 'A conversation' };
    const turn = this.#turnOf(roleOf(request.text), request.results.length === 0 && !request.searches);
    if (!turn) return { kind: 'say', text: 'There is nothing for me to do.' };
    if (turn.error) return { kind: 'error', ...turn.error };
    if (turn.hang) return { kind: 'hang' };
    const actions = actionsOf(turn, request);
    const action = actions[request.results.length];
    if (turn.cut && request.results.length > 0) return { kind: 'cut', text: 'I was about to ' };
    if (!action) return { kind: 'say', text: turn.say ?? 'Done.', usage: { input: 1_000, output: 50 } };
    const call = callFor(request, action);
    return call
      ? { kind: 'call', call, usage: { input: 1_000, output: 100 } }
      : { kind: 'say', text: `I have no tool for that among ${request.tools.map(({ name }) => name).join(', ')}.` };
  }

  /** A conversation without results is a new one, unless the model only fails: then the agent may be trying again. */
  #turnOf(role: string, begins: boolean): ModelTurn | undefined {
    const current = this.#current.get(role);
    if (this.#current.has(role) && (!begins || current?.error || current?.hang || current?.cut)) return current;
    const played = this.#played.get(role) ?? 0;
    this.#played.set(role, played + 1);
    const next = this.#turns.filter((turn) => turn.role === role)[played];
    this.#current.set(role, next);
    return next;
  }
}

export function roleOf(text: string): string {
  const found = Object.entries(roleTools).find(([, tools]) => tools.some((tool) => text.includes(`\`${tool}\``)));
  return found?.[0] ?? 'nobody';
}

/** What an agent offers no tool for to a role that only reads is left out, as a model would do. */
function actionsOf({ run, write = {}, call = [] }: ModelTurn, request: ModelRequest): readonly Action[] {
  const work: readonly Action[] = [
    ...(run === undefined ? [] : [{ run }]),
    ...Object.entries(write).map(([path, content]) => ({ write: [path, content] as const })),
  ];
  return [...work.filter((action) => callFor(request, action) !== undefined), ...call.map((each) => ({ call: each }))];
}

function callFor(request: ModelRequest, action: Action): ToolCall | undefined {
  if ('run' in action) return running(request, action.run);
  return 'write' in action ? writing(request, ...action.write) : reporting(request, action.call);
}

function reporting(
  { tools }: ModelRequest,
  { tool, args }: { tool: string; args: Readonly<Record<string, unknown>> },
): ToolCall | undefined {
  const offered = tools.find(({ name }) => name === tool || name.endsWith(`_${tool}`) || name.endsWith(`-${tool}`));
  if (offered)
    return { name: offered.name, ...(offered.namespace !== undefined && { namespace: offered.namespace }), args };
  // Codex hides the tools of servers from models it knows: they have to be looked for.
  const search = tools.find(({ name }) => name === 'tool_search');
  return search && { name: search.name, args: { query: tool.replaceAll('_', ' '), limit: 8 } };
}

/** How each agent's own tool for writing a file wants to be called. */
const writers: Readonly<Record<string, (path: string, content: string) => Readonly<Record<string, unknown>>>> = {
  Write: (path, content) => ({ file_path: path, content }),
  write_file: (path, content) => ({ file_path: path, content }),
  write: (path, content) => ({ filePath: path, content }),
  create: (path, content) => ({ path, file_text: content }),
};

/** The same for its shell. */
const shells: Readonly<Record<string, (command: string) => Readonly<Record<string, unknown>>>> = {
  Bash: (command) => ({ command, description: 'Run it' }),
  run_shell_command: (command) => ({ command, description: 'Run it' }),
  bash: (command) => ({ command, description: 'Run it' }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};

function running({ tools }: ModelRequest, command: string): ToolCall | undefined {
  const name = Object.keys(shells).find((shell) => tools.some((tool) => tool.name === shell));
  const args = name === undefined ? undefined : shells[name]?.(command);
  return name === undefined || args === undefined ? undefined : { name, args };
}

function writing(request: ModelRequest, path: string, content: string): ToolCall | undefined {
  const { tools, text } = request;
  if (tools.some(({ name, free }) => name === 'apply_patch' && free))
    return { name: 'apply_patch', args: {}, input: patchOf(path, content) };
  const name = Object.keys(writers).find((writer) => tools.some((tool) => tool.name === writer));
  const write = name === undefined ? undefined : writers[name];
  if (name === undefined || !write) return running(request, shellWrite(path, content));
  // Most of them want an absolute path; the agent tells its model where it works.
  const root = /(?:cwd|[Ww]orking directory|current working directory|workspace)[^/\n]*?(\/[^\s"'<>`]+)/.exec(
    text,
  )?.[1];
  return { name, args: write(root === undefined ? path : `${root.replace(/[.,]$/, '')}/${path}`, content) };
}

function patchOf(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((line) => `+${line}\n`).join('')}*** End Patch\n`;
}

function shellWrite(path: string, content: string): string {
  const encoded = Buffer.from(content).toString('base64');
  return `mkdir -p "$(dirname '${path}')" && printf %s ${encoded} | base64 -d > '${path}'`;
}
