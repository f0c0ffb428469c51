/**
 * Tools by which a role that only reads looks at the repository's history. It gets no git of its own: git writes files
 * (`--output`) and runs programs that the repository names.
 */

import { map, maybe } from '../schema/lenient.ts';
import { check, leaf, problemOf, type Schema } from '../schema/schema.ts';
import { text, whole } from '../schema/simple.ts';
import { commitName, type Commits } from '../workspace/commits.ts';
import { GitFailed } from '../workspace/git.ts';
import type { ToolCallHandler, ToolResult } from './host.ts';

const answerCharsMax = 200_000;
const commitsMax = 200;
const commitsShown = 20;

interface GitTool {
  readonly description: string;
  readonly schema: Schema<unknown>;
  call(commits: Commits, args: unknown): Promise<ToolResult>;
}

const isCommitName = (value: unknown): value is string => typeof value === 'string' && commitName.test(value);
const commit = leaf('a commit, branch or tag such as HEAD~2', (value) => (isCommitName(value) ? value : undefined), {
  type: 'string',
});
const path = maybe(text('a path in the repository'));

const gitTools: Readonly<Record<string, GitTool>> = {
  git_diff: gitTool(
    'Shows what changed from one commit (HEAD) to another, or to the files as they are, new files included.',
    map({ from: maybe(commit), to: maybe(commit), path }),
    (commits, { from = 'HEAD', to = null, path: only = null }) => commits.diff(from, to, only),
  ),
  git_log: gitTool(
    `Lists commits with the files each changed, newest first: ${commitsShown} of them, from HEAD on.`,
    map({ commit: maybe(commit), path, count: maybe(whole(1, commitsMax)) }),
    (commits, { commit: last = 'HEAD', path: only = null, count = commitsShown }) => commits.log(last, only, count),
  ),
  git_show: gitTool(
    'Shows a commit with its changes; with a path, that file as it was in the commit.',
    map({ commit, path }),
    (commits, { commit: shown, path: only = null }) => commits.show(shown, only),
  ),
};

/** The handler with these tools beside its own; without a repository to look into, the handler itself. */
export function withGitTools(handler: ToolCallHandler, commits: Commits | undefined): ToolCallHandler {
  if (commits === undefined) return handler;
  return {
    get tools() {
      return [...handler.tools, ...historyTools()];
    },
    call: (name, args) =>
      (Object.hasOwn(gitTools, name) && gitTools[name]?.call(commits, args)) || handler.call(name, args),
    refused: (why) => handler.refused?.(why),
  };
}

/** As a role is offered them. */
export function historyTools() {
  return Object.entries(gitTools).map(([name, { description, schema }]) => ({
    name,
    description,
    schema: { type: 'object', ...schema.json() } as const,
  }));
}

function gitTool<T>(
  description: string,
  schema: Schema<T>,
  read: (commits: Commits, args: T) => Promise<string>,
): GitTool {
  const call: GitTool['call'] = async (commits, args) => {
    const found = check(schema, args);
    if ('mistakes' in found) {
      const words = found.mistakes.map((mistake) => `${problemOf(mistake, 'the call')}; expected ${mistake.expected}`);
      return { text: words.join('\n'), isError: true };
    }
    try {
      return { text: capped(await read(commits, found.value)), isError: false };
    } catch (error) {
      if (error instanceof GitFailed) return { text: error.message, isError: true };
      throw error;
    }
  };
  return { description, schema, call };
}

function capped(output: string): string {
  if (output === '') return 'Nothing.';
  if (output.length <= answerCharsMax) return output;
  return `${output.slice(0, answerCharsMax)}\n… truncated after ${answerCharsMax} characters; name a path to see the rest`;
}
