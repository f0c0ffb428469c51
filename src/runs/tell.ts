/**
 * A verb that works with the repository's files alone.
 *
 * T1. Its writes are made all together; on a problem, none of them.
 * T2. A file that somebody changed since the verb read it is not written over: the verb is asked again.
 *     Commands of one workflow that write come one after the other.
 * T3. Nothing is written beside a run at work: it would be put back as an agent's.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Names, Objection, TellContext, TellVerb, Told, WorkflowSurface } from '../workflows/surface.ts';
import type { CommandInput } from '../workflows/surface.ts';
import type { FileView, FileWrite } from '../workflows/workflow.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { claimName, releaseName } from '../workspace/claims.ts';
import { withLock } from '../workspace/file-lock.ts';
import { applyWrites } from '../workspace/files.ts';
import type { Repository } from '../workspace/git.ts';
import { namesElsewhere } from '../workspace/history.ts';
import { listRuns, type ListedRun } from './catalog.ts';
import type { RunRepository } from './work-order.ts';
import { orRefusal, refusal, type Refusal } from './refusal.ts';

interface Request {
  readonly surface: Pick<WorkflowSurface, 'name'>;
  readonly verb: TellVerb;
  readonly given: CommandInput;
  readonly today: string;
}

const attemptsMax = 20;

export function tell(repository: RunRepository, { surface, verb, given, today }: Request) {
  const { root, commonDir } = repository;
  return orRefusal(async (): Promise<Told | Refusal> => {
    const atWork = verb.writes ? await refusedBesideRun(repository) : null;
    if (atWork) return atWork;
    const told = await verb.tell();
    const names = namesIn(repository, surface.name);
    const attempts = (): Promise<Told | Refusal> =>
      repeatedly(root, { told, verb, given, context: { today, ...names } });
    return verb.writes ? withLock(join(commonDir, 'pawl-claims', `${surface.name}.lock`), attempts) : attempts();
  });
}

/** For one command: what it claims twice is claimed once. */
export function namesIn({ root, commonDir }: Repository, scope: string): Names & { readonly release: () => void } {
  const owner = randomUUID();
  const claimed: string[] = [];
  return {
    claim: (name) => {
      const isOurs = claimName({ commonDir, scope, name, owner });
      if (isOurs) claimed.push(name);
      return isOurs;
    },
    namesElsewhere: (folder) => namesElsewhere(root, folder),
    release: () => claimed.forEach((name) => releaseName({ commonDir, scope, name, owner })),
  };
}

/** T3. Null where no run works in this checkout. */
export async function refusedBesideRun(repository: RunRepository): Promise<Refusal | null> {
  const atWork = (await listRuns(repository)).find(isHere);
  if (!atWork) return null;
  const message = `${atWork.run} is running in this checkout, where new files would be taken for an agent's`;
  const fix = 'wait until it is done, or use another worktree';
  return refusal('RunAtWork', message, { fix, outcome: 'not_ready' });
}

interface Attempt extends Pick<Request, 'verb' | 'given'> {
  readonly told: Awaited<ReturnType<TellVerb['tell']>>;
  readonly context: Omit<TellContext, 'files'>;
}

/** T2. */
async function repeatedly(root: string, { told, verb, given, context }: Attempt): Promise<Told | Refusal> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const { files, seen } = rememberingReads(workspaceFiles(root));
    const result = await told(given, { files, ...context });
    if (isObjection(result)) return refusal(result.code, result.message, result);
    const { writes = [] } = result;
    if (writes.length > 0 && !verb.writes) throw new Error(`the verb ${verb.verb} wrote files, and may not`);
    if (!writes.every((write) => isAsRead(write, root, seen))) continue;
    applyWrites(root, writes);
    return result;
  }
  const message = 'the files were changed again and again by other processes; nothing was written';
  return refusal('FilesChanging', message, { fix: 'run the same command again', outcome: 'temporary' });
}

function isHere({ owner, workspace }: ListedRun): boolean {
  return owner !== null && workspace === null;
}

function isObjection(result: Told | Objection): result is Objection {
  return 'fix' in result;
}

type Seen = ReadonlyMap<string, string | undefined>;

function rememberingReads(files: FileView): { readonly files: FileView; readonly seen: Seen } {
  const seen = new Map<string, string | undefined>();
  const read = (path: string): string | undefined => {
    if (!seen.has(path)) seen.set(path, files.read(path));
    return seen.get(path);
  };
  return { files: { ...files, read }, seen };
}

/** T2. A file that the verb never read is one that it makes. */
function isAsRead({ path }: FileWrite, root: string, seen: Seen): boolean {
  return workspaceFiles(root).read(path) === seen.get(path);
}
