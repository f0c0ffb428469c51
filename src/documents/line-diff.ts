/** What differs between two texts, line by line, with a little around it: for people, not for `git apply`. */

const aroundLines = 2;
const linesMax = 4_000;

/** Lines beginning with `+`, `-` or a space; gaps are marked by `…`. Texts too long to compare are shown as replaced. */
export function lineDiff(before: string, after: string): string[] {
  const left = linesOf(before);
  const right = linesOf(after);
  const edits = lineEdits(left, right);
  const isEdit = (line: string): boolean => !line.startsWith(' ');
  const isNear = edits.map((_, at) => edits.slice(Math.max(0, at - aroundLines), at + aroundLines + 1).some(isEdit));
  return edits.flatMap((line, at) => {
    if (isNear[at]) return [line];
    return isNear[at - 1] && isNear.includes(true, at) ? ['…'] : [];
  });
}

/** Every line of both, marked by `+`, `-` or a space; too many are all replaced. */
export function lineEdits(left: readonly string[], right: readonly string[]): string[] {
  const isLong = left.length + right.length > linesMax;
  return isLong ? [...marked('-', left), ...marked('+', right)] : shortestEdits(left, right);
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => mark + line);
}

/** By the longest common subsequence of the part between the common start and the common end. */
function shortestEdits(left: readonly string[], right: readonly string[]): string[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const a = left.slice(start, left.length - end);
  const b = right.slice(start, right.length - end);
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const commonAt = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j] ? commonAt(i + 1, j + 1) + 1 : Math.max(commonAt(i + 1, j), commonAt(i, j + 1));
  }
  const edits: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push(` ${a[i++]}`);
      j += 1;
    } else if (j >= b.length || (i < a.length && commonAt(i + 1, j) >= commonAt(i, j + 1))) edits.push(`-${a[i++]}`);
    else edits.push(`+${b[j++]}`);
  }
  return [...marked(' ', left.slice(0, start)), ...edits, ...marked(' ', left.slice(left.length - end))];
}
