/**
 * The rules of the `feature` workflow, as data. A test cites a rule by putting its id in brackets into its title;
 * `requirements.test.ts` fails on a rule nobody cites and on a citation of a rule that does not exist.
 */
export const requirements = {
  // Commands
  'feature/commands/create': 'pawl feature create "<description>" [--mode hotfix|quick|standard|full]',
  'feature/commands/phases':
    'brainstorm, specify, design, create-plan, create-tasks, implement, verify and finish take [<feature>]',
  'feature/commands/no-review': '--no-review sets reviewSkipped',
  'feature/commands/status': 'pawl feature status [<feature>]',
  'feature/commands/list': 'pawl feature list',
  'feature/commands/slash': 'the same verbs are installed as slash commands',
  'feature/commands/bad-input': 'bad input: one clear error each, exit 2 or 4, nothing written',

  // Phases and artifacts
  'feature/phases/artifacts': 'each phase produces its artifact; implement produces code; finish is terminal',
  'feature/phases/expectations': 'the reviewer asks: can the next phase do its work from this alone?',

  // Transition check
  'feature/transition/allowed': 'allowed is false only for blocked; blocked outranks warning; current may be null',
  'feature/transition/implement': 'blocked: implement without spec.md; hotfix waives it',
  'feature/transition/create-tasks': 'blocked: create-tasks without plan.md; quick waives it',
  'feature/transition/finish': 'blocked: finish without an approved verify in full mode',
  'feature/transition/skipped':
    'warning: phases skipped, listed; a phase the mode leaves out is never reported as skipped',
  'feature/transition/confirmed': 'the person confirms; --yes for scripts; without a person and without --yes: stop',
  'feature/transition/backward': 'warning: moving backward; later artifacts that may be stale are listed',
  'feature/transition/proceed': 'proceed: otherwise',

  // Modes
  'feature/mode/hotfix': 'hotfix: 1 reviewer iteration, implement, no worktree',
  'feature/mode/quick': 'quick: 2 reviewer iterations, specify, create-tasks, implement, worktree asked',
  'feature/mode/standard': 'standard: 3 reviewer iterations, all phases, worktree created',
  'feature/mode/full': 'full: 5 reviewer iterations, all phases, verify required, worktree required',

  // The reviewer loop
  'feature/loop/partial': 'partial phase (started, not completed): ask continue / start fresh / review first',
  'feature/loop/started': 'the phase is marked started before the executor works',
  'feature/loop/context': 'the chain reviewer gets previous artifact, current artifact and next-phase expectations',
  'feature/loop/approved': 'approved: phase completed with the number of iterations',
  'feature/loop/again': 'not approved and rounds left: entry in .review-history.md, again',
  'feature/loop/limit':
    'not approved at the limit: completed with iterations and reviewerNotes, and the person sees the concerns',
  'feature/loop/computed': 'approved is computed: no blocker',
  'feature/loop/corrected': 'a report that claims otherwise is corrected and the mismatch recorded',
  'feature/loop/logged': 'every iteration is logged, the approved one too',
  'feature/loop/unparseable': 'unparseable report: asked again twice, then the phase stops, not completed',
  'feature/loop/unsound': 'empty artifact, wrong format: not approved with a blocker, without spending an agent call',
  'feature/loop/previous-missing': 'missing previous artifact where required: not approved, without an agent call',
  'feature/loop/scope':
    'an issue that asks for something outside spec/expectations is tagged and dropped from the loop, kept in the history',
  'feature/loop/citation':
    'each reviewer issue cites a requirement, criterion or expectation; without a valid citation it is removed before approved is computed',
  'feature/loop/phases': 'the loop runs for brainstorm through verify, never for finish',
  'feature/loop/crash':
    'a crash continues without asking; the partial-phase question is for a phase that a person left',
  'feature/loop/message': '<Phase> complete (N iterations); at the limit <Phase> complete. Reviewer concerns: …',
  'feature/loop/summary': 'the last summary is stored as phases.<name>.summary',

  // implement
  'feature/implement/tasks': 'implement runs tasks.md through the executor',
  'feature/implement/checks': "implement runs the project's checks; a failing one is a blocker",
  'feature/final/runs': 'the final reviewer runs once the chain loop ends: implementation against spec.md',
  'feature/final/findings': 'category missing | extra | misunderstood with requirement id and file:line',
  'feature/final/evidence': 'evidence per requirement on approval',
  'feature/final/address': 'address: back into the loop, with its own budget equal to the limit of the mode',
  'feature/final/proceed': 'proceed is recorded',
  'feature/final/no-person': 'findings without a person: exit 3',
  'feature/final/hotfix': "in hotfix it compares against the feature's description",

  // verify
  'feature/verify/verified': "verify's approval sets verified: true",

  // Files
  'feature/files/folder': 'docs/features/<NNN>-<slug>/; two processes get different numbers',
  'feature/files/names': 'a feature is named by id, slug or a part of its name, where that is unambiguous',
  'feature/meta/fields':
    'id, name, mode, status, created, completed, worktree (relative), currentPhase, phases {started, completed, verified, iterations, reviewerNotes[]}',
  'feature/meta/defaults': 'readers default missing fields',
  'feature/meta/unknown': 'unknown fields are kept',
  'feature/meta/merge': 'writes are read-merge-atomic-replace',
  'feature/meta/current': 'currentPhase follows completion: it is the last completed phase',
  'feature/meta/main': "the main checkout's .meta.json is authoritative, also when a command runs in the worktree",
  'feature/meta/foreign':
    'features made by the original plugin or edited by hand are read, repaired and reported, never lost',
  'feature/history/format':
    'per iteration ## Phase, ### Iteration n - timestamp, Reviewer Feedback, Issues - [severity] …, Changes Made',
  'feature/history/changes': 'Changes Made of iteration n = diff between what was reviewed at n−1 and n, from git',
  'feature/history/deleted': '.review-history.md is deleted by finish; the journal keeps everything',

  // Going back
  'feature/back/stale': 'going back marks later phases stale and keeps their artifacts',
  'feature/back/void': 'backward moves void what they must: an approved verify does not survive',
  'feature/back/previous':
    'previous artifact is the nearest existing earlier one; required unless that phase was skipped or left out by the mode',

  // Session-start hook
  'feature/hook/context':
    'the active feature (most recently touched, status active only): id, mode, current phase, next command',
  'feature/hook/worktree':
    "a warning when the working directory is not the feature's worktree (subdirectories count as inside)",
  'feature/hook/format': 'the JSON that the hook of a coding agent expects, or plain text',
  'feature/hook/quiet': 'always exits 0; silent outside a repository',

  // finish
  'feature/finish/dirty': 'stops on uncommitted changes',
  'feature/finish/open-tasks': 'warns on open tasks',
  'feature/finish/pull-request':
    'pull request: push, and the forge command is executed if a forge CLI exists, otherwise printed',
  'feature/finish/merge': 'merge: status completed, timestamps, worktree and branch removed',
  'feature/finish/conflict': 'a merge conflict stops with the way on; nothing is lost',
  'feature/finish/keep': 'keep changes nothing: status active, history kept',
  'feature/finish/discard': 'discard: typed confirmation, status abandoned, worktree and branch removed',
  'feature/finish/kept-for-pr': 'worktree and branch are removed for merge and discard only',
  'feature/finish/worktree':
    'worktree ../<project>-<id>-<slug>, branch feature/<id>-<slug>, stored relative, resolved at run time',
  'feature/finish/changed': 'full mode: what changed since verify approved it is verified again',
  'feature/finish/resume': 'a kill in merge, clean_up or discard is completed by the next command',

  // Proofs and the crash kit
  'feature/verify/proofs':
    'pawl verify feature proves: no implement without spec (or hotfix), no completed phase without a review or an explicit skip on record, loops bounded by mode, backward moves void what they must, finish in full mode only after an approved verify',
  'feature/rehearsal':
    'bundled rehearsal through all phases: one approved at once, one after a revision, one at the limit with notes, one partial',
  'feature/crash': 'the crash kit runs over the rehearsal: a kill at any instant changes no result',
  'feature/size': 'at most 2,500 lines of code in its folder',
} as const satisfies Readonly<Record<string, string>>;
