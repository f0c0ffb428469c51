/**
 * Which paths globs mean: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either, `!…` but not these.
 *
 * A repository, and so an agent, may write both globs and paths. All ways to match are followed at the same time, so it
 * takes at most the product of both lengths, where a regular expression would try them one after the other.
 */

/** Throws a RangeError that says what is wrong with a glob that means nothing inside a repository. */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const meant = globs.filter((glob) => !glob.startsWith('!')).map(compiled);
  const except = globs.filter((glob) => glob.startsWith('!')).map((glob) => compiled(glob.slice(1)));
  return (path) => {
    const characters = Array.from(path);
    return meant.some((each) => matches(each, characters)) && !except.some((each) => matches(each, characters));
  };
}

export function globProblem(glob: string): string | null {
  if (glob.startsWith('!')) return globProblem(glob.slice(1));
  if (glob === '') return 'it is empty';
  if (glob.startsWith('/') || glob.includes('\\')) return 'it must be relative, with / between folders';
  if (glob.split('/').some((part) => ['', '.', '..', '.git', '.pawl'].includes(part)))
    return 'it may not contain "..", ".", ".git" or ".pawl"';
  return bracesMatch(glob) ? null : 'its braces do not match';
}

function bracesMatch(glob: string): boolean {
  let depth = 0;
  for (const brace of glob.match(/[{}]/g) ?? []) {
    depth += brace === '{' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** One step: take a character that fits and go on behind it, or go on at each of several places without one. */
type Step = { readonly fits: (character: string) => boolean } | { readonly to: number[] };

const inFolder = { fits: (character: string): boolean => character !== '/' };
const anything = { fits: (): boolean => true };

/** Several in a row mean what one means. */
const TOKEN = /(?:\*{2,}\/)+|\*{2,}|[^]/gu;

function compiled(glob: string): readonly Step[] {
  const steps: Step[] = [];
  const groups: { fork: number[]; ends: number[][] }[] = [];
  const go = (...to: number[]): number[] => {
    steps.push({ to });
    return to;
  };
  /** So many as there are. */
  const repeat = (each: readonly Step[]): void => {
    const first = steps.length;
    go(first + 1, first + each.length + 2);
    steps.push(...each);
    go(first);
  };
  for (const [token] of glob.matchAll(TOKEN)) {
    const group = groups.at(-1);
    if (token === '{') {
      groups.push({ fork: go(steps.length + 1), ends: [] });
    } else if (group && token === ',') {
      group.ends.push(go());
      group.fork.push(steps.length);
    } else if (group && token === '}') {
      for (const end of group.ends) end.push(steps.length);
      groups.pop();
    } else if (token === '*') repeat([inFolder]);
    else if (token === '?') steps.push(inFolder);
    else if (token.startsWith('**')) {
      // Folders have names, so a name of one character or more.
      const first = steps.length;
      const folder = [inFolder, { to: [first + 1, first + 3] }, literal('/')];
      repeat(token.endsWith('/') ? folder : [anything]);
    } else steps.push(literal(token));
  }
  if (groups.length > 0) throw new RangeError(`the glob ${JSON.stringify(glob)} has a brace that is never closed`);
  return steps;
}

function literal(character: string): Step {
  return { fits: (other) => other === character };
}

function matches(steps: readonly Step[], path: readonly string[]): boolean {
  let at = reachable(steps, [0]);
  for (const character of path) {
    const next: number[] = [];
    for (const place of at) {
      const step = steps[place];
      if (step && 'fits' in step && step.fits(character)) next.push(place + 1);
    }
    if (next.length === 0) return false;
    at = reachable(steps, next);
  }
  return at.has(steps.length);
}

/** With the places behind forks; each once. */
function reachable(steps: readonly Step[], from: readonly number[]): ReadonlySet<number> {
  const found = new Set(from);
  for (const place of found) {
    const step = steps[place];
    if (step && 'to' in step) for (const next of step.to) found.add(next);
  }
  return found;
}
