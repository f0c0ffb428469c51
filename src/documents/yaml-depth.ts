import { DocumentError } from './document-error.ts';

const indentColumnsMax = 512;
const bracketsMax = 256;

/**
 * Refuses YAML so deeply nested that reading it would use up the stack, which Node does not always survive.
 * Brackets and dashes in texts count too: the limits are far above what any plan has.
 */
export function refuseDepth(text: string, file: string): void {
  if (!COLUMNS.test(text) && !DASHES.test(text) && !hasTooManyBrackets(text)) return;
  throw new DocumentError({ file, line: null }, 'the file is nested too deeply', `at most ${bracketsMax} levels`);
}

const COLUMNS = new RegExp(`^ {${indentColumnsMax}}`, 'm');
/** Each of these opens a level on the same line. */
const DASHES = /^ *(?:[-?:] +){64}/m;

function hasTooManyBrackets(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > bracketsMax) return true;
  }
  return false;
}
