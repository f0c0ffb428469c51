/** Which paths globs mean: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either, `!…` but not these. */

/** Throws a RangeError that says what is wrong with a glob that means nothing inside a repository. */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const patternOf = (glob: string): RegExp => new RegExp(`^${sourceOf(glob)}$`, 'su');
  const meant = globs.filter((glob) => !glob.startsWith('!')).map(patternOf);
  const except = globs.filter((glob) => glob.startsWith('!')).map((glob) => patternOf(glob.slice(1)));
  return (path) => meant.some((each) => each.test(path)) && !except.some((each) => each.test(path));
}

export function globProblem(glob: string): string | null {
  if (glob.startsWith('!')) return globProblem(glob.slice(1));
  if (glob === '') return 'it is empty';
  if (glob.startsWith('/') || glob.includes('\\')) return 'it must be relative, with / between folders';
  if (glob.split('/').some((part) => ['', '.', '..', '.git', '.pawl'].includes(part)))
    return 'it may not contain "..", ".", ".git" or ".pawl"';
  if ((glob.match(/\{/g) ?? []).length !== (glob.match(/\}/g) ?? []).length) return 'its braces do not match';
  return null;
}

/** Several in a row mean what one means, and would be tried in all combinations. */
const TOKEN = /(?:\*{2,}\/)+|\*{2,}|[^]/gu;
const meanings: Readonly<Record<string, string>> = { '**/': '(?:[^/]+/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' };

function sourceOf(glob: string): string {
  let depth = 0;
  return glob.replaceAll(TOKEN, (token) => {
    if (token === '{') return (depth++, '(?:');
    if (token === '}' && depth > 0) return (depth--, ')');
    if (token === ',' && depth > 0) return '|';
    return (
      meanings[token.startsWith('**') ? (token.endsWith('/') ? '**/' : '**') : token] ??
      token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    );
  });
}
