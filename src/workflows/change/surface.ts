/** The surface of `change`. */

import { shown } from '../../schema/values.ts';
import type { WorkflowSurface } from '../surface.ts';
import {
  archiveFolder,
  archivesFolder,
  changesFolder,
  idExpectation,
  isId,
  olderConfigPath,
  statePath,
  undated,
} from './change-paths.ts';

export const roleNames = ['planner', 'challenger', 'implementer', 'author', 'reviewer', 'archivist'] as const;

/** Of the verbs that begin a change. */
const beginning = {
  worktree: { about: 'use a git worktree, prepared as set in [worktree]' },
  new: { about: 'reuse the id of an archived or abandoned change' },
};

export const changeSurface: WorkflowSurface = {
  name: 'change',
  title: 'Changes',
  olderConfigPath,
  verbs: [
    {
      verb: 'plan',
      does: 'work',
      delivers: ['plan'],
      intent: async () => (await import('./intents.ts')).plan,
      about: 'Plan a change: proposal, specs, tasks, review',
      words: ['id', 'description?'],
      flags: beginning,
      examples: ['plan add-limit "Slugs get a maximum length" --agent scripted'],
    },
    {
      verb: 'impl',
      does: 'work',
      delivers: ['impl', 'review'],
      intent: async () => (await import('./intents.ts')).impl,
      about: 'Implement the approved plan, check, review and fix it',
      words: ['id'],
      flags: {
        tasks: { value: '<ids>', about: 'only these tasks, separated by commas' },
        review: { about: 'review the current code again' },
        'accept-edits': { about: 'approve edits made to the plan after its approval', vouches: true },
      },
      examples: ['impl add-limit', 'impl add-limit --tasks 1.1,2.1'],
    },
    {
      verb: 'lean',
      does: 'work',
      delivers: ['lean', 'impl'],
      intent: async () => (await import('./intents.ts')).lean,
      about: 'Plan and implement a small change at once, and review it',
      words: ['id', 'description?'],
      flags: beginning,
      examples: ['lean fix-greeting "The greeting names the user" --agent scripted'],
    },
    {
      verb: 'archive',
      does: 'work',
      delivers: ['archive'],
      intent: async () => (await import('./intents.ts')).archive,
      about: 'Merge the specs of a complete change and archive it',
      words: ['id'],
      flags: { 'dry-run': { about: 'show what would happen; write nothing' } },
    },
    {
      verb: 'status',
      does: 'status',
      about: 'Show the state of a change, and the next command',
      words: ['id'],
      flags: {},
    },
    {
      verb: 'list',
      does: 'list',
      about: 'List all changes',
      words: [],
      flags: { archived: { about: 'list archived changes instead' } },
    },
  ],
  retired: { proposal: 'plan', challenge: 'plan', reproposal: 'plan', review: 'impl', 'resolve-reviews': 'impl' },
  program: { name: 'agentd', olderNames: { 'plan-change': 'plan', 'impl-change': 'impl', 'merge-change': 'archive' } },
  roles: roleNames,
  begin: 'pawl change plan <id> "what to change and why"',
  isRunName: isId,
  matches: (word, run) => (word === run ? 'name' : null),
  invalidName: (word) => ({
    code: 'InvalidChangeId',
    message: `${shown(word)} is not a valid change name`,
    fix: `use ${idExpectation}, such as add-login`,
  }),
  notFound: (word, { near }) => ({
    code: 'ChangeNotFound',
    message: `there is no change "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: `pawl change plan ${word} "what to change and why"`,
  }),
  /** A fresh clone has the documents of changes, and no journals in its git directory. */
  foreignRuns: (namesIn, known) => {
    const inWork = namesIn(changesFolder).filter((id) => !known.has(id) && isId(id));
    // What was archived under `<id>-2` is the run `<id>`.
    const isKnown = (name: string): boolean => known.has(name) || known.has(name.replace(/-\d+$/, ''));
    const named = new Map<string, string>();
    for (const name of namesIn(archivesFolder).filter(isId).toSorted()) {
      const id = undated(name);
      // Of several with one id the latest has it; those before go by their whole names.
      const earlier = named.get(id);
      if (earlier !== undefined) named.set(earlier, earlier);
      named.set(id, name);
    }
    const archived = [...named].filter(([id]) => !isKnown(id));
    return [
      ...inWork.map((run) => ({ run, path: statePath(run) })),
      ...archived.map(([run, name]) => {
        const outer = archiveFolder(name);
        // agentd kept the folder of the change inside of the dated one.
        const folder = run !== name && namesIn(outer).includes(run) ? `${outer}/${run}` : outer;
        return { run, path: `${folder}/STATE.yaml`, journal: `${folder}/journal.jsonl`, archived: true as const };
      }),
    ];
  },
  list: {
    plural: 'changes',
    nameKey: 'id',
    titles: ['ID', 'PHASE', 'VERDICT', 'ITERATION'],
    blank: { verdict: null, iteration: null },
    cells: ({ verdict, iteration }) => [
      typeof verdict === 'string' ? verdict : null,
      typeof iteration === 'number' ? String(iteration) : null,
    ],
    showsNext: true,
    archivedPhase: 'archived',
  },
  demo: async () => (await import('./sample-change.ts')).demo,
  rehearsal: async () => (await import('./rehearsal.yaml')).default,
  config: async () => (await import('./config.ts')).format,
  load: async () => (await import('./change.ts')).change,
  read: async () => (await import('./reader.ts')).reader,
};
