/** docs/json.md: what `--json` prints, from real commands in a sample repository; what differs from run to run is evened out. */

import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './run-process.mjs';

const title = '"Slugs get a maximum length"';

/** @type {readonly (readonly [command: string, about: string])[]} */
const shown = [
  ['pawl --version', 'Program and version.'],
  [
    `pawl change plan limit-slugs ${title} --agent scripted`,
    'Every command that sets agents to work, `resume` and `retry` included.',
  ],
  ['pawl change status limit-slugs', 'The state of a run; `decisions` has what it asks, `problems` what is wrong.'],
  ['pawl status', 'All runs by what a person has to do about them; `finished` counts the others.'],
  ['pawl runs', 'Open runs, or with `--all` all. The `list` of a workflow has the same, under its plural.'],
  [
    'pawl log limit-slugs',
    'The journal, without names of people and paths of the computer. With `--follow`, one record per line.',
  ],
  ['pawl log limit-slugs --dispatch 1', 'One agent call: prompt, transcript, reports and end.'],
  [
    'pawl usage',
    'What agent calls consumed. A sum is null where no call tells; `unknownCost` counts calls that do not.',
  ],
  ['pawl answer', 'Decisions that wait for a person. Exit code 3 where there is one.'],
  ['pawl diff limit-slugs', 'The changes of a run to the work tree.'],
  ['pawl undo limit-slugs', 'Short work on a run: `undo`, `pause`, `cancel`, `answer`, `abandon`, `restore`.'],
  ['pawl verify change', 'What is proven of a workflow, and the worst case of each command.'],
  ['pawl show change', 'A workflow; `--format json` has its machine.'],
  ['pawl simulate change --runs 100 --seed 1', 'A simulation.'],
  ['pawl config --set', 'Values with their origin. `--keys`: all keys.'],
  ['pawl tools change reviewer', 'Tools with the JSON Schema of their arguments.'],
  ['pawl trust', 'What the repository tells Pawl to run, and whether it is trusted.'],
  ['pawl resume nothing', 'Every refusal and every error.'],
];

/** @returns {Promise<string[]>} */
export async function jsonPage() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-json-')));
  const home = join(folder, 'home');
  const repository = join(folder, 'repo');
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, PAWL_SANDBOX: 'off', LC_ALL: 'C.UTF-8' };
  /** @param {string} line */
  const run = (line) =>
    new Promise((resolve) => {
      const [program = '', ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word ?? '',
      );
      const words = program === 'pawl' ? [process.execPath, join(root, 'dist/pawl.js'), ...args] : [program, ...args];
      const child = execFile(
        words[0] ?? '',
        words.slice(1),
        { cwd: repository, env, maxBuffer: 2 ** 26 },
        (error, stdout) => resolve({ code: child.exitCode ?? error, stdout }),
      );
      child.stdin?.end();
    });
  try {
    await new Promise((resolve) => execFile('git', ['init', '-q', '-b', 'main', repository], { env }, resolve));
    writeFileSync(join(repository, 'pawl.toml'), '[budget]\ncost_usd = 5\n');
    const lines = [];
    for (const [command, about] of shown) {
      const { code, stdout } = await run(`${command} --json`);
      const document = even(JSON.parse(stdout), folder);
      lines.push(
        '',
        `### \`${command} --json\``,
        `${about} Exit code ${code}.`,
        '',
        '```json',
        JSON.stringify(document, null, 2),
        '```',
      );
    }
    return lines.slice(1);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const itemsMax = 1;
const charsMax = 90;
const depthMax = 4;

/**
 * Lists with their first item, texts shortened, times and digests replaced.
 * @param {unknown} value
 * @param {string} folder
 * @param {{key?: string, depth?: number}} [place]
 * @returns {unknown}
 */
function even(value, folder, { key = '', depth = 0 } = {}) {
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map((item) => even(item, folder, { depth: depth + 1 }));
    return value.length > itemsMax
      ? [...items, `… ${key === 'records' || key === 'tools' ? 'more' : `${value.length - itemsMax} more`}`]
      : items;
  }
  if (typeof value === 'object' && value !== null && depth > depthMax) return '…';
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, even(inner, folder, { key: name, depth: depth + 1 })]),
    );
  if (typeof value === 'number') return /ms$/i.test(key) ? 1000 : key === 'pid' ? 4711 : value;
  if (typeof value !== 'string') return value;
  const evened = value
    .replaceAll(folder, '')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '2026-11-18T12:00:00.000Z')
    .replaceAll(/\b[0-9a-f]{16,64}\b/g, 'c0ffee')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, '1s');
  return evened.length > charsMax ? `${evened.slice(0, charsMax)}…` : evened;
}
