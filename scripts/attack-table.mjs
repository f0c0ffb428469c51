/** The table attack × sandbox level in docs/security.md, from test/attacks/rows.yaml. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './run-process.mjs';

/** @typedef {'prevented' | 'detected' | 'restored' | 'reported' | 'possible'} Outcome */
/** @typedef {{id: string, title: string, none: Outcome, files?: Outcome, 'files+network'?: Outcome, reason?: string}} Row */
/** @typedef {{area: string, rows: Row[]}} Area */

export const levels = /** @type {const} */ (['none', 'files', 'files+network']);

/** @returns {Area[]} */
export function attackAreas() {
  return parse(readFileSync(join(root, 'test/attacks/rows.yaml'), 'utf8'));
}

/**
 * The outcome at each level: where a row says nothing, as at the level below.
 * @param {Row} row
 * @returns {Outcome[]}
 */
export function outcomesOf(row) {
  const files = row.files ?? row.none;
  return [row.none, files, row['files+network'] ?? files];
}

const heading = '## Attacks';

/** docs/security.md: what people wrote above the heading stays. */
export function securityPage() {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
  return `${page.split(`\n${heading}\n`)[0]?.trimEnd()}\n\n${attackTable()}`;
}

function attackTable() {
  const areas = attackAreas();
  const rows = areas.flatMap((area) => area.rows);
  const counts = (/** @type {Outcome} */ outcome) =>
    levels.map((_, at) => rows.filter((row) => outcomesOf(row)[at] === outcome).length);
  const line = (/** @type {readonly (string | number)[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [
    heading,
    '',
    'Generated from `test/attacks/rows.yaml` by `npm run docs`, do not edit below this line. Tests hold the outcomes and cite the rows. `npm test` fails where no test cites a row that is prevented, detected, restored or reported at any level, and where no test in `test/sandbox` cites a row whose outcome a sandbox changes; that a test covers all of its row is for reviewers to see.',
    '',
    line(['', ...levels.map((level) => `\`${level}\``)]),
    '|---|---|---|---|',
    line(['**prevented**: no effect', ...counts('prevented')]),
    line(['**restored**: noticed and put back', ...counts('restored')]),
    line(['**detected**: noticed, does not count', ...counts('detected')]),
    line(['**reported**: works, and is told with every verdict that may rest on it', ...counts('reported')]),
    line(['**possible**: a known limit', ...counts('possible')]),
    ...areas.flatMap(({ area, rows: own }) => [
      '',
      `### ${area}`,
      '',
      line(['', 'attack', ...levels.map((level) => `\`${level}\``)]),
      '|---|---|---|---|---|',
      ...own.map((row) => line([row.id, title(row), ...outcomesOf(row)])),
    ]),
    '',
  ].join('\n');
}

/** @param {Row} row */
function title({ title: text, reason }) {
  return reason === undefined ? text : `${text} (possible: ${reason})`;
}
