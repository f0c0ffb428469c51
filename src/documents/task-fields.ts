/** What one task of tasks.md says about itself: in its yaml block, or in the lines below its checkbox. */

import { table } from '../schema/compound.ts';
import { nearest } from '../schema/nearest.ts';
import { check, nameOf, schema } from '../schema/schema.ts';
import { documentError, inFile } from './read-document.ts';
import { misplaced, type Detail, type ScannedTask, type ScannedTasks } from './task-scan.ts';
import { parseYaml } from './yaml.ts';

export interface Fields {
  readonly id: string | null;
  readonly title: string | null;
  readonly layer: string | null;
  readonly action: string | null;
  readonly status: string | null;
  readonly file: string | null;
  readonly specRef: string | null;
  readonly dependsOn: readonly string[];
}

const words = schema((value) => wordsOf(value));

const taskBlock = table(
  {
    id: words,
    title: words,
    layer: words,
    action: words,
    status: words,
    file: words,
    files: words,
    spec_ref: words,
    depends_on: schema((value) => idsOf(value)),
  },
  { expected: 'a map of keys and values' },
);

/** From its yaml block. */
export function readBlock({ block, line, id }: ScannedTask, scan: ScannedTasks): Fields {
  const start = block ? block.start + 1 : line;
  const where = { file: scan.file, line: start + 1 };
  const yaml = parseYaml(joined(scan.lines.slice(start, block?.end)), where, { numbersAsText: true });
  const read = check(taskBlock, yaml, { unknownKeys: 'warning' });
  if ('mistakes' in read)
    throw documentError(
      read.mistakes,
      inFile(where.file, () => where.line),
    );
  for (const { path, known = [] } of read.warnings) {
    const meant = nearest(nameOf(path), known);
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    misplaced(scan, start, `task ${id ?? ''} has the unknown key "${nameOf(path)}"${hint}`);
  }
  const { files, spec_ref: specRef, depends_on: dependsOn, ...fields } = read.value;
  return { ...fields, file: fields.file ?? files, specRef, dependsOn };
}

/** A task in checkbox form, or one whose heading has no yaml block. */
export function readDetails({ details, id, level, line }: ScannedTask, scan: ScannedTasks): Fields {
  if (level > 0) misplaced(scan, line, `task ${id ?? ''} has no yaml block`);
  const value = (key: Detail['key']): string | null => details.find((detail) => detail.key === key)?.value || null;
  const [, file, action] = FILE_ACTION.exec(value('file') ?? '') ?? [];
  return {
    id: null,
    title: null,
    layer: null,
    action: value('action') ?? action ?? null,
    status: value('status'),
    file: (file ?? value('file'))?.replaceAll('`', '').trim() || null,
    specRef: value('spec')?.replaceAll('`', '') ?? null,
    dependsOn: idsOf(value('depends')),
  };
}

/** "`src/a.ts` (CREATE)" */
const FILE_ACTION = /^(.*?)\s*[([]([A-Za-z]+)[)\]]\s*$/;

/** A scalar as text; a list as its items separated by commas. */
function wordsOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(', ') || null;
  if (typeof value === 'string') return value.trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function idsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length === 0) return [];
  const words = wordsOf(value)?.replace(/^\[(.*)\]$/, '$1') ?? '';
  if (words === '' || NONE.test(words)) return [];
  return words
    .split(/[,;\s]+(?:and\s+)?/)
    .map((word) => word.replaceAll(/["'`]/g, ''))
    .filter((word) => word !== '' && !/^task$/i.test(word));
}

const NONE = /^(?:none|null|n\/a|-+|—|~)\.?$/i;

export function joined(lines: readonly string[]): string {
  const text = lines.join('\n');
  return text.includes('\r') ? text.replaceAll('\r', '') : text;
}
