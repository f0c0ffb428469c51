/** A real agent as a person starts it in a repository that `pawl init` has set up, with a scripted model behind it. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { bundlePawl } from '../programs/bundle.ts';
import { installed, pathWith } from './agents-cache.ts';
import { ModelServer } from './model/model-server.ts';

/** Nobody listens there: whatever an agent tries to reach outside of this machine fails at once. */
const nowhere = 'http://127.0.0.1:9';
const agentMsMax = 120_000;

export interface Spoken {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Everything the model was sent. */
  readonly sent: string;
}

export class PersonAgent {
  readonly repository: ScratchRepository;
  readonly server: ModelServer;
  readonly #bin: string;
  readonly #agent: string;

  private constructor(agent: string, repository: ScratchRepository, server: ModelServer) {
    this.#agent = agent;
    this.repository = repository;
    this.server = server;
    this.#bin = join(repository.folder, 'bin');
  }

  /** `pawl` is the program with a workflow that has something to say, and a verb that is a command of its own. */
  static async create(agent: string): Promise<PersonAgent> {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-person-'));
    const program = await bundlePawl(new URL('../poll/program.ts', import.meta.url), join(folder, 'pawl'));
    const repository = ScratchRepository.create(program, { 'README.md': '# Scratch\n', 'polls/now.txt': 'tea' });
    const person = new PersonAgent(agent, repository, await ModelServer.start([]));
    person.put('tmp/.keep', '');
    person.put('bin/pawl', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
    chmodSync(join(repository.folder, 'bin/pawl'), 0o755);
    const { code, stderr } = await repository.pawl(['init', '--tools', agent]);
    if (code !== 0) throw new Error(`init ended with ${code}: ${stderr}`);
    return person;
  }

  /** A file beside the repository: in `home`, `bin` or `tmp`. */
  put(path: string, content: string): void {
    const file = join(this.repository.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Nothing but these variables is passed on. */
  start(args: readonly string[], input: string, env: Readonly<Record<string, string>>): Promise<Spoken> {
    const { folder, home, root } = this.repository;
    const [program = this.#agent, ...rest] = args;
    const from = this.server.asked.length;
    return new Promise((resolve, reject) => {
      const child = spawn(join(installed(this.#agent), program), rest, {
        cwd: root,
        timeout: agentMsMax,
        killSignal: 'SIGKILL',
        env: {
          PATH: `${this.#bin}:${pathWith(this.#agent)}`,
          HOME: home,
          TMPDIR: join(folder, 'tmp'),
          TERM: 'dumb',
          LANG: 'C.UTF-8',
          HTTP_PROXY: nowhere,
          HTTPS_PROXY: nowhere,
          NO_PROXY: '127.0.0.1,localhost',
          ...env,
        },
      });
      const output = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      child.on('error', reject);
      child.on('close', (code) => {
        const sent = this.server.asked.slice(from).map(({ body }) => body);
        resolve({ code, ...output, sent: sent.join('\n') });
      });
    });
  }

  async close(): Promise<void> {
    await this.server.close();
    this.repository.remove();
    rmSync(dirname(dirname(this.repository.program)), { recursive: true, force: true });
  }
}
