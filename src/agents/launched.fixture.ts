/** What adapters are started with in tests: a program that only tells its version, and a dispatch to make. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DispatchRequest } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';

export interface Machine {
  readonly home: string;
  readonly workspace: string;
  /** Options with the program that tells `version`. */
  options(more?: Partial<AgentOptions>): AgentOptions;
  request(more?: Partial<DispatchRequest>): DispatchRequest;
}

/** A machine with a home, a workspace and one program, until the test has finished. */
export function machineWith(version: string, files: Readonly<Record<string, string>> = {}): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [home, workspace, program] = ['home', 'workspace', 'program'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, workspace]) mkdirSync(path);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  writeFileSync(program, `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
  return {
    home,
    workspace,
    options: (more = {}) => ({
      command: [program],
      driver: null,
      mcp: [],
      ...more,
      environment: { HOME: home, ...more.environment },
    }),
    request: (more = {}) => ({
      id: 'change.greet#1',
      role: 'planner',
      step: 'propose',
      prompt: 'Plan the greeting of people.',
      resume: null,
      workspace,
      folder: join(folder, 'dispatch'),
      tools: { url: 'http://127.0.0.1:4021/mcp', token: 'token-nobody-may-see' },
      access: 'read',
      model: null,
      earlier: [],
      ...more,
    }),
  };
}
