/** A scratch repository for sessions, and session folders as other tools leave them. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { ScratchRepository, Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';

const program = new URL('../../dist/pawl.js', import.meta.url).pathname;
const fixtures = fileURLToPath(new URL('../fixtures/sessions/', import.meta.url));

export const foreignNames: readonly string[] = readdirSync(fixtures).toSorted();

export class SessionRepository {
  readonly scratch: ScratchRepository;

  constructor(files: Readonly<Record<string, string>> = {}) {
    const settings = 'retry_delay_secs = 0\n[session]\nretries = 0\n';
    this.scratch = WarmRepository.create(program, { 'pawl.toml': settings, ...files });
    this.scratch.write('../nothing.yaml', '[]\n');
    created.push(this.scratch);
  }

  pawl(args: readonly string[], options?: RunOptions): Promise<Ran> {
    return this.scratch.pawl(args, options);
  }

  session(...args: readonly string[]): Promise<Ran> {
    return this.pawl(['session', ...args]);
  }

  /** Agents have nothing to say: the first dispatch stops the session. */
  idly(...args: readonly string[]): Promise<Ran> {
    return this.session(...args, '--no-input', '--agent', 'scripted', '--script', '../nothing.yaml');
  }

  /** A folder without a journal. */
  foreign(fixture: string, name = `2026-03-04_${fixture}`): string {
    for (const file of readdirSync(join(fixtures, fixture)))
      this.scratch.write(`.agents-work/${name}/${file}`, readFileSync(join(fixtures, fixture, file), 'utf8'));
    return name;
  }

  status(name: string, status: Readonly<Record<string, unknown>>): string {
    this.scratch.write(`.agents-work/${name}/status.json`, JSON.stringify(status));
    return name;
  }

  /** Every file there is, the journals included, with its content. */
  everything(): Readonly<Record<string, string>> {
    const { root } = this.scratch;
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
    const files = paths.filter((path) => statSync(join(root, path)).isFile());
    return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), 'latin1')]));
  }

  /** Names of the sessions that have a journal. */
  runs(): readonly string[] {
    const folder = join(this.scratch.root, '.git/pawl/session');
    return this.scratch.exists('.git/pawl/session') ? readdirSync(folder) : [];
  }
}

const created: ScratchRepository[] = [];

export function keepTidy(): void {
  afterAll(() => {
    for (const scratch of created.splice(0)) scratch.remove();
  });
}

/** The one document of a command called with `--json`. */
export function documentOf({ stdout }: Ran): Record<string, any> {
  // oxlint-disable-next-line typescript/no-unsafe-return -- tests look into it freely
  return JSON.parse(stdout);
}
