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
  | { readonly kind: 'reply'; readonly text: string; readonly calls: readonly ToolCall[]; readonly usage: ModelUsage }
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
  /** A file to read with the agent's own tool, before all else. */
  readonly read?: string;
  /** A command for the agent's shell. */
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
  | { readonly read: string }
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
  readonly #parallel: boolean;
  readonly #played = new Map<string, number>();
  /** Role → the turn it is at. */
  readonly #current = new Map<string, ModelTurn | undefined>();

  constructor(turns: readonly ModelTurn[], parallel = false) {
    this.#turns = turns;
    this.#parallel = parallel;
  }

  /** Goes on with other turns: the way out of a model that only fails. */
  play(turns: readonly ModelTurn[]): void {
    this.#turns = turns;
    this.#played.clear();
    this.#current.clear();
  }

  answer(request: ModelRequest): ModelAnswer {
    // Titles, summaries and the like are asked for without tools: no part of the conversation.
    if (request.tools.length === 0) return say('A conversation');
    const turn = this.#turnOf(roleOf(request.text), request.results.length === 0 && !request.searches);
    if (!turn) return say('There is nothing for me to do.');
    if (turn.error) return { kind: 'error', ...turn.error };
    if (turn.hang) return { kind: 'hang' };
    if (turn.cut && request.results.length > 0) return { kind: 'cut', text: 'I was about to ' };
    const actions = this.#next(turn, request);
    if (actions.length === 0) return say(turn.say ?? 'Done.', { input: 1_000, output: 50 });
    const calls = actions.flatMap((action) => callFor(request, action) ?? []);
    if (calls.length < actions.length)
      return say(`I have no tool for that among ${request.tools.map(({ name }) => name).join(', ')}.`);
    const text = this.#parallel ? 'I look at what is there, and report what I found.' : '';
    return { kind: 'reply', text, calls, usage: { input: 1_000, output: 100 } };
  }

  /** In parallel: what there is to do with the first report, then all other reports. */
  #next(turn: ModelTurn, request: ModelRequest): readonly Action[] {
    const { work, reports } = actionsOf(turn, request);
    const actions = [...work, ...reports];
    const done = request.results.length;
    if (!this.#parallel) return actions.slice(done, done + 1);
    const first = Math.min(work.length + 1, actions.length);
    return done < first ? actions.slice(done, first) : actions.slice(done);
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

function say(text: string, usage: ModelUsage = { input: 10, output: 5 }): ModelAnswer {
  return { kind: 'reply', text, calls: [], usage };
}

export function roleOf(text: string): string {
  const found = Object.entries(roleTools).find(([, tools]) => tools.some((tool) => text.includes(`\`${tool}\``)));
  return found?.[0] ?? 'nobody';
}

/** What an agent offers no tool for to a role that only reads is left out, as a model would do. */
function actionsOf({ read, run, write = {}, call = [] }: ModelTurn, request: ModelRequest) {
  const work: readonly Action[] = [
    ...(read === undefined ? [] : [{ read }]),
    ...(run === undefined ? [] : [{ run }]),
    ...Object.entries(write).map(([path, content]) => ({ write: [path, content] as const })),
  ];
  return {
    work: work.filter((action) => callFor(request, action) !== undefined),
    reports: call.map((each): Action => ({ call: each })),
  };
}

function callFor(request: ModelRequest, action: Action): ToolCall | undefined {
  if ('read' in action) return reading(request, action.read);
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

/** The same for reading one. */
const readers: Readonly<Record<string, (path: string) => Readonly<Record<string, unknown>>>> = {
  Read: (path) => ({ file_path: path }),
  read_file: (path) => ({ file_path: path }),
  read: (path) => ({ filePath: path }),
  view: (path) => ({ path }),
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

function reading(request: ModelRequest, path: string): ToolCall | undefined {
  const name = Object.keys(readers).find((reader) => request.tools.some((tool) => tool.name === reader));
  const read = name === undefined ? undefined : readers[name];
  if (name === undefined || !read) return running(request, `cat '${path}'`);
  return { name, args: read(absolute(request, path)) };
}

function writing(request: ModelRequest, path: string, content: string): ToolCall | undefined {
  const { tools } = request;
  if (tools.some(({ name, free }) => name === 'apply_patch' && free))
    return { name: 'apply_patch', args: {}, input: patchOf(path, content) };
  const name = Object.keys(writers).find((writer) => tools.some((tool) => tool.name === writer));
  const write = name === undefined ? undefined : writers[name];
  if (name === undefined || !write) return running(request, shellWrite(path, content));
  return { name, args: write(absolute(request, path), content) };
}

/** Most tools want an absolute path; the agent tells its model where it works. */
function absolute({ text }: ModelRequest, path: string): string {
  const root = /(?:cwd|[Ww]orking directory|current working directory|workspace)[^/\n]*?(\/[^\s"'<>`]+)/.exec(
    text,
  )?.[1];
  return root === undefined ? path : `${root.replace(/[.,]$/, '')}/${path}`;
}

function patchOf(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((line) => `+${line}\n`).join('')}*** End Patch\n`;
}

function shellWrite(path: string, content: string): string {
  const encoded = Buffer.from(content).toString('base64');
  return `mkdir -p "$(dirname '${path}')" && printf %s ${encoded} | base64 -d > '${path}'`;
}
