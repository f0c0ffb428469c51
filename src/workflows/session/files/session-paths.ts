/** Where a session keeps its files, relative to the workspace. No path is built from anything that is not a session's id. */

import { significantWords } from '../../../documents/significant-words.ts';

/** Everything below it belongs to the workflow, not to the judged tree. */
export const controlFolder = '.agents-work';
export const ignorePath = `${controlFolder}/.gitignore`;

export const sessionFolder = (id: string) => `${controlFolder}/${checked(id)}`;
export const statusPath = (id: string) => `${sessionFolder(id)}/status.json`;
export const tasksPath = (id: string) => `${sessionFolder(id)}/tasks.yaml`;
export const acceptancePath = (id: string) => `${sessionFolder(id)}/acceptance.json`;
export const specPath = (id: string) => `${sessionFolder(id)}/spec.md`;
export const architecturePath = (id: string) => `${sessionFolder(id)}/architecture.md`;
export const adrFolder = (id: string) => `${sessionFolder(id)}/adr`;
export const researchFolder = (id: string) => `${sessionFolder(id)}/research`;
export const designFolder = (id: string) => `${sessionFolder(id)}/design-specs`;
export const reportPath = (id: string) => `${sessionFolder(id)}/report.md`;
export const historyPath = (id: string) => `${sessionFolder(id)}/approve-design-history.jsonl`;
export const resumeCommand = (id: string) => `pawl session resume ${id}`;

export const sessionIdExpectation =
  'a date and a short name such as 2026-05-01_csv-export: YYYY-MM-DD_, then letters, digits, "_" and "-", at most 64';

const SESSION_ID = /^(\d{4}-\d\d-\d\d)[_-][A-Za-z0-9_-]{1,64}$/;

/** Tolerant towards names other tools gave: what Pawl makes itself has an underscore and two to four words. */
export function isSessionId(text: string): boolean {
  const date = SESSION_ID.exec(text)?.[1];
  const time = Date.parse(`${date}T00:00:00Z`);
  return date !== undefined && !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** The name without its date. */
export const shortName = (id: string): string => id.slice('YYYY-MM-DD_'.length);

export function sessionId(at: string, slug: string): string {
  if (!isSlug(slug)) throw new Error(`${JSON.stringify(slug)} is not a slug: expected ${slugExpectation}`);
  return checked(`${at.slice(0, 'YYYY-MM-DD'.length)}_${slug}`);
}

const slugCharsMax = 48;
const slugWordsMax = 4;
/** Two of them still fit into a slug. */
const wordCharsMax = 23;

export const slugExpectation = `two to four words of lower-case letters and digits joined by hyphens, at most ${slugCharsMax} characters`;

export function isSlug(text: string): boolean {
  return text.length <= slugCharsMax && /^[a-z0-9]+(?:-[a-z0-9]+){1,3}$/.test(text);
}

/** The significant words of a goal; undefined where fewer than two are left (another script, stop words only). */
export function slugOf(goal: string): string | undefined {
  const words = significantWords(goal)
    .map((word) => word.slice(0, wordCharsMax))
    .slice(0, slugWordsMax);
  while (words.join('-').length > slugCharsMax) words.pop();
  return words.length < 2 ? undefined : words.join('-');
}

/** Callers refuse bad ids with a message; this is the last line in front of the file system. */
function checked(id: string): string {
  if (!isSessionId(id)) throw new Error(`${JSON.stringify(id)} names no session: expected ${sessionIdExpectation}`);
  return id;
}
