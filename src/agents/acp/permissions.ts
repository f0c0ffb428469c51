/**
 * What an agent may do when it asks. It need not ask, so this is no boundary: the runtime looks at the tree again.
 *
 * Everybody may read, and use our tools and those of servers the user allowed. Who may write may also change files inside
 * of the workspace and run commands; who only reads may run the few commands that only look.
 */

import { sep } from 'node:path';
import { inner, items, texts, type Json } from '../json-line.ts';
import { relativeInside } from '../own-program.ts';
import { changing, pathsOf } from './updates.ts';

export interface Rights {
  readonly access: 'read' | 'write';
  /** Beginnings of the only commands that who writes may run; null for all of them. */
  readonly commands?: readonly string[] | null;
  readonly workspace: string;
  /** MCP servers whose tools may be used. */
  readonly servers: readonly string[];
}

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

const allowed: Verdict = { allowed: true };

/** The call with everything that was told about it before. */
export function judge(call: Json, rights: Rights): Verdict {
  if (rights.servers.some((server) => isToolOf(server, call))) return allowed;
  const kind = texts(call['kind']) ?? '';
  if (['read', 'search', 'think'].includes(kind)) return allowed;
  if (changing.includes(kind)) return change(call, rights);
  if (kind === 'execute') return command(call, rights);
  if (kind === 'switch_mode') return refused('the mode is ours to choose');
  if (kind !== 'fetch') return refused('only tools of Pawl, and of servers the user named, may be used');
  return rights.access === 'write' ? allowed : refused('the network is not for a role that only reads');
}

/** The option that says so, for this once where there is a choice; undefined when none does. */
export function optionFor(verdict: Verdict, options: unknown): string | undefined {
  const kinds = verdict.allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const found = kinds.flatMap((kind) => items(options).filter((option) => option['kind'] === kind));
  return texts(found[0]?.['optionId']) ?? undefined;
}

function refused(why: string): Verdict {
  return { allowed: false, why };
}

function change(call: Json, { access, workspace }: Rights): Verdict {
  if (access === 'read') return refused('this role only reads');
  const outside = pathsOf(call).find((path) => !isInside(workspace, path));
  return outside === undefined ? allowed : refused(`${outside} is not inside of the workspace`);
}

/** What belongs to git is not the agent's to edit. */
function isInside(workspace: string, path: string): boolean {
  const inside = relativeInside(workspace, path);
  return inside !== null && inside.split(sep)[0] !== '.git';
}

function command(call: Json, { access, commands = null, workspace }: Rights): Verdict {
  const folder = texts(inner(call, 'rawInput')['cwd']);
  if (folder !== null && !isInside(workspace, folder)) return refused(`${folder} is not inside of the workspace`);
  if (access === 'write' && commands === null) return allowed;
  const line = commandLine(call);
  if (access === 'write') {
    if (line !== null && (onlyLooks(line) || beginsWith(line, commands ?? []))) return allowed;
    return refused(`this role may run only ${commands?.join(', ')}`);
  }
  return line !== null && onlyLooks(line) ? allowed : refused('this role only reads, and this command may write');
}

/** As one line, or as words, or as the words of a shell that gets a line. */
function commandLine(call: Json): string | null {
  const input = inner(call, 'rawInput');
  const command = input['command'] ?? input['cmd'];
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || !command.every((word): word is string => typeof word === 'string')) return null;
  const [shell = '', flag = '', line = ''] = command;
  const isShell = /(?:^|\/)(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag) && command.length === 3;
  return isShell ? line : command.join(' ');
}

/** Characters by which a shell does more than start one program. */
const shellMagic = /[;&|<>`$(){}\n\\]/;
/** None of them has an option by which it writes or runs anything; git has (see `git_diff` and its like). */
const lookingPrograms = ['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'pwd'];

/** One program with its words, and nothing that a shell would make of them. */
function beginsWith(line: string, commands: readonly string[]): boolean {
  const words = line.trim().replaceAll(/\s+/g, ' ');
  return !shellMagic.test(line) && commands.some((command) => words === command || words.startsWith(`${command} `));
}

export function onlyLooks(line: string): boolean {
  if (shellMagic.test(line)) return false;
  const [program = ''] = line.trim().split(/\s+/);
  return lookingPrograms.includes(program);
}

/** Each agent has its own way to name a server's tool; some say that it edits or runs something. A command or an edit of a file is never one. */
function isToolOf(server: string, call: Json): boolean {
  const input = inner(call, 'rawInput');
  if ('command' in input || 'cmd' in input || items(call['locations']).length > 0) return false;
  if (input['server'] === server && typeof input['tool'] === 'string') return true;
  const name = server.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const asPrefix = new RegExp(`^(?:mcp(?:__|[._]))?${name}(?:__|[-_./:])[\\w-]+$`);
  const asNote = new RegExp(String.raw`^[\w-]+ \(${name} MCP Server\)$`);
  return [call['name'], call['title'], call['firstTitle']].some(
    (said) => typeof said === 'string' && (asPrefix.test(said) || asNote.test(said)),
  );
}
