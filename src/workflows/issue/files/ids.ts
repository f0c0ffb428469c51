/** Ids of issues, and the paths that are built from them, relative to the workspace. */

export const todoFolder = 'TODO';
export const indexPath = `${todoFolder}/README.md`;
/** Ignores itself: see `workflowIgnorePath`. */
export const workflowFolder = '.workflow';
export const workflowIgnorePath = `${workflowFolder}/.gitignore`;

export const issuePath = (id: string) => `${todoFolder}/${checked(id)}.md`;
export const runFolder = (id: string) => `${workflowFolder}/run-${checked(id)}`;
export const planPath = (id: string) => `${runFolder(id)}/plan.md`;
export const taskPath = (id: string, n: number) => `${runFolder(id)}/task-${n}.md`;
export const fixPath = (id: string, n: number) => `${runFolder(id)}/task-fix-${n}.md`;
export const summaryPath = (id: string) => `${runFolder(id)}/summary.md`;

export const idExpectation = 'an id such as GAL-42: letters, digits and "-", with a number at the end';

const idCharsMax = 64;
const ISSUE_ID = /^([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*)-(\d{1,9})$/;

/** The number keeps it apart from README and from the device names of Windows. */
export function isIssueId(text: string): boolean {
  return text.length <= idCharsMax && ISSUE_ID.test(text);
}

/** The id that a file is named after; undefined for any other file. */
export function issueIdIn(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = name.endsWith('.md') ? name.slice(0, -'.md'.length) : '';
  return isIssueId(id) ? id : undefined;
}

export function prefixOf(id: string): string {
  return ISSUE_ID.exec(id)?.[1] ?? id;
}

function numberOf(id: string): number {
  return Number(ISSUE_ID.exec(id)?.[2] ?? 0);
}

/** By prefix, then by number: GAL-9 before GAL-10. */
export function compareIds(a: string, b: string): number {
  const [first, second] = [prefixOf(a), prefixOf(b)];
  if (first === second) return numberOf(a) - numberOf(b);
  return first < second ? -1 : 1;
}

/** The highest of the same prefix plus one. Some file systems do not tell gal-1 from GAL-1. */
export function nextId(prefix: string, known: Iterable<string>): string {
  let highest = 0;
  for (const id of known) {
    if (prefixOf(id).toLowerCase() === prefix.toLowerCase()) highest = Math.max(highest, numberOf(id));
  }
  return checked(`${prefix}-${highest + 1}`);
}

const claimsMax = 1000;

/** The next id that nobody else has claimed. `claim` is false when another run holds the id. */
export async function claimId(
  prefix: string,
  known: Iterable<string>,
  claim: (id: string) => boolean | Promise<boolean>,
): Promise<string> {
  const taken = [...known];
  for (let tries = 0; tries < claimsMax; tries++) {
    const id = nextId(prefix, taken);
    // oxlint-disable-next-line no-await-in-loop -- each claim depends on the one before
    if (await claim(id)) return id;
    taken.push(id);
  }
  throw new Error(`internal error: ${claimsMax} ids with the prefix ${prefix} are claimed by others`);
}

/** Callers refuse bad ids with a message; this is the last line in front of the file system. */
function checked(id: string): string {
  if (!isIssueId(id)) throw new Error(`${JSON.stringify(id)} names no issue: expected ${idExpectation}`);
  return id;
}
