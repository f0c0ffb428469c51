/**
 * What `pawl init` does to the files of a repository, from what is there and what is wanted.
 *
 * I1. The same wish on its own result changes nothing.
 * I2. What Pawl did not write, or somebody edited, is kept and said so.
 * I3. Links are not followed, and nothing is written in their place.
 */

import type { WorkflowSurface } from '../workflows/surface.ts';
import { agentFiles, placesOf, type Tool } from './agent-files.ts';
import { configText } from './config-text.ts';
import { compareMarked, ownership } from './marked-text.ts';
import type { ProjectSurvey } from './project-survey.ts';
import { settingsPath, withoutSessionStart, withSessionStart, type SettingsEdit } from './session-start-setting.ts';

export interface FileChange {
  readonly path: string;
  readonly action: 'create' | 'update' | 'remove' | 'keep' | 'none';
  readonly before: string | null;
  readonly after: string | null;
  /** Why it is kept. */
  readonly why?: string;
}

/** A regular file's text, null for nothing, or why it is neither. */
export type Present = string | null | { readonly why: string };

export interface Checkout {
  look(path: string): Present;
  list(folder: string): readonly string[];
}

interface InitWish {
  readonly tools: readonly Tool[];
  readonly surfaces: readonly WorkflowSurface[];
  readonly survey: ProjectSurvey;
  /** Those that are installed. */
  readonly agents: readonly string[];
  readonly configPath: string;
}

export function initChanges(checkout: Checkout, wish: InitWish): readonly FileChange[] {
  const { tools, surfaces, survey, agents, configPath } = wish;
  const wanted = tools.flatMap((tool) => agentFiles(tool, surfaces));
  const isWanted = (path: string): boolean => wanted.some((file) => file.path === path);
  const configured = checkout.look(configPath);
  const config = configText(survey, surfaces, agents);
  return [
    // Once it is there it is the user's.
    configured === null ? created(configPath, config) : unchanged(configPath, configured),
    ...wanted.map(({ path, content }) => wantedChange(checkout, path, content)),
    ...ownFiles(checkout, tools).flatMap((path) => (isWanted(path) ? [] : removal(checkout, path))),
    ...settingsChange(checkout, tools, withSessionStart),
  ];
}

/** Files of others are not even mentioned. */
export function removeChanges(
  checkout: Checkout,
  { tools, configPath }: { readonly tools: readonly Tool[]; readonly configPath: string | null },
): readonly FileChange[] {
  const config = configPath === null ? [] : [configPath];
  return [
    ...[...config, ...ownFiles(checkout, tools)].flatMap((path) => removal(checkout, path)),
    ...settingsChange(checkout, tools, (text) => (text === null ? { text } : withoutSessionStart(text))),
  ];
}

function wantedChange(checkout: Checkout, path: string, content: string): FileChange {
  const present = checkout.look(path);
  if (present === null) return created(path, content);
  if (typeof present !== 'string') return unchanged(path, present);
  const comparison = compareMarked(present, content);
  if (comparison === 'same') return unchanged(path, present);
  if (comparison === 'foreign') return kept(path, present, 'Pawl did not write it');
  if (comparison === 'edited') return kept(path, present, 'it was edited; remove it to get a new one');
  return { path, action: 'update', before: present, after: comparison.updated };
}

function removal(checkout: Checkout, path: string): readonly FileChange[] {
  const present = checkout.look(path);
  const owner = typeof present === 'string' ? ownership(present) : 'foreign';
  if (typeof present !== 'string' || owner === 'foreign') return [];
  if (owner === 'edited') return [kept(path, present, 'it was edited')];
  return [{ path, action: 'remove', before: present, after: null }];
}

/** Those that look like ours by their place; what they say decides. */
function ownFiles(checkout: Checkout, tools: readonly Tool[]): readonly string[] {
  const places = tools.flatMap((tool) => placesOf[tool]);
  return places.flatMap(({ folder, pattern }) =>
    checkout.list(folder).filter((path) => pattern.test(path.slice(folder.length + 1))),
  );
}

function settingsChange(
  checkout: Checkout,
  tools: readonly Tool[],
  edit: (text: string | null) => SettingsEdit,
): readonly FileChange[] {
  if (!tools.includes('claude')) return [];
  const path = settingsPath;
  const present = checkout.look(path);
  if (present !== null && typeof present !== 'string') return [unchanged(path, present)];
  const edited = edit(present);
  if ('problem' in edited) return [kept(path, present, edited.problem)];
  const { text } = edited;
  if (text === present) return present === null ? [] : [unchanged(path, present)];
  if (text === null) return [{ path, action: 'remove', before: present, after: null }];
  return [present === null ? created(path, text) : { path, action: 'update', before: present, after: text }];
}

function created(path: string, after: string): FileChange {
  return { path, action: 'create', before: null, after };
}

function unchanged(path: string, present: Exclude<Present, null>): FileChange {
  if (typeof present !== 'string') return kept(path, null, present.why);
  return { path, action: 'none', before: present, after: present };
}

function kept(path: string, before: string | null, why: string): FileChange {
  return { path, action: 'keep', before, after: before, why };
}
