/** Where a change keeps its files, relative to the workspace. No path is built from anything that is not an id. */

/** Everything below it belongs to the workflow, not to the judged tree. */
export const controlFolder = 'agentd';

/** Where the configuration was before pawl.toml had all of it. */
export const olderConfigPath = `${controlFolder}/config.toml`;
export const projectPath = `${controlFolder}/project.md`;
export const mainSpecsFolder = `${controlFolder}/specs`;
export const changelogPath = `${mainSpecsFolder}/CHANGELOG.md`;
export const changesFolder = `${controlFolder}/changes`;
export const archivesFolder = `${controlFolder}/archive`;

export const isId = (text: string) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(text);
export const idExpectation =
  'lower-case letters, digits and hyphens, at most 64 characters, beginning with a letter or digit';

/** A spec is named by its path below a folder of specs, without `.md`. */
export const isSpecName = (name: string) =>
  name.length <= 200 &&
  name.split('/').every((part) => SPEC_NAME_PART.test(part)) &&
  !RESERVED.test(name) &&
  !isSkeleton(name);
export const specNameExpectation =
  'a name or path of letters, digits, "_", "-", "." and spaces, not beginning with "_", other than CHANGELOG and REVIEW';
const SPEC_NAME_PART = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_. -]*[\p{L}\p{N}_-])?$/u;
/** Other files stand under these names beside permanent and merged specs. */
const RESERVED = /^(?:[Cc][Hh][Aa][Nn][Gg][Ee][Ll][Oo][Gg]|REVIEW)$/;

export const changeFolder = (id: string) => `${changesFolder}/${checked(id)}`;
export const statePath = (id: string) => `${changeFolder(id)}/STATE.yaml`;
export const clarificationsPath = (id: string) => `${changeFolder(id)}/clarifications.md`;
/** Where older versions kept the challenger's reviews: read, never written. */
export const challengePath = (id: string) => `${changeFolder(id)}/CHALLENGE.md`;
export const proposalPath = (id: string) => `${changeFolder(id)}/proposal.md`;
export const specsFolder = (id: string) => `${changeFolder(id)}/specs`;
export const specPath = (id: string, spec: string) => `${specsFolder(id)}/${checkedSpec(spec)}.md`;
export const tasksPath = (id: string) => `${changeFolder(id)}/tasks.md`;
export const reviewPath = (id: string) => `${changeFolder(id)}/REVIEW.md`;
/** Merged specs wait here until the merge is approved; archive moves them to the main specs. */
export const mergedFolder = (id: string) => `${changeFolder(id)}/merged`;
export const mergedSpecPath = (id: string, spec: string) => `${mergedFolder(id)}/${checkedSpec(spec)}.md`;
export const mergeReviewPath = (id: string) => `${mergedFolder(id)}/REVIEW.md`;
export const baseFolder = (id: string) => `${changeFolder(id)}/base`;
/** The permanent spec as it was when the plan was approved; empty where there was none. */
export const baseSpecPath = (id: string, spec: string) => `${baseFolder(id)}/${checkedSpec(spec)}.md`;
export const mainSpecPath = (spec: string) => `${mainSpecsFolder}/${checkedSpec(spec)}.md`;
export const archiveFolder = (name: string) => `${archivesFolder}/${checked(name)}`;

/** agentd put the date before the id of what it archived. */
export const undated = (name: string) => name.replace(/^(?:\d{8}|\d{4}-\d\d-\d\d)-(?=[a-z0-9])/, '');

/** Templates that agentd left beside the specs made from them. */
export const isSkeleton = (path: string) => /(?:^|\/)_[^/]*$/.test(path);

/** The spec a file in a specs folder holds; undefined for a changelog and other files. */
export function specIdOf(path: string, folder: string): string | undefined {
  if (!path.startsWith(`${folder}/`) || !path.endsWith('.md')) return undefined;
  const name = path.slice(folder.length + 1, -'.md'.length);
  return isSpecName(name) ? name : undefined;
}

/** Callers refuse bad names with a message; this is the last line in front of the file system. */
function checked(id: string): string {
  if (!isId(id)) throw new Error(`${JSON.stringify(id)} is not an id: expected ${idExpectation}`);
  return id;
}

function checkedSpec(name: string): string {
  if (!isSpecName(name)) throw new Error(`${JSON.stringify(name)} names no spec: expected ${specNameExpectation}`);
  return name;
}
