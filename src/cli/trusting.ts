/** `trust`, and the question before anything that a repository asks for takes effect. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { bothPowers, foundChecks, powersOf, type Power, type Powers } from '../project/powers.ts';
import { Trust } from '../project/trust.ts';
import type { TrustedPlace } from '../runs/caller.ts';
import { refusal, type Refusal } from '../runs/refusal.ts';
import { thisComputer, type Person } from '../runtime/host.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { callingAgent, isAttended } from './calling-agent.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes, Problem } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { print } from './show/screen.ts';
import { alignedWithin, plainLine } from './show/text.ts';

/** Whether its settings are: what they name may be started or loaded. */
export function isTrusted({ root, commonDir }: TrustedPlace): boolean {
  const powers = powersOf(root);
  return powers === null || isWaived() || trustIn(commonDir).has(powers);
}

/** What work would run or use and nobody has trusted; null where there is nothing of the kind. */
export async function untrustedPowers({ root, commonDir }: TrustedPlace): Promise<Powers | null> {
  const powers = allPowers(root);
  const trust = trustIn(commonDir);
  if (powers === null || isWaived() || trust.has(powers)) return null;
  const settings = powersOf(root);
  // T5.
  if (!(await isConfined(settings))) return powers;
  return settings === null || trust.has(settings) ? null : settings;
}

function allPowers(root: string): Powers | null {
  return bothPowers(powersOf(root), foundChecks(workspaceFiles(root)));
}

/** Whether checks run in a sandbox, whatever its level. */
async function isConfined(settings: Powers | null): Promise<boolean> {
  const isOff = settings?.powers.some(({ where, what }) => where.endsWith(': sandbox') && what === '"off"');
  return !isOff && (await thisComputer.sandbox()).level !== 'none';
}

/** As CI does it, where nobody can be asked. Read before the command line is, which may be that of a workflow in code. */
function isWaived(): boolean {
  const isSaid = process.env['PAWL_TRUST'] === '1' || process.argv.includes('--trust');
  return isSaid && callingAgent() === null;
}

/** A repository that Pawl itself has just made, or settings that it has just added. */
export function trustOwn({ root, commonDir }: TrustedPlace, what: 'everything' | 'settings'): void {
  const powers = what === 'everything' ? allPowers(root) : powersOf(root);
  if (powers) trustIn(commonDir).add(powers);
}

/** For code of the repository that is to be loaded. */
export function requireTrust(repository: TrustedPlace): void {
  if (!isTrusted(repository)) throw new Problem(untrusted(repository, powersOf(repository.root)));
}

/** Before work: a person who is there is asked; null goes ahead. */
export async function refusedUntrusted(repository: TrustedPlace, person: Person | null): Promise<Refusal | null> {
  const powers = await untrustedPowers(repository);
  const trust = trustIn(repository.commonDir);
  if (powers === null || (person && (await isAccepted(person, repository, { trust, powers })))) return null;
  return untrusted(repository, powers);
}

function untrusted({ commonDir }: TrustedPlace, powers: Powers | null): Refusal {
  const { added, removed } = trustIn(commonDir).differenceTo(powers ?? { powers: [] });
  const changes = linesOf(added, removed, 200);
  const message = ['nobody has trusted what this repository tells Pawl to run or to use:', ...changes].join('\n');
  return refusal('NotTrusted', message, { fix: 'pawl trust', outcome: 'needs_person' });
}

interface Asked {
  readonly trust: Trust;
  readonly powers: Powers;
}

async function isAccepted(person: Person, { root }: Pick<TrustedPlace, 'root'>, { trust, powers }: Asked) {
  const { added, removed } = trust.differenceTo(powers);
  const answer = await person.ask({
    title: 'Trust what this repository tells Pawl to run?',
    detail: linesOf(added, removed, process.stderr.columns ?? 80).join('\n'),
    answers: { trust: 'use it from now on', stop: 'do nothing' },
    paths: [],
    root,
  });
  if (answer !== 'trust') return false;
  trust.add(powers);
  return true;
}

function linesOf(added: readonly Power[], removed: readonly Power[], width: number): readonly string[] {
  const row = (sign: string, { where, what, runs }: Power): string[] => {
    return [sign, plainLine(where), plainLine(runs === undefined ? what : `${what}: ${runs}`)];
  };
  return alignedWithin([...added.map((power) => row('+', power)), ...removed.map((power) => row('-', power))], width);
}

export const trust: CommandFunction = async (given, context) => {
  const repository = context.repository();
  const { root, commonDir } = repository;
  const known = trustIn(commonDir);
  const { flags } = given;
  if (flags['forget']) {
    const forgotten = known.forget();
    print(
      flags,
      { action: 'forgotten', forgotten },
      forgotten ? 'Nothing of this repository is trusted any more.' : 'Nothing was trusted.',
    );
    return exitCodes.done;
  }
  const powers = allPowers(root);
  const list = powers?.powers ?? [];
  const trusted = { action: 'trusted', repository: root, powers: list };
  if (powers === null || known.has(powers)) {
    const text = powers === null ? 'This repository asks for nothing that needs trust.' : 'Trusted already.';
    print(flags, trusted, text);
    return exitCodes.done;
  }
  if (flags['yes']) known.add(powers);
  else {
    const { terminalPerson } = await import('./terminal-person.ts');
    const person = isAttended(given) ? terminalPerson(presenterFor()) : null;
    if (!person || !(await isAccepted(person, repository, { trust: known, powers }))) {
      throw new Problem({ ...untrusted(repository, powers), fix: 'pawl trust --yes' });
    }
  }
  print(flags, trusted, `Trusted: ${list.length} settings and files of ${root}.`);
  return exitCodes.done;
};

/** T4. */
function trustIn(commonDir: string): Trust {
  const base = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return new Trust(join(base, 'pawl'), commonDir);
}
