/**
 * The boxes in which a run's agents and commands work.
 *
 * F1. The level is the same for a whole command; one that is lower than the run had before needs a person's consent,
 *     which is on record.
 * F2. Pawl's own folder is in no box, the git directory is read-only in all of them: no role commits.
 * F3. An agent gets what its driver names, a command of the project nothing of the kind: no vendor's folder, no keys.
 * F4. Nothing that Pawl writes or reads by its path can be replaced from inside of a box.
 * F5. The control folder and the configuration are read-only for every agent: what changes there is a person's work, or
 *     that of another run.
 */

import { cpSync, lstatSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Launch } from '../agents/agent.ts';
import { orElse } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import { entriesOfUrls } from '../sandbox/allow-list.ts';
import { isInside, type Box } from '../sandbox/box.ts';
import { isLower, lowerOf, type SandboxLevel } from '../sandbox/level.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import { restsOn } from './house-rules.ts';
import type { Run } from './run.ts';

export interface Confinement {
  readonly level: SandboxLevel;
  /** Why the level is lower. */
  readonly problem: string | null;
  /** The higher level that the run had before (F1). */
  readonly before: SandboxLevel | null;
}

/** A sandbox is required, and this computer has none, or a lesser one. */
class SandboxMissing extends Error {
  readonly code = 'SandboxMissing';
  readonly fix = 'pawl doctor';
}

/** Throws SandboxMissing. */
export async function confinementOf(run: Run): Promise<Confinement> {
  const { mode, allow } = run.settings.sandbox;
  const wanted = mode === 'off' ? 'none' : allow.includes('*') ? 'files' : 'files+network';
  const off = 'sandbox = "off" is configured';
  const probe = mode === 'off' ? ({ level: 'none', problem: off } as const) : await run.host.sandbox();
  const level = lowerOf(probe.level, wanted);
  const problem = level === 'files+network' ? null : (probe.problem ?? '[network] allow has "*"');
  if (mode === 'require' && level !== wanted)
    throw new SandboxMissing(
      `sandbox = "require" demands the level ${wanted}, and this computer has ${level}: ${problem}`,
    );
  const before = run.state.sandbox;
  return { level, problem, before: isLower(level, before) ? before : null };
}

export interface LoweredSandbox {
  readonly from: SandboxLevel;
  readonly to: SandboxLevel;
  readonly message: string;
}

/** F1. Null where the level is not lower than it was. */
export async function loweredSandbox(run: Run): Promise<LoweredSandbox | null> {
  if (run.state.sandbox === 'none') return null;
  const { level: to, problem, before: from } = await confinementOf(run);
  return from && { from, to, message: `the sandbox of this run was ${from} before, and is ${to} now: ${problem}` };
}

/** F1. */
export function acceptLowered(run: Run, { from, to, message }: LoweredSandbox): void {
  run.append({ type: 'sandbox.lowered', from, to, by: { who: run.host.user, how: 'flag' } });
  run.tell('warning', `${message}; this is accepted`);
}

interface BoxedDispatch {
  readonly start: Pick<Launch, 'env' | 'needs'>;
  readonly access: Box['access'];
  readonly folder: string;
  readonly toolsUrl: string;
  /** Files in the folder that are Pawl's: through a link in their place it would write somewhere else (F4). */
  readonly ownFiles: readonly string[];
}

/** The box of a dispatch; null where there is none. */
export function dispatchBox(run: Run, level: SandboxLevel, dispatch: BoxedDispatch): Box | null {
  const { start, access, folder, toolsUrl, ownFiles } = dispatch;
  if (level === 'none') return null;
  const own = ownFiles.map((name) => join(folder, name));
  for (const file of own) run.disk.writeFile(file, '', { flag: 'a', mode: 0o600 });
  // A folder that is not there could not be mounted, and would be made by the agent.
  run.disk.mkdir(join(run.workspace, run.workflow.controlFolder));
  const kept = ownPlaces(run).map((path) => join(run.workspace, path));
  const { read = [], write = [], settings = [], copies = [], hosts = [] } = start.needs ?? {};
  const all = [toolsUrl, ...hostsIn(start.env), ...hosts];
  const box = boxOf(run, level, {
    access,
    read,
    write: [folder, ...write],
    readOnly: [...own, ...settings, ...kept],
    hosts: all,
  });
  return box && { ...box, copies: copies.flatMap((path, at) => copyOf(path, join(folder, `copy-${at + 1}`))) };
}

function copyOf(path: string, source: string): { readonly path: string; readonly source: string }[] {
  return orElse([], () => {
    const real = realpathSync(path);
    writeFileSync(source, readRegular(real), { mode: 0o600 });
    return [{ path: real, source }];
  });
}

/**
 * Settings that an agent made where there were none, in its vendor's folder: a read-only mount needs something to be
 * there. They are moved into the folder of the dispatch, and told. To be called before it starts; the result after it.
 */
export function watchSettings(run: Run, folder: string, settings: readonly string[] = []): () => void {
  const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const missing = settings.filter((path) => !isThere(path));
  return () => {
    for (const [at, path] of missing.filter(isThere).entries()) {
      const kept = join(folder, `settings-${at + 1}`);
      orElse(undefined, () => cpSync(path, kept, { recursive: true }));
      rmSync(path, { recursive: true, force: true });
      run.tell('warning', `the agent made ${path}, which may name programs to run: it was moved to ${kept}`);
    }
  };
}

/** F5. */
export function ownPlaces(run: Run): readonly string[] {
  return [run.workflow.controlFolder, ...restsOn(run)];
}

/** The box of a command of the project (F3), with folders of its own. */
export function commandBox(
  run: Run,
  level: SandboxLevel,
  access: Box['access'],
  { read = [], write = [] }: Partial<Pick<Box, 'read' | 'write'>> = {},
): Box | null {
  return boxOf(run, level, { access, read, write, readOnly: [], hosts: [] });
}

interface Needs {
  readonly access: Box['access'];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly readOnly: readonly string[];
  readonly hosts: readonly string[];
}

function boxOf(run: Run, level: SandboxLevel, { access, read, write, readOnly, hosts }: Needs): Box | null {
  if (level === 'none') return null;
  const { root: workspace, commonDir, settings } = run;
  const configured = settings.sandbox;
  const inPlace = (paths: readonly string[]): string[] => paths.flatMap((path) => placeOf(path, workspace));
  return {
    level,
    workspace,
    // The main work tree is no place to write in.
    access: workspace === run.workspace ? access : 'read',
    // F2.
    readOnly: [join(workspace, '.git'), commonDir, ...readOnly],
    hidden: [join(commonDir, 'pawl')],
    read: [...read, ...inPlace(configured.read)],
    write: [...write, ...inPlace(configured.write)],
    allow: [...configured.allow, ...hosts.flatMap((host) => (host.includes('://') ? entriesOfUrls([host]) : [host]))],
  };
}

/** A path of the configuration. One in the workspace leads nowhere else: an agent may have put a link there. */
function placeOf(path: string, workspace: string): string[] {
  if (path === '~' || path.startsWith('~/')) return [join(homedir(), path.slice(1))];
  if (isAbsolute(path)) return [path];
  const place = resolve(workspace, path);
  const real = orElse(null, () => realpathSync(place));
  const root = orElse(workspace, () => realpathSync(workspace));
  return real !== null && isInside(root, real) ? [place] : [];
}

/** URLs of the user's variables that an agent gets: a base URL is a host it works with. A proxy is ours to use. */
function hostsIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (/proxy/i.test(name) ? [] : entriesOfUrls([value])));
}

const toldHosts = new WeakMap<Run, Set<string>>();

/** Says once for each host what a program was denied, and how it can be allowed. */
export function tellDenied(run: Run, who: string, { denied = [] }: Pick<ProcessEnd, 'denied'>): void {
  const told = toldHosts.get(run) ?? new Set();
  toldHosts.set(run, told);
  const fresh = denied.filter((host) => !told.has(host));
  if (fresh.length === 0) return;
  for (const host of fresh) told.add(host);
  const list = fresh.map((host) => `"${host}"`).join(', ');
  run.tell(
    'warning',
    `the sandbox denied ${who} the network: to allow it, set [network] allow = [${list}] in pawl.toml`,
  );
}
