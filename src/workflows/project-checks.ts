/**
 * The project's own tests, type check, linter and audit, found by the files that mark a toolchain.
 *
 * L1. A check that cannot say anything (its program is missing, there are no tests) is not available, never failed.
 * L2. What uses the network, such as an audit, runs only when it is configured.
 */

import { choose, described, mapped, orNull, section, withDefault } from '../schema/compound.ts';
import type { Infer } from '../schema/schema.ts';
import { duration, exactly } from '../schema/simple.ts';
import { runProgram } from './define-workflow.ts';
import { command } from './run-config.ts';
import { inDevShell, otherTests, projectCommands, type Command } from './toolchains.ts';
import type { CheckContext, CommandRun, FileView } from './workflow.ts';

const checkNames = ['test', 'audit', 'typecheck', 'lint'] as const;
type CheckName = (typeof checkNames)[number];

/** Null: found by marker files; false: switched off. */
const off = exactly(false, 'a command such as ["npm", "test"], or false to switch it off');
const checkCommand = orNull(
  choose<readonly string[] | false>((value) => (typeof value === 'boolean' ? off : command), [command, off]),
);

/** The section of that name. */
export const checks = mapped(
  section(
    {
      test: described(checkCommand, 'found by files of the project'),
      audit: described(checkCommand, 'dependency audit; runs only if set'),
      typecheck: described(checkCommand, 'found by files of the project'),
      lint: described(checkCommand, 'found by files of the project'),
      timeoutMinutes: described(withDefault(duration(1440), 10), 'for each check'),
    },
    { unknownKeys: 'mistake' },
  ),
  ({ timeoutMinutes, ...commands }) => ({ commands, timeoutMinutes }),
);

export interface CheckRun {
  readonly name: CheckName;
  readonly status: 'passed' | 'failed' | 'timed out' | 'not available';
  /** Whether its failure forbids an approval. */
  readonly required: boolean;
  readonly log: string | null;
}

/** Their output goes to files the reviewer is pointed to. */
export async function runProjectChecks(context: CheckContext, { commands, timeoutMinutes }: Infer<typeof checks>) {
  const results: CheckRun[] = [];
  const notes: string[] = [];
  for (const check of localChecks(context.files, commands)) {
    const { why, ...result } = await runCheck(context, check, timeoutMinutes);
    results.push(result);
    const isAdvisory = !result.required && result.status === 'failed';
    const about = [...(isAdvisory ? ['advisory'] : []), ...(why === '' ? [] : [why])].join('; ');
    notes.push(`${result.name}: ${result.status}${about === '' ? '' : ` (${about})`}`);
  }
  return { results, notes };
}

async function runCheck(
  context: CheckContext,
  check: LocalCheck,
  minutes: number,
): Promise<CheckRun & { why: string }> {
  const { name, command, required, otherwise } = check;
  if (command === null) return { ...noTests, name, required, log: null };
  const run = await runInstalled(context, command, minutes);
  const { end, words, outputFile: log } = run;
  if (end === 'missing' && otherwise) return runCheck(context, { name, command: otherwise, required }, minutes);
  const shared = { name, required, log };
  if (foundNoTests(run)) return { ...shared, ...noTests };
  const told = `${command.join(' ')} ${words}`;
  if (end === 'passed') return { ...shared, status: 'passed', why: '' } as const;
  if (end === 'missing') return { ...shared, status: 'not available', why: told, log: null } as const;
  if (end === 'timed_out') {
    const why = `${command.join(' ')} was stopped after ${minutes} minutes; see [checks] timeout_minutes`;
    return { ...shared, status: 'timed out', why } as const;
  }
  return { ...shared, status: 'failed', why: told } as const;
}

/** In the project's development shell, if there is one that has the program. */
export async function runInstalled(context: CheckContext, command: readonly string[], minutes: number) {
  return runProgram(context, await inDevShell(context, command, minutes), minutes);
}

const noTests = { status: 'not available', why: 'there are no tests' } as const;

/** L1. Test runners that take an empty set of tests for a failure, by their exit code or a whole line of theirs. */
function foundNoTests({ command, exitCode, output }: CommandRun): boolean {
  if (command.some((word) => /(?:^|\/)pytest$/.test(word)) && exitCode === 5) return true;
  if (command.includes('unittest') && /^Ran 0 tests in /m.test(output)) return true;
  return /^(?:No tests found|No test files found), exiting with code 1\r?$|^Error: No test files found(?:: .*)?\r?$/m.test(
    output,
  );
}

type Configured = Readonly<Record<CheckName, readonly string[] | false | null>>;

interface LocalCheck {
  readonly name: CheckName;
  readonly command: Command;
  readonly required: boolean;
  /** Where the program is not installed. */
  readonly otherwise?: readonly string[];
}

/** Configured commands win, `false` switches a check off. A failed audit forbids no approval: it also fails without a network. */
export function localChecks(files: FileView, configured: Configured): LocalCheck[] {
  return checkNames.flatMap((name) => {
    const own = configured[name];
    if (own === false) return [];
    // L2.
    const detected = name === 'audit' ? [] : projectCommands(files, name);
    const commands = own ? [own] : detected;
    return commands.map((command) => {
      const otherwise = own || name !== 'test' ? undefined : otherTests.get(command?.[0] ?? '');
      return { name, command, required: name !== 'audit', ...(otherwise && { otherwise }) };
    });
  });
}
