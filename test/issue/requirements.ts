/**
 * The rules of the `issue` workflow, as data. A test cites a rule by putting its id in brackets into its title;
 * `requirements.test.ts` fails on a rule nobody cites and on a citation of a rule that does not exist.
 */
export const requirements = {
  // Commands
  'issue/commands/run': 'pawl issue run <ID> [base-branch]: one issue from plan to local commits, unattended',
  'issue/commands/list': 'pawl issue list [--status ..] [--label ..] [--parent ..]',
  'issue/commands/view': 'pawl issue view <ID>',
  'issue/commands/new': 'pawl issue new "<title>" [--parent ID] [--category ..]',
  'issue/commands/next': 'pawl issue next: what can be run now, in dependency order',
  'issue/commands/all': 'pawl issue run --all [--jobs N]: works through next, each issue in a worktree of its own',
  'issue/commands/all-stops': 'run --all stops cleanly, resumes, and prints what was done, what failed and why',

  // Roles
  'issue/roles/planner': 'planner writes plan.md, task-N.md and task-fix-N.md through tools only',
  'issue/roles/check': 'check writes and runs nothing; it is the only reviewer with a veto',
  'issue/roles/simplify': 'simplify writes nothing and decides nothing',
  'issue/roles/test': 'test may edit test files only; what else it touches is put back',
  'issue/roles/test-rust': 'in Rust sources test may edit inside #[cfg(test)] mod blocks only, compared by parsing',
  'issue/roles/make': 'make may edit exactly the files its task lists; no renames, deletions or lockfiles',
  'issue/roles/pm': 'pm edits issues only through tools that keep the schema',
  'issue/roles/commands': 'what a role may run is limited: test runners, the toolchain, or nothing',
  'issue/roles/toolchain': 'toolchain by marker file; wrapped in nix develop -c where flake.nix has a devshell',
  'issue/roles/paths': 'every dispatch names the worktree and its artifacts by absolute path',

  // Verdict words
  'issue/verdicts/check': 'ACCEPTABLE | NEEDS WORK | BLOCK, test_design | production_logic | split_needed',
  'issue/verdicts/findings':
    'findings carry class, severity, location, title; two are the same when class, place and title agree',
  'issue/verdicts/test': 'TESTS_READY | NOT_TESTABLE | BLOCKED; only MISSING_BEHAVIOR and ASSERTION_MISMATCH are RED',
  'issue/verdicts/order': 'several findings: plan-level first, then test, production, cosmetic',

  // Phase 1
  'issue/sanity/bare': 'a bare repository is refused',
  'issue/sanity/detached': 'a detached HEAD is refused',
  'issue/sanity/tracker': 'TODO/, README.md and the issue must exist',
  'issue/sanity/base': 'the branch must differ from the base: argument, else main, else master',
  'issue/sanity/dirty': 'git status --porcelain must be empty, with the words of the specification',
  'issue/sanity/depends-on': 'every depends-on issue must be Done: exit 4',
  'issue/sanity/done': 'an issue that is Done already: exit 4; one that is In Progress goes on',
  'issue/sanity/nothing-written': 'any failure of phase 1: one clear error, nothing written',

  // Routing matrix
  'issue/route/2-todo': 'Todo becomes In Progress; index and parent are updated',
  'issue/route/2-malformed': 'an issue that is not found or malformed stops with an error',
  'issue/route/3-drafted': 'plan drafted: hygiene checked, file verified',
  'issue/route/5-drafted': 'tasks drafted: hygiene checked, each file verified; N=1: 6; N>1: 5.5',
  'issue/route/5.5-acceptable': 'ACCEPTABLE: the rest is filed, then 6 with task 1',
  'issue/route/4-acceptable': 'ACCEPTABLE, whatever simplify says: 5',
  'issue/route/4-needs-work': 'NEEDS WORK, BLOCK: plan.md edited in place, at most 3 cycles',
  'issue/route/4-converged': 'same finding twice: go on, blockers into the summary',
  'issue/route/5.5-needs-work': 'task files edited in place, at most 2 cycles, then go on with open points recorded',
  'issue/route/5.5-block': 'BLOCK: plan.md edited, plan_rework_remaining -1, re-enter 4',
  'issue/route/6-stubs': 'new symbols: stubs first',
  'issue/route/6-ready': 'TESTS_READY: 7',
  'issue/route/6-escalate': 'TESTS_READY with escalation: light review, fixes, 7',
  'issue/route/6-not-testable':
    'NOT_TESTABLE: signed off, 7 without tests and in the manifest; else once back, then failure',
  'issue/route/6-missing-seam': 'missing seam: make adds it, test again',
  'issue/route/6-blocked': 'BLOCKED: diagnosed',
  'issue/route/6-no-stub': 'a new test that hits no stub is rejected',
  'issue/route/7-entry': 'entry check not RED or with other codes: diagnosed',
  'issue/route/7-green': 'Complete and suite green: 8',
  'issue/route/7-red': 'Complete and suite red: diagnosed',
  'issue/route/7-incomplete': 'Incomplete, whatever the hint: diagnosed',
  'issue/route/7-spent': '2 escalations spent: plan_rework_remaining -1, back to 3',
  'issue/route/8-acceptable': 'ACCEPTABLE: 9',
  'issue/route/8-production': 'production finding: task-fix-N.md, make on it',
  'issue/route/8-test': 'test finding: diagnosis, test, make re-verifies; one cycle',
  'issue/route/8-plan-level': 'plan-level finding: back to 3 with it',
  'issue/route/8-cosmetic': 'cosmetic: the engine applies the edit, review again',
  'issue/route/8-not-testable': 'a NOT_TESTABLE entry that is questioned is routed like any finding',
  'issue/route/8-converged': 'same finding twice or 3 cycles: recorded, go on; an open BLOCK becomes a followup',
  'issue/route/run-rework': 'no plan left: failure handler, naming the signal that spent it',
  'issue/route/9-commits': 'code commits, pm update, one chore(todo) commit',
  'issue/route/9-bug': 'a bug out of scope becomes a sub-issue with label bug',
  'issue/route/9-followup': 'an unresolved blocker becomes a sub-issue with label followup',
  'issue/route/9-tech-debt': 'a future-seam note becomes a sub-issue with label tech-debt',
  'issue/route/9-advice': 'advice of simplify is in the summary only, never filed',
  'issue/route/9-done': 'all criteria ticked: Done; index and parent updated',
  'issue/route/9-in-progress': 'some remain: In Progress',
  'issue/route/any-fault':
    'a dispatch that failed, timed out, was unparseable or out of bounds: 2 retries, then failure handler',
  'issue/caps/local': 'local caps are renewed on re-entry, the run counter is not',

  // Failure
  'issue/failure/record': 'the issue goes back to Todo; summary.md, comment, wip commit of code only',
  'issue/failure/sub-issues': 'sub-issues of a failed run are marked, and their bodies are in the record of the run',
  'issue/failure/recovery': 'the recovery commands work when pasted',
  'issue/failure/not-resumable': 'a failed run is not resumable; a dirty tree stops at phase 1',
  'issue/resume/killed':
    'pawl issue run <ID> --resume continues a run that was killed, interrupted or stopped by a budget',

  // Files
  'issue/files/run-folder': '.workflow/run-<ID>/: plan.md, task-N.md, task-fix-N.md, summary.md; ignored by git',
  'issue/files/verified': 'existence is verified before a dispatch names a file',
  'issue/files/hygiene': 'dispatch hygiene: named validators, each with a test',
  'issue/files/format': 'TODO/<ID>.md: front matter, sections, comments; every other byte stays',
  'issue/files/index': 'TODO/README.md: categories, top-level issues only; a flip to or from Done is propagated',
  'issue/files/sub-issues': 'sub-issues are rendered in dependency order, dependents indented',
  'issue/files/ids': 'ids: highest of the prefix +1, claimed exclusively, checked against all worktrees and branches',

  // Fine points
  'issue/seed/body':
    'a split-off issue has a complete seed body; a dependency on task 1 is never a depends-on the parent',
  'issue/rework/filed': 'after rework filed sub-issues are updated, never duplicated',
  'issue/rework/code': 'rework: code goes back to its state at phase 3',
  'issue/stubs/languages': 'stub-first for Rust, TypeScript/JavaScript and Python, on real repositories',
  'issue/stubs/commits': 'two commits: scaffold, then implement',
  'issue/stubs/not-available': 'a toolchain that is missing is reported as not available, never as success',
  'issue/manifest/entry':
    'manifest: task, justification, sign-off rationale; the final review answers whether it holds',
  'issue/split-needed/comment': 'split_needed: the diagnosis is in the comment of the issue',
  'issue/fix/numbers': 'task-fix-N is numbered from 1 within phase 8; a re-dispatch edits the same file',
  'issue/cosmetic/checked': 'cosmetic is checked by comparing tokens; else it counts as production',
  'issue/commits/atomic': 'conventional messages, atomic, never pushed; identity, hooks and signing respected',
  'issue/commits/hook': 'a failing commit hook is a clear failure, not a loop',
  'issue/review/tree': 'no commit of code without a final review of that very tree, or a recorded give-up',
  'issue/parallel/worktrees': 'two runs of different issues in two worktrees at the same time',
  'issue/rehearsal': 'the bundled rehearsal: one split, one test_design escalation, one final-review fix',
  'issue/crash': 'the crash kit runs over the rehearsal',

  // ADRs
  'issue/adr/1': 'forge-agnostic: no push, PR or forge CLI',
  'issue/adr/2': 'the tracker is the folder TODO/',
  'issue/adr/3': 'the person makes the worktree',
  'issue/adr/4': 'polyglot by marker files, nix develop -c',
  'issue/adr/5': 'absolute paths in every dispatch',
  'issue/adr/6': 'run artifacts on disk; prompts carry paths, never paraphrased artifacts',
  'issue/adr/7': 'stub-first; two commits',
  'issue/adr/8': 'test may write inside #[cfg(test)] mod blocks',
  'issue/adr/9': 'the split is reviewed by check: six questions',
  'issue/adr/10': 'pm has no commands',
  'issue/adr/11': 'phase 9 files follow-ups as sub-issues',
  'issue/adr/12': 'an implementation that does not come to an end escalates',
  'issue/adr/13': 'plan_rework_remaining starts at 1 and never grows',
  'issue/adr/14': 'a failed run is not continued',
  'issue/adr/15': 'simplify is advisory at every gate',
  'issue/adr/16': 'fix specs go to disk',
  'issue/adr/17': 'BLOCK of a split edits the plan',
  'issue/adr/18': 'the NOT_TESTABLE manifest is in the final review',
  'issue/adr/19': 'every incomplete implementation is diagnosed by check; hints are hints',
  'issue/adr/20': 'a clean work tree',
  'issue/adr/21': 'one task per run; the rest is filed',

  // Proofs
  'issue/verify':
    'pawl verify issue proves: nobody is asked, every loop ends, no unreviewed commit, failure leaves its record',
  'issue/bad-input':
    'unknown id, malformed frontmatter, cycle, dirty tree, detached head, base == branch: exit 2 or 4, nothing written',
};
