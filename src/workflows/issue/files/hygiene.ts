/** Dispatch hygiene: what plan.md and task files must not hold before a dispatch names them. One validator for each rule. */

import { codeBlocks, hasBody, type CodeBlock } from '../../../documents/code-blocks.ts';
import type { Finding } from '../../../documents/finding.ts';
import { splitFrontMatter } from '../../../documents/front-matter.ts';
import { headingsIn, readFences, type Fence } from '../../../documents/markdown.ts';
import { oneLine } from '../../../documents/review-text.ts';

export interface HygieneContext {
  /** Of the document itself. */
  readonly path: string;
  /** Whether there is a file of that path in the workspace. */
  readonly exists: (path: string) => boolean;
}

export interface Validator {
  /** Also the code of its findings. */
  readonly name: string;
  check(text: string, context: HygieneContext): Finding[];
}

/** Everything that all validators find, in the order of the lines. */
export function hygieneFindings(text: string, context: HygieneContext): Finding[] {
  const found = hygieneValidators.flatMap((each) => each.check(text, context));
  return found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

interface Document {
  readonly lines: readonly string[];
  /** Index of the first line behind the front matter. */
  readonly from: number;
  readonly fences: readonly Fence[];
  readonly blocks: readonly CodeBlock[];
}

/** `index` is that of the line. */
type Fault = readonly [index: number, message: string];

function validator(name: string, fix: string, faultsIn: (document: Document, context: HygieneContext) => Fault[]) {
  const check: Validator['check'] = (text, context) => {
    const lines = text.replaceAll('\r\n', '\n').split('\n');
    const from = splitFrontMatter(text).bodyLine - 1;
    const fences = readFences(lines, from);
    const faults = faultsIn({ lines, from, fences, blocks: codeBlocks(lines, from, fences) }, context);
    return faults.map(([index, message]) => ({ code: name, path: context.path, line: index + 1, message, fix }));
  };
  return { name, check };
}

/** At the beginning of a sentence; elsewhere "wait" and "actually" are ordinary words. */
const SENTENCE =
  /(?:^|[.!?:;—–(]\s+)(?:no,\s+|oh,?\s+|but\s+|hmm,?\s+)?(?:wait\s*[,.!—–]|actually,|hold on\b|hmm\b|oops\b)/i;
const ANYWHERE =
  /\b(?:on second thoughts?|scratch that|strike that|never ?mind|let(?:['’]s| me) (?:reconsider|rethink|re-think|think again|start over)|i(?:['’]ve)? changed my mind|(?:disregard|ignore) the above)\b/i;

const secondThoughts = validator('second-thoughts', 'state the decision only', ({ lines, from, fences }) =>
  lines.flatMap((line, index) => {
    if (index < from || fences.some(({ start, end }) => start <= index && index <= end)) return [];
    const prose = line.replaceAll(/`[^`]*`/g, '').replace(/^[\s>*+#-]+/, '');
    const found = (ANYWHERE.exec(prose) ?? SENTENCE.exec(prose))?.[0];
    return found === undefined ? [] : [[index, `a second thought: "${oneLine(found)}"`]];
  }),
);

const twoVersions = validator('two-versions', 'keep the version that is meant', (document) => [
  ...repeated(headingKeys(document), 'heading'),
  ...repeated(blockKeys(document), 'code block for'),
  ...repeated(versionKeys(document), 'version'),
]);

type Key = readonly [index: number, key: string, shown: string];

function repeated(keys: readonly Key[], what: string): Fault[] {
  const seen = new Map<string, number>();
  return keys.flatMap(([index, key, shown]) => {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    return first === undefined ? [] : [[index, `the ${what} "${shown}" is also on line ${first + 1}`]];
  });
}

const VERSION = /\s*[([](?:revised|updated|corrected|final|alternative|again|v(?:ersion)? ?\d+|take \d+)[^)\]]*[)\]]$/i;

/** The same heading below the same headings, whatever version it calls itself. */
function headingKeys({ lines, fences, from }: Document): Key[] {
  const above: string[] = [];
  return headingsIn(lines, fences, from).map(({ level, text, line }) => {
    above.length = Math.min(above.length, level - 1);
    above[level - 1] = (text.replace(VERSION, '') || text).toLowerCase();
    return [line - 1, above.join('\n'), text];
  });
}

const LABEL = /^[\s#>*+_-]*(version|variant|alternative|option) (?:[A-Z]|\d{1,2})[*_]*(?:\s*[:—–-]|\s*$)/i;

/** `Version A:` and `Version B:`. */
function versionKeys({ lines, fences, from }: Document): Key[] {
  return lines.flatMap((line, index): Key[] => {
    const [label, kind] = LABEL.exec(line) ?? [];
    const isProse = index >= from && !fences.some(({ start, end }) => start <= index && index <= end);
    return label === undefined || kind === undefined || !isProse ? [] : [[index, kind.toLowerCase(), oneLine(label)]];
  });
}

const FILE = String.raw`[\w./[\]-]*[\w\]]\.[A-Za-z]\w{0,9}`;
const IN_INFO = new RegExp(FILE);
/** A line that names a file in backticks, or nothing else. */
const ABOVE = new RegExp(`\`(${FILE})\`|^[\\s#>*-]*(${FILE})[*_]*:?\\s*$`);

/** The file that a block is for: behind its marks, or in the line above. */
function blockKeys({ lines, fences }: Document): Key[] {
  return fences.flatMap(({ start }) => {
    const info = (lines[start] ?? '').replace(/^\s*[`~]+/, '');
    const above = lines.slice(Math.max(0, start - 2), start).findLast((line) => line.trim() !== '') ?? '';
    const [, quoted, alone] = ABOVE.exec(above) ?? [];
    const file = IN_INFO.exec(info)?.[0] ?? quoted ?? alone;
    return file === undefined ? [] : [[start, file, file]];
  });
}

const codeLinesMax = 5;

const longCode = validator('long-code', `describe it, or show at most ${codeLinesMax} lines`, ({ blocks }) =>
  blocks.flatMap(({ start, code }) => {
    const count = code.filter((line) => line.trim() !== '').length;
    return count > codeLinesMax ? [[start, `a code block of ${count} lines`]] : [];
  }),
);

const fullBodies = validator('full-body', 'give the signature only', ({ blocks }) =>
  blocks.flatMap(({ start, code }) => (hasBody(code) ? [[start, 'code with its body']] : [])),
);

const SHELL = /\b(?:ba|z|da|k|fi)?sh\s+(?:-\w+\s+)*-\w*c\b|\bcd\s+[^\s&;|]+\s*(?:&&|;)/;

const shellEscapes = validator('shell-escape', 'name the command itself, to be run in the worktree', ({ lines }) =>
  lines.flatMap((line, index) => {
    const found = SHELL.exec(line)?.[0];
    return found === undefined ? [] : [[index, `a command through a shell: "${found}"`]];
  }),
);

/** Relative, absolute in a worktree, or by the short name of a task; patterns such as `TODO/*` and `<ID>` name no file. */
const ARTIFACT =
  /(?<![\w.~/-])(?:(?:\.\/|\/(?:[^\s`"'()<>*/]+\/)*)?((?:\.workflow\/run-[\w-]+|TODO)\/[\w./-]*\w)(?![\w*<{/-])|(task-(?:fix-)?\d+\.md)\b)/g;

const dirname = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const missingArtifacts = validator(
  'missing-artifact',
  'write it first, or remove the reference',
  ({ lines }, { exists, path }) =>
    lines.flatMap((line, index) =>
      [...line.matchAll(ARTIFACT)].flatMap(([, long, name]) => {
        const artifact = long ?? `${dirname(path)}/${name}`;
        return exists(artifact) ? [] : [[index, `${artifact} does not exist`]];
      }),
    ),
);

export const hygieneValidators: readonly Validator[] = [
  secondThoughts,
  twoVersions,
  longCode,
  fullBodies,
  shellEscapes,
  missingArtifacts,
];
