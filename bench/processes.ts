/** What a program costs from its start to its end, compared with `node -e 0`, the least a Node program can cost. */

import { spawnSync } from 'node:child_process';
import type { Measured } from './benchmark.ts';
import { compare, summarize } from './rounds.ts';

export interface Program {
  readonly what: string;
  /** Arguments for node. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly ratioMax: number | null;
  /** Whether the promise is about the time on the clock as well, because somebody waits for it. */
  readonly waitedFor: boolean;
  /** A promise about the time on the clock in milliseconds beyond that of Node itself. */
  readonly wallMsMoreMax?: number;
  /** Starts in one turn: the clock of the processor's time is coarse. */
  readonly startsPerTurn: number;
}

const baselineStartsPerTurn = 10;

/** Processor time, and below it the time on the clock, which depends on what else the machine does. */
export function compareWithNode(program: Program): readonly Measured[] {
  const { what, args, cwd, startsPerTurn, ratioMax, waitedFor, wallMsMoreMax: moreMax } = program;
  const clock = { baseline: [] as number[], subject: [] as number[] };
  const cost = (kind: keyof typeof clock, nodeArgs: readonly string[], starts: number) => {
    const { cpuMs, wallMs } = costOfNode(nodeArgs, { cwd, starts });
    clock[kind].push(wallMs);
    return cpuMs;
  };
  const found = compare(
    () => cost('baseline', ['-e', '0'], baselineStartsPerTurn),
    () => cost('subject', args, startsPerTurn),
  );
  const onTheClock = summarize(clock.baseline, clock.subject);
  const promised = { ratioMax: waitedFor ? ratioMax : null, ...(moreMax !== undefined && { moreMax }) };
  return [
    { what, unit: 'ms cpu', ...found, ratioMax },
    { what: '', unit: 'ms wall', ...onTheClock, ...promised },
  ];
}

/** `times` adds up the processor's time of ended children, everywhere a shell runs. */
const timed = 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" >/dev/null || exit; n=$((n - 1)); done; times';

/** Of one start, user and system time together. */
function costOfNode(
  args: readonly string[],
  { cwd, starts }: { cwd: string; starts: number },
): { cpuMs: number; wallMs: number } {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', timed, 'sh', String(starts), process.execPath, ...args], {
    cwd,
    env: plainEnv(),
    encoding: 'utf8',
  });
  const wallMs = (performance.now() - begin) / starts;
  // A program that fails early would look fast.
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with exit code ${status}:\n${stderr}`);
  const [, children = ''] = stdout.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return { cpuMs: (seconds.reduce((sum, each) => sum + each, 0) * 1000) / starts, wallMs };
}

/** Without NODE_EXTRA_CA_CERTS and NODE_OPTIONS, which slow every start. */
function plainEnv(): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', NO_COLOR: '1' };
  for (const name of ['PATH', 'HOME', 'TMPDIR']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
