/** Which paths globs mean: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either, `!…` but not these. */

/** Throws a RangeError that says what is wrong with a glob that means nothing inside a repository. */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const patternOf = (glob: string): RegExp => new RegExp(`^${sourceOf(glob)}$`, 'u');
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

function sourceOf(glob: string): string {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at] ?? '';
    if (glob.startsWith('**/', at)) {
      source += '(?:[^/]+/)*';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{') {
      source += '(?:';
      depth += 1;
    } else if (char === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (char === ',' && depth > 0) source += '|';
    else source += char.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  }
  return source;
}
