/** `init`: detects what is there, shows what it would write, and writes all of it or nothing. */

import { lineDiff } from '../documents/line-diff.ts';
import { tools as allTools, type Tool } from '../init/agent-files.ts';
import { initChanges, removeChanges, type Checkout, type FileChange, type Present } from '../init/changes.ts';
import { surveyProject, type ProjectSurvey } from '../init/project-survey.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { projectFile } from '../project/project.ts';
import { refusal } from '../runs/refusal.ts';
import { refusedBesideRun } from '../runs/tell.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { CommandInput, WorkflowSurface } from '../workflows/surface.ts';
import { applyWrites, FileProblem, orElse, readText } from '../workspace/files.ts';
import { installedAgents, leaveRepositoryPrograms } from './agents.ts';
import { isAttended } from './calling-agent.ts';
import type { CommandFunction } from './context.ts';
import { unknownWord } from './options.ts';
import { exitCodes, Problem, usageError } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { print, styleOf, type Style } from './show/screen.ts';
import { aligned, plainText } from './show/text.ts';

interface Found extends ProjectSurvey {
  readonly agents: readonly string[];
}

export const init: CommandFunction = async (given, context) => {
  const { flags } = given;
  leaveRepositoryPrograms();
  const repository = context.repository();
  const { root } = repository;
  const survey = surveyProject(workspaceFiles(root));
  const found = { ...survey, agents: installedAgents() };
  const tools = toolsOf(given, found.agents);
  const surfaces = surfacesOf(given, context.workflows.bundled);
  const checkout = checkoutAt(root);
  const changes = flags['remove']
    ? removeChanges(checkout, { tools, configPath: flags['tools'] === undefined ? projectFile : null })
    : initChanges(checkout, { tools, surfaces, survey, agents: found.agents, configPath: projectFile });
  const writes = changes.filter(({ action }) => action !== 'none' && action !== 'keep');
  const isDry = flags['dry-run'] === true;
  if (!isDry && writes.length > 0) {
    const beside = await refusedBesideRun(repository);
    if (beside) throw new Problem(beside);
    await confirm(given, root, writes);
    write(root, checkout, writes);
  }
  const result = { root, tools, surfaces, changes, isDry, removes: flags['remove'] === true };
  print(flags, documentOf(found, result), () => linesOf(found, result, styleOf(process.stdout)).join('\n'));
  return exitCodes.done;
};

/** Those that are installed, unless others are named. */
function toolsOf({ flags }: CommandInput, installed: readonly string[]): readonly Tool[] {
  const { tools: named, remove } = flags;
  if (typeof named !== 'string') return remove ? allTools : allTools.filter((tool) => installed.includes(tool));
  const words = wordsIn(named);
  if (words.join() === 'all') return allTools;
  if (words.join() === 'none') return [];
  const unknown = words.find((word) => !allTools.some((tool) => tool === word));
  if (unknown !== undefined) throw unknownWord('tool', unknown, [...allTools, 'all', 'none'], 'pawl init');
  return allTools.filter((tool) => words.includes(tool));
}

function surfacesOf({ flags }: CommandInput, bundled: readonly WorkflowSurface[]): readonly WorkflowSurface[] {
  const { workflows: named, remove } = flags;
  if (typeof named !== 'string') return bundled;
  if (remove) throw usageError('--remove takes no --workflows: it removes them all', 'pawl init --remove');
  const words = wordsIn(named);
  const names = bundled.map(({ name }) => name);
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined) throw unknownWord('workflow', unknown, names, 'pawl init');
  return bundled.filter(({ name }) => words.includes(name));
}

function wordsIn(list: string): readonly string[] {
  const words = list.split(',').map((word) => word.trim());
  if (words.includes('')) throw usageError(`"${list}" is not a list of names separated by commas`, 'pawl init --help');
  return words;
}

function checkoutAt(root: string): Checkout {
  const files = workspaceFiles(root);
  return { look: (path) => presentAt(root, path), list: (folder) => orElse([], () => files.list(folder)) };
}

/** Nothing behind a link is looked at, wherever it leads. */
function presentAt(root: string, path: string): Present {
  const segments = path.split('/');
  for (const at of segments.keys()) {
    const part = segments.slice(0, at + 1).join('/');
    const kind = nodeDisk.entry(`${root}/${part}`)?.kind;
    const isLast = part === path;
    if (kind === undefined) return null;
    if (kind !== (isLast ? 'file' : 'folder')) {
      const what = kind === 'symlink' ? 'a symlink' : `not a ${isLast ? 'file' : 'folder'}`;
      return { why: `${isLast ? 'it' : part} is ${what}` };
    }
  }
  try {
    return readText(`${root}/${path}`) ?? null;
  } catch (error) {
    if (error instanceof FileProblem) return { why: error.message };
    throw error;
  }
}

/** New files are nobody's yet; others are changed only when somebody agrees. */
async function confirm(given: CommandInput, root: string, writes: readonly FileChange[]): Promise<void> {
  const existing = writes.filter(({ action }) => action !== 'create');
  if (existing.length === 0 || given.flags['yes']) return;
  const diff = existing.flatMap((change) => diffOf(change)).join('\n');
  if (isAttended(given)) {
    const { terminalPerson } = await import('./terminal-person.ts');
    const answer = await terminalPerson(presenterFor()).ask({
      title: 'Change these files?',
      detail: diff,
      answers: { yes: 'write them', no: 'write nothing' },
      paths: [],
      root,
    });
    if (answer === 'yes') return;
  }
  const message = `${existing.length} existing files would be changed; nothing was written:\n${diff}`;
  throw new Problem(refusal('NotConfirmed', message, { fix: repeated(given), outcome: 'needs_person' }));
}

/** The same command, with the consent. */
function repeated({ flags }: CommandInput): string {
  const lists = (['tools', 'workflows'] as const).flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name} ${value}`] : [];
  });
  return ['pawl init', ...lists, ...(flags['remove'] ? ['--remove'] : []), '--yes'].join(' ');
}

function write(root: string, checkout: Checkout, writes: readonly FileChange[]): void {
  const changed = writes.find(({ path, before }) => checkout.look(path) !== before);
  if (changed) {
    const message = `${changed.path} was changed in the meantime; nothing was written`;
    const fix = 'run the same command again';
    throw new Problem(refusal('FilesChanging', message, { fix, target: changed.path, outcome: 'temporary' }));
  }
  applyWrites(
    root,
    writes.map(({ path, after }) => ({ path, content: after })),
  );
}

interface Result {
  readonly root: string;
  readonly tools: readonly Tool[];
  readonly surfaces: readonly WorkflowSurface[];
  readonly changes: readonly FileChange[];
  readonly isDry: boolean;
  readonly removes: boolean;
}

const next = 'pawl doctor';

function documentOf(found: Found, { tools, surfaces, changes, isDry, removes }: Result) {
  const files = changes.map(({ path, action, why = null }) => ({ path, action, why }));
  const action = isDry ? 'planned' : removes ? 'removed' : 'written';
  if (removes) return { action, tools, files, next: null };
  return { action, tools, workflows: surfaces.map(({ name }) => name), found, files, next };
}

const marks = { create: '+', update: '~', remove: '-' } as const;

function linesOf(found: Found, { root, tools, changes, isDry, removes }: Result, style: Style): readonly string[] {
  const { bold, dim, yellow } = style;
  const rows = changes.flatMap(({ path, action }) =>
    action === 'none' || action === 'keep' ? [] : [`  ${marks[action]} ${path}`],
  );
  const same = changes.filter(({ action }) => action === 'none').length;
  const kept = changes.filter(({ action }) => action === 'keep');
  const diffs = isDry ? changes.filter(({ action }) => action === 'update').flatMap((change) => diffOf(change)) : [];
  const done = removes ? 'removed' : 'written';
  const title = isDry ? `Would be ${done}` : `${done[0]?.toUpperCase()}${done.slice(1)}`;
  return [
    // Paths are those of the repository, wherever it is set up from.
    ...(nodeDisk.realpath(process.cwd()) === nodeDisk.realpath(root) ? [] : [dim(`In ${root}`)]),
    ...(removes ? [] : [...foundLines(found, tools, style), '']),
    ...(rows.length > 0 ? [bold(title), ...rows] : [`Nothing to be ${done}.`]),
    ...(diffs.length > 0 ? ['', ...diffs, ''] : []),
    ...(same > 0 && !removes
      ? [dim(`  ${same === 1 ? '1 file is as it should be' : `${same} files are as they should be`}`)]
      : []),
    ...kept.map(({ path, why = '' }) => `  ${yellow('!')} ${path} is kept: ${plainText(why)}`),
    ...(removes ? [] : ['', `Next: ${next}`]),
  ];
}

function foundLines({ languages, packageManager, checks, agents }: Found, tools: readonly Tool[], { bold }: Style) {
  const project = [...languages, ...(packageManager === null ? [] : [packageManager]), ...Object.keys(checks)];
  return aligned([
    [bold('Project'), project.join(', ') || 'nothing known'],
    [bold('Agents'), agents.join(', ') || 'none installed'],
    [bold('Set up'), tools.join(', ') || 'none: name them with --tools'],
  ]);
}

function diffOf({ path, action, before, after }: FileChange): readonly string[] {
  if (action === 'remove') return [`${path}: removed`];
  return [`${path}:`, ...lineDiff(before ?? '', after ?? '').map((line) => `  ${plainText(line)}`)];
}
