/** What differs between two texts, line by line, with a little around it: for people, not for `git apply`. */

const aroundLines = 2;
const linesMax = 4_000;

/** Lines beginning with `+`, `-` or a space; gaps are marked by `…`. Texts too long to compare are shown as replaced. */
export function lineDiff(before: string, after: string): string[] {
  const left = linesOf(before);
  const right = linesOf(after);
  const edits = left.length + right.length > linesMax ? replaced(left, right) : shortestEdits(left, right);
  return withoutDistant(edits);
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function replaced(left: readonly string[], right: readonly string[]): string[] {
  return [...left.map((line) => `-${line}`), ...right.map((line) => `+${line}`)];
}

/** By the longest common subsequence of the part between the common start and the common end. */
function shortestEdits(left: readonly string[], right: readonly string[]): string[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const a = left.slice(start, left.length - end);
  const b = right.slice(start, right.length - end);
  const common = commonLengths(a, b);
  const edits: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push(` ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))) {
      edits.push(`-${a[i]}`);
      i += 1;
    } else {
      edits.push(`+${b[j]}`);
      j += 1;
    }
  }
  const same = (line: string): string => ` ${line}`;
  return [...left.slice(0, start).map(same), ...edits, ...left.slice(left.length - end).map(same)];
}

function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (!row) continue;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j]
          ? lengthAt(lengths, i + 1, j + 1) + 1
          : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function withoutDistant(edits: readonly string[]): string[] {
  const near = new Set<number>();
  edits.forEach((line, index) => {
    if (line.startsWith(' ')) return;
    for (let around = index - aroundLines; around <= index + aroundLines; around += 1) near.add(around);
  });
  const shown: string[] = [];
  edits.forEach((line, index) => {
    if (near.has(index)) shown.push(line);
    else if (near.has(index - 1) && edits.slice(index).some((later) => !later.startsWith(' '))) shown.push('…');
  });
  return shown;
}
