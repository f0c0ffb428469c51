/**
 * The rules of the `change` workflow, as data. A test cites a rule by putting its id in brackets into its title;
 * `requirements.test.ts` fails on a rule nobody cites and on a citation of a rule that does not exist.
 */
export const requirements = {
  // Commands and ids
  'change/commands/verbs': 'pawl change plan|impl|archive|status|list',
  'change/commands/agentd': 'the bin agentd has the same verbs',
  'change/commands/older-spellings': 'agentd plan-change, impl-change, merge-change',
  'change/commands/retired-steps':
    'agentd proposal|challenge|reproposal exit 2 naming plan; review|resolve-reviews naming impl',
  'change/commands/slash-commands':
    'coding agents get /agentd:plan|impl|archive, which put pending decisions to the person',
  'change/commands/worktree': 'workspace: in place by default, --worktree available',
  'change/commands/fresh-clone': 'a fresh clone shows archived changes from their exported journals',
  'change/worktree/config': '[workflow] workspace = "worktree" makes it the default',
  'change/worktree/prepared':
    'a new worktree is prepared: files copied, setup run once, secrets stay out of the journal',
  'change/worktree/copy-missing': 'a file to copy that is missing is a warning, and so is one that git does not ignore',
  'change/worktree/copy-stays-inside': 'files to copy are inside the repository',
  'change/worktree/setup-fails': 'a failing setup: exit 1 naming its output, tried again by the same command',
  'change/worktree/nothing-before-it-may-begin': 'no worktree is made for a command that may not begin a change',
  'change/worktree/killed-while-preparing':
    'a preparation that was cut off is gone through again, a finished one is not',
  'change/place/other-branch':
    'another branch is checked out: every command names the branch that has the change, and writes nothing',
  'change/place/folder-deleted': 'a deleted folder or document is named as missing, not as an edit; nothing is written',
  'change/place/worktree-removed': 'a removed worktree is named with its branch and the command that makes it again',
  'change/abandon/for-good': 'abandon ends a change for good, with a reason and a confirmation; agents may not',
  'change/abandon/name-again': 'the id of an abandoned change can be used again with --new',
  'change/tree/one-writer': 'a second run in a checkout in which another writes is refused, unless --share-tree',
  'change/tree/own-files': 'in a shared checkout, changed files are those that dispatches of the run wrote',
  'change/worktree/end': 'a finished change in a worktree: where its work is, and how to commit, merge and remove it',
  'change/commands/list-archived': 'list [--archived]',
  'change/ids/refused-before-any-path':
    'ids match ^[a-z0-9][a-z0-9-]{0,63}$; anything else is refused before any path is built from it',
  'change/folder/layout': 'agentd/changes/<id>/ with STATE.yaml, proposal.md, specs/*.md, tasks.md, REVIEW.md',
  'change/folder/archive':
    'agentd/archive/<id>/ after archive, with the journal exported; a second archive of the same id gets <id>-2',

  // The command/phase table, row by row
  'change/table/plan-new':
    'plan without STATE.yaml: needs a description; generates proposal, specs, tasks, then challenges',
  'change/table/plan-proposed': 'plan in proposed: challenge, first generating whatever of the plan is missing',
  'change/table/plan-challenged': 'plan in challenged: says so, names the next command, exit 0',
  'change/table/plan-rejected-changed': 'plan in rejected with changed documents: back to proposed and challenge',
  'change/table/plan-rejected-unchanged': 'plan in rejected, nothing changed: shows the rejection, exit 3',
  'change/table/plan-later': 'plan in later phases: beyond planning, exit 0',
  'change/table/impl-challenged': 'impl in challenged: implement, then review loop',
  'change/table/impl-implementing': 'impl in implementing: what is not done yet, then review loop',
  'change/table/impl-complete': 'impl in complete: says so, suggests archive',
  'change/table/impl-complete-review':
    'impl --review in complete: a fresh review; anything but APPROVED sets implementing again',
  'change/table/impl-other': 'impl in other phases: ChangeNotReady naming the command to run, exit 4',
  'change/table/archive-complete': 'archive in complete: archives',
  'change/table/archive-other': 'archive in other phases: ChangeNotComplete, exit 4',
  'change/table/archive-again': 'archive of an archived change: exit 0',

  // Planning
  'change/planning/order-of-documents': 'plan makes proposal.md, then specs, then tasks.md',
  'change/planning/specs-in-dependency-order': 'one dispatch per affected spec, in dependency order',
  'change/planning/unknown-dependency-or-cycle': 'unknown dependency or cycle: clear error, no dispatch',
  'change/planning/tasks-carry-change-id': 'tasks.md front matter has an explicit change_id',
  'change/planning/validated-before-every-challenge': 'format validation before every challenge',
  'change/planning/mechanical-fixes': 'a finding that is mechanically fixable is fixed',
  'change/planning/repaired-once':
    'other High findings go back to the planner once, outside planning_iterations; still invalid: stop in proposed, exit 3',
  'change/planning/reproposal':
    'NEEDS_REVISION with budget: the planner revises, then challenge again; review blocks are never lost',
  'change/planning/iterations-count-reproposals': 'planning_iterations counts reproposals: 2 = at most 3 challenges',
  'change/planning/budget-spent-asks':
    'budget spent and still NEEDS_REVISION: ask implement anyway / view / continue; without a person exit 3, phase proposed',
  'change/planning/implement-anyway':
    'implement anyway: phase challenged, override recorded; not offered while a High finding is open',
  'change/planning/continue-one-round': 'continue: one more round',
  'change/planning/rejected': 'REJECTED: phase rejected, exit 3',
  'change/planning/approved-offers-next':
    'APPROVED with a person at the terminal: ask implement now / view the plan / stop',
  'change/planning/fresh-budget': 'a command a person runs again after a stop gets a fresh loop budget',
  'change/planning/description-journalled':
    'the description is journalled before the first dispatch; another one for an existing change is refused; none for a new change: exit 2',
  'change/challenge/review-block': 'one review block per review, with its attributes and sections',
  'change/challenge/looks-for': 'the challenger looks for gaps, conflicts with the codebase, edge cases',
  'change/challenge/high-issue-decides': 'a High finding in the review decides whether going on is offered',
  'change/challenge/no-approval-with-high-issue': 'append_review refuses approved with a High finding',

  // Implementing
  'change/implement/spec-groups':
    'sequential_implementation: one dispatch per spec group, in dependency order of the specs; false: one for all',
  'change/implement/layer-order': 'inside a group by layer Data, Logic, Integration, Testing and by depends_on',
  'change/implement/tasks-subset': '--tasks limits it; others pending: no review, exit 0, next command named',
  'change/implement/task-status-updated': 'after each dispatch the finished tasks’ status is updated in tasks.md',
  'change/implement/continues-with-the-next-task': 'a stopped run continues with the next task',
  'change/implement/reported-tasks-are-kept':
    'statuses that a dispatch reported are kept, also where other tasks of its group are blocked or unreported',
  'change/implement/unmet-dependency-is-said': 'a task chosen with --tasks whose dependency is open: that is said',
  'change/implement/blocked-needs-a-person': 'a blocked task: exit 3',
  'change/implement/every-task-reported': 'an implementer that reports nothing of a task has not done it',
  'change/implement/artifacts-are-there': 'a completed task’s file exists (or is gone, for DELETE)',
  'change/implement/unfinished-first': 'impl again: unfinished tasks first',
  'change/implement/fix-first': 'impl again, all done and the last review NEEDS_FIX or MAJOR_ISSUES: starts with a fix',
  'change/implement/approved-unchanged': 'impl again, last review APPROVED and the tree unchanged: complete',
  'change/checks/before-every-review':
    'the project’s own checks run before every review, found by marker files, overridable in config',
  'change/checks/network-only-when-configured':
    'a check that uses the network, such as an audit, runs only when configured',
  'change/checks/no-tests-not-available':
    'the default test script of npm init and an empty set of tests: not available',
  'change/checks/timed-out': 'a check that took too long says so, with its output so far, and forbids an approval',
  'change/review/names-what-to-change': 'NEEDS_REVISION and NEEDS_FIX without any issue are refused',
  'change/checks/output-by-path': 'check output goes to a file whose path is in the prompt',
  'change/checks/missing-tool-is-no-failure': 'a missing tool is reported as not available, not as a failure',
  'change/review/writes-review-md': 'create_review writes REVIEW.md; APPROVED sets complete',
  'change/review/verdicts': 'APPROVED | NEEDS_FIX | MAJOR_ISSUES',
  'change/review/needs-changes-is-needs-fix': 'NEEDS_CHANGES is read as NEEDS_FIX',
  'change/review/looks-for': 'the reviewer looks for logic, edge cases, security, best practice, missing tests',
  'change/review/needs-fix-loop': 'NEEDS_FIX with budget: the implementer fixes, review again',
  'change/review/budget-spent': 'NEEDS_FIX without budget, or MAJOR_ISSUES: phase stays implementing, exit 3',
  'change/iteration/anew-within-impl': 'iteration counts within plan, and anew within impl',

  // Bound approvals
  'change/approval/bound-to-plan':
    'plan documents changed after approval (review blocks and task status aside): plan challenges again',
  'change/approval/impl-refuses-edited-plan':
    'impl refuses an edited plan (exit 4) unless --accept-edits, recorded as a person’s decision',
  'change/approval/archive-refuses-changed-code':
    'code changed after the approving review: archive refuses, naming impl --review',
  'change/approval/phase-by-hand': 'setting phase past a gate, once confirmed, approves what is there now',
  'change/decisions/asked-first':
    'a pending decision is asked before anything else, unless what it was about has changed: then it is closed as skipped',
  'change/rejected/compares-checksums': 'rejected compares document checksums',

  // Faults and run budgets
  'change/faults/rate-limit':
    'a rate limit: parked until its time, exit 75, not retried, resumable by the same command',
  'change/faults/retried': 'faults are retried script_retries times, retry_delay_secs apart with backoff',
  'change/faults/reported': 'then reported with agent, command, status and the tail of stderr',
  'change/faults/epipe': 'an agent that closes its stdin early: retried, or reported; never a bare crash',
  'change/budget/never-resets': 'run budgets never reset; spent: exit 5, resumable with more',

  // Archiving
  'change/archive/copy-and-merge': 'new spec: copied; existing: requirement-level merge, deterministic',
  'change/archive/archived-at': 'archived_at is set in the front matter',
  'change/archive/changelog': 'a CHANGELOG entry is appended',
  'change/archive/judgement':
    'what cannot be merged without judgement goes to the archivist, and its result is reviewed, archive_iterations',
  'change/archive/three-way':
    'merged by requirement, scenario and section against base and current; what both touched is a conflict',
  'change/archive/base': 'the permanent spec is recorded when the plan is approved; unknown, every difference counts',
  'change/archive/nothing-lost':
    "the archivist's text is refused, naming what it lost, unless everything else survives byte for byte",
  'change/archive/every-spec': 'every spec of the change is merged, whatever its name; what cannot be is an error',
  'change/archive/line-ends': 'permanent specs and CHANGELOG keep their line ends',
  'change/archive/dry-run': '--dry-run shows what would happen and changes nothing',
  'change/archive/dry-run-stops-alike': 'where archive would stop, --dry-run stops with the same words and exit code',
  'change/archive/new-needs-flag': 'archived changes are found too; reusing the id needs plan --new',

  // STATE.yaml
  'change/state/fields': 'the fields of STATE.yaml',
  'change/state/keeps-what-people-wrote': 'unknown keys and comments survive every rewrite',
  'change/state/phase-in-any-case': 'phase is read in any case, written lower-case',
  'change/state/hand-edit-takes-effect': 'editing phase by hand takes effect; past a gate it is confirmed first',
  'change/state/stale': 'a checksum that no longer matches: later files made from it are reported stale',
  'change/state/taken-over':
    'a STATE.yaml without a journal keeps its telemetry, checksums, validations and iteration; its spending counts on',
  'change/state/newer-version': 'a STATE.yaml of a newer schema version is refused',
  'change/folder/of-agentd': 'folders of the original agentd are used as they are, nested and dated archives included',
  'change/state/malformed': 'a malformed STATE.yaml is an error with file, line and expectation; nothing is changed',

  // Documents
  'change/documents/proposal': 'proposal.md: front matter, body between tags, reviews after it',
  'change/documents/status-attribute-is-the-verdict': 'the status attribute is the verdict; prose never is',
  'change/documents/escaped': 'text that contains a closing tag is escaped, not trusted',
  'change/documents/spec': 'specs/<id>.md: front matter, requirements, scenarios',
  'change/documents/task-ids-are-strings': 'ids are strings: 1.10 is not 1.1',
  'change/documents/checkbox-form': 'the checkbox form of tasks is read too',
  'change/documents/robust-reading':
    'tasks.md without or with broken front matter: change_id from the folder, layers from headings; nothing is dropped silently',
  'change/documents/challenge-md': 'an existing CHALLENGE.md is read, none is written',
  'change/validation/rules': 'headings, unique ids, WHEN and THEN, references, cycles, TODO in titles; High blocks',
  'change/validation/later-group': 'a dependency on a later group is a validation error',

  'change/roles/documents-through-tools':
    'whoever writes code may not write plans, permanent specs and their bases: its report does not count',

  // Lean
  'change/lean/one-author-one-reviewer':
    'lean: one agent plans and implements a small change, another reviews plan and code',
  'change/lean/complete-plan': 'what the author leaves out is sent back once, then the change stops in proposed',
  'change/lean/major-is-planned-in-full': 'a change whose author calls it major is planned and challenged in full',
  'change/lean/a-persons-word': 'only a new change, or one that was begun as lean, is done without a challenge',

  // Tools
  'change/tools/each-role-sees-only-its-own': 'each role sees only its own tools',
  'change/tools/clear-messages': 'arguments are validated with clear messages: what, where, an example',
  'change/tools/malformed-item-is-refused': 'a malformed item is refused, never dropped',
  'change/tools/unknown-keys-are-refused': 'unknown arguments are refused',
  'change/tools/revision-keeps-reviews': 'a revision keeps review blocks',
  'change/tools/revision-keeps-state': 'a revision keeps created_at and raises the version',
  'change/tools/create_review-refuses-approved-with-high':
    'create_review refuses APPROVED with a High finding in the same review',
  'change/tools/create_review-refuses-approved-with-failed-check':
    'create_review refuses APPROVED while a required local check failed',
  'change/tools/unknown-verdict-touches-nothing': 'unknown verdict or severity: the tool refuses and touches nothing',
  'change/tools/second-filing-is-refused':
    'a second filing in one dispatch is refused; the phase changes when the dispatch ends',
  'change/tools/prompts-name-tools-of-the-role': 'prompts name only tools of their role',
  'change/prompts/by-path': 'prompts carry paths, never paraphrased artifacts',

  // Config and console
  'change/config/workflow-defaults': 'the defaults of [workflow]',
  'change/config/workflow-settings': 'the settings of [workflow] and per agent',
  'change/config/default-agents': 'planner gemini, challenger codex, implementer claude, reviewer codex',
  'change/config/missing-file-means-defaults': 'a missing file means defaults',
  'change/config/unknown-key-is-a-warning': 'an unknown key is a warning with the nearest known one',
  'change/config/complexity': 'complexity = spec files + tasks',
  'change/config/cheapest-sufficient-model': 'the cheapest model whose ceiling suffices is chosen',
  'change/console/shows-what-happens':
    'the state found, each dispatch, with --verbose each transition; ends with the result and the next command',
  'change/console/json': '--json prints one object with action, phase, verdict, next beside the common keys',
} as const;
