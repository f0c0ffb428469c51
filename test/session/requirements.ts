/**
 * The rules of the `session` workflow, as data. A test cites a rule by putting its id in brackets into its title;
 * `requirements.test.ts` fails on a rule nobody cites and on a citation of a rule that does not exist.
 */
export const requirements = {
  // Commands
  'session/commands/verbs': 'pawl session start|resume|status|list',
  'session/commands/start': 'start "<goal>" [--lean] [--project-type web|api|cli|lib|mixed]',
  'session/commands/goal-needed': 'a session without a goal is refused: exit 2',
  'session/commands/project-type': 'an unknown project type is refused, naming those there are',
  'session/commands/resume': 'resume [<session>]: the one that is open, or the one that is named',
  'session/commands/status': 'status [<session>]',
  'session/commands/list': 'list of all sessions',
  'session/commands/unknown-session': 'an unknown session is refused, naming the command that lists them',
  'session/commands/same-slug-same-day': 'two sessions with one slug on one day are told apart',
  'session/commands/worktree': 'workspace: in place by default, --worktree available',
  'session/commands/undo': 'a session is not undone as a whole: refused with the reason',
  'session/commands/config':
    'pawl.toml [session]; a wrong value is an error with file and line, an unknown key a warning',
  'session/commands/exit-codes': 'done 0, usage 2, a person is needed 3, not ready 4, over budget 5, temporary 75',
  'session/commands/json': '--json prints one object with action, phase, verdict, next beside the common keys',
  'session/commands/rehearsals': 'a full and a lean rehearsal run with the scripted agent and --answers',

  // The table of states, row by row
  'session/table/start-lean': 'start --lean: INTAKE_LEAN',
  'session/table/start-lean-judged':
    'start, all lean criteria hold by the SpecAgent’s judgement, shown to the person, who agrees: INTAKE_LEAN',
  'session/table/start-full': 'start otherwise: INTAKE',
  'session/table/intake': 'INTAKE, spec.md, acceptance.json and status.json exist and pass their checks: DESIGN',
  'session/table/intake-lean': 'INTAKE_LEAN, the same and a tasks.yaml of one task: IMPLEMENT_LOOP',
  'session/table/design':
    'DESIGN, architecture.md valid, research report if asked for, design spec if UI is involved: APPROVE_DESIGN',
  'session/table/approve-design': 'APPROVE_DESIGN, the answer matches ^approved(\\s|:|$): PLAN',
  'session/table/approve-design-changes':
    'APPROVE_DESIGN, changes-requested: correction by SpecAgent, Architect or Designer, APPROVE_DESIGN again, no cap',
  'session/table/gate-missing-answer':
    'a gate without a valid answer after the first ask and 3 re-asks: BLOCKED mandatory_user_decision_missing',
  'session/table/gate-deferred': 'a gate that is deferred or cancelled: BLOCKED mandatory_user_decision_missing',
  'session/table/plan': 'PLAN, every task has dependencies, acceptance_checks, done_when; no cycle: REVIEW_STRATEGY',
  'session/table/review-strategy':
    'REVIEW_STRATEGY, canonical per-batch or single-final (synonyms normalised, only canonical persisted): IMPLEMENT_LOOP',
  'session/table/review-blocked': 'Reviewer BLOCKED: FIX_REVIEW by the Coder, back to the Reviewer',
  'session/table/qa-blocked': 'QA BLOCKED: FIX_TESTS by the Coder, back to QA',
  'session/table/qa-tests-wrong': 'QA BLOCKED and only tests are wrong: FIX_TESTS by QA, back to QA',
  'session/table/security-blocked': 'Security BLOCKED: FIX_SECURITY by the Coder, back to Security',
  'session/table/security-decision': 'Security NEEDS_DECISION: ASK_USER, then back to state_context',
  'session/table/pass-with-notes': 'Reviewer PASS WITH NOTES: ASK_USER, then back',
  'session/table/ambiguity': 'ambiguity or scope creep: ASK_USER, then back',
  'session/table/repairs-spent': 'repair budget spent: ASK_USER, then back',
  'session/table/accepted-build-ends':
    'a red build that is accepted with known issues is not asked about again while it fails the same way',
  'session/table/all-completed': 'all tasks completed, final review passed where required: INTEGRATE',
  'session/table/lean-complex':
    'lean, the Coder reports more complexity than expected: INTAKE (full), lean artifacts kept as input',
  'session/table/integrate-red':
    'INTEGRATE, build or CI red or a cmd: check fails: FIX_BUILD (Integrator, then Coder), back to INTEGRATE',
  'session/table/integrate-green-full': 'INTEGRATE green, full: RELEASE',
  'session/table/integrate-green-lean': 'INTEGRATE green, lean: DONE',
  'session/release/changed-files': 'the reviewer of a release is told what the release changed',
  'session/release/readme': 'Docs that change nothing say why the documentation is current',
  'session/files/runtime-flags-current': 'runtime_flags follow the disk while a session runs',
  'session/roles/security-by-content': 'Security is needed by the lines a change touches, not by file names alone',
  'session/table/release':
    'RELEASE, README current, report.md ready, criteria met or waived with a reason, files changed in RELEASE reviewed: DONE',
  'session/table/persistence-spent': 'persistence retries spent: BLOCKED with blocker, detail and a way out',
  'session/table/dispatch-spent': 'dispatch retries spent: BLOCKED with blocker, detail and a way out',
  'session/table/fail': 'a role reports FAIL: BLOCKED with blocker, detail and a way out',
  'session/table/task-blocked': 'a task stuck blocked: BLOCKED with blocker, detail and a way out',
  'session/table/needs-info': 'Researcher NEEDS_INFO becomes ASK_USER',
  'session/table/coder-blocked': 'Coder BLOCKED becomes ASK_USER',
  'session/table/blocked-resume': 'BLOCKED is left by resume after the cause is gone',

  // Roles
  'session/roles/no-writes':
    'SpecAgent, Researcher, Architect, Designer, Planner, Reviewer and Security write no files',
  'session/roles/spec-agent':
    'SpecAgent files spec.md, acceptance.json, in lean tasks.yaml; the engine makes status.json',
  'session/roles/spec-agent-output': 'SpecAgent reports needs_research, has_ui and its lean judgement',
  'session/roles/researcher': 'Researcher files research/; options with pros, cons, effort; confidence; sources',
  'session/roles/architect': 'Architect files architecture.md and adr/',
  'session/roles/designer': 'Designer files design-specs/: layout, states, accessibility, breakpoints',
  'session/roles/planner': 'Planner files tasks.yaml',
  'session/roles/coder': 'Coder writes source and tests; task status in-progress, implemented',
  'session/roles/reviewer': 'Reviewer: verdict, review_comments with severity, checklist_summary',
  'session/roles/qa': 'QA writes tests only; test_results, coverage_gaps',
  'session/roles/security':
    'Security: findings; high or critical BLOCKED, medium NEEDS_DECISION (fix-now / fix-later / accept)',
  'session/roles/integrator': 'Integrator writes build and config files',
  'session/roles/docs': 'Docs writes README and changelog; report.md is made from its report',
  'session/roles/bounds-enforced': 'what a role wrote out of bounds makes the dispatch a fault',
  'session/roles/contradictions-refused': 'a report that contradicts itself is refused by the tool',
  'session/roles/findings-decide': 'findings decide, not the status the agent claims',
  'session/roles/every-core-role':
    'full: every core role is dispatched at least once; Security even if it finds nothing',
  'session/roles/lean-roles':
    'lean: Coder and Reviewer always; QA if behaviour changed; Security if auth, input or network is touched',
  'session/roles/reviewer-never-skipped': 'Reviewer is never skipped',
  'session/roles/project-type-checklist': 'project_type selects checklist items; skipped ones are reported N/A',

  // Review strategies
  'session/strategy/per-batch-task': 'per-batch: after each Coder task Reviewer, QA, Security',
  'session/strategy/per-batch-qa': 'per-batch: QA where behaviour, logic or acceptance is touched',
  'session/strategy/per-batch-security':
    'per-batch: Security on a risk flag or where auth, input or network is touched',
  'session/strategy/promoted-by-engine': 'per-batch: implemented → completed by the engine when all pass',
  'session/strategy/per-batch-meta':
    'per-batch: after all tasks one Reviewer pass, task.id meta, "Cross-task final review of all session changes"',
  'session/strategy/single-final-all': 'single-final: the Coder takes all tasks to implemented first',
  'session/strategy/single-final-pass':
    'single-final: one combined Reviewer + QA + Security pass, meta, "Single-final review of all session changes"',
  'session/strategy/single-final-promoted': 'single-final: after the pass and its repairs all are promoted together',
  'session/strategy/recommendation':
    'recommended: per-batch for 5 tasks or more, cross-cutting dependencies or a security or breaking-change flag',
  'session/strategy/lean': 'lean: always per task, no final pass',
  'session/strategy/re-read': 'the strategy is re-read from status.json before every Reviewer, QA, Security dispatch',
  'session/strategy/changed-files':
    'session_changed_files comes from git over the whole session: untracked, renamed with old_path, deleted',

  // Budgets
  'session/budgets/repairs': 'repair loop per task per kind: 3',
  'session/budgets/repairs-own-counter': 'each task has its own counters, and so has meta',
  'session/budgets/repairs-stopped': 'spent repairs: a person may stop; BLOCKED, and resume asks again',
  'session/budgets/repairs-persisted': 'repairs are counted in status.json retry_counts',
  'session/budgets/repairs-asked': 'spent: ASK_USER with what was tried and why it failed, and the four options',
  'session/budgets/grant-resets-one': 'an answer that grants more attempts resets that counter only',
  'session/budgets/re-asks': 'a gate is asked again 3 times after the first ask; then cancelled and BLOCKED',
  'session/budgets/re-asks-not-persisted': 'the count of re-asks is not persisted: every sitting has its own',
  'session/budgets/status-writes': 'status.json is written and read back 3 times without asking again; then BLOCKED',
  'session/budgets/dispatch-retries': 'a dispatch is retried twice; then BLOCKED subagent_failure',
  'session/budgets/engine-never-works': 'the engine never does a role’s work itself',
  'session/budgets/corrections-unlimited': 'corrections at APPROVE_DESIGN are unlimited',

  // Decisions
  'session/decisions/pending-before-asking': 'one pending entry per question is written and read back before asking',
  'session/decisions/entry': 'an entry has all eight keys',
  'session/decisions/ids-sequential': 'UD-<N> counts up over the session; resume continues at max+1',
  'session/decisions/well-known-unique': 'UD-APPROVE-DESIGN and UD-REVIEW-STRATEGY: one entry each, updated in place',
  'session/decisions/history-first':
    'changes-requested is appended to approve-design-history.jsonl when received, before anything else',
  'session/decisions/answered': 'answered: a non-empty answer and resolved_at',
  'session/decisions/cancelled': 'cancelled or skipped: resolved_at and a non-empty resolution_reason',
  'session/decisions/partial': 'partial answers: the unanswered are cancelled "no response provided"',
  'session/decisions/security-never-cancelled': 'security questions are asked again and never auto-cancelled',
  'session/decisions/gates-never-cancelled': 'the two gates are never auto-cancelled',
  'session/decisions/state-context': 'state_context is the gate’s own name or the state that asked, never ASK_USER',
  'session/decisions/none-left-pending': 'no user-decision state is left while one of its decisions is pending',
  'session/decisions/correction-status': 'correction_status none → queued → dispatched → completed',
  'session/decisions/correction-resume-none': 'resume with none or missing: queued',
  'session/decisions/correction-resume-queued': 'resume with queued: dispatch',
  'session/decisions/correction-resume-dispatched': 'resume with dispatched: verify completion, no second dispatch',
  'session/decisions/correction-resume-completed': 'resume with completed: ask again',
  'session/decisions/correction-again': 'a new changes-requested starts at queued again',
  'session/answering/terminal': 'a person answers at the terminal, with a summary, the artifacts’ paths and a diff',
  'session/answering/diff': 'what changed since the person was asked last is shown',
  'session/answering/answer-command': 'pawl answer answers a decision',
  'session/answering/answers-file': '--answers FILE answers for scripts and CI',
  'session/answering/shown-first': 'a question is answered only by what is typed after it was shown',
  'session/answering/numbers': 'a number means the same at the terminal, with pawl answer and in a file',
  'session/answering/reasons': 'a reason given with an answer is kept, and is in the final report',
  'session/answering/nobody-there': 'no answer possible: exit 3 with the command to run',
  'session/answering/never-lost': 'a kill between answer and persistence never loses an answer',
  'session/answering/never-two-corrections': 'a kill between correction dispatched and completed never gives two',

  // Files
  'session/files/folder': '.agents-work/<YYYY-MM-DD>_<slug>/, slug of 2–4 kebab words, git-ignored',
  'session/files/finished-read-only': 'finished sessions are read-only',
  'session/files/status': 'status.json has its keys, and is written strictly',
  'session/files/tasks': 'tasks.yaml has its keys; the only home of task status',
  'session/files/completed-by-engine': 'completed is set by the engine alone; agents set no status',
  'session/files/acceptance': 'acceptance.json: criteria with id, description, verify',
  'session/files/spec': 'spec.md needs Goals, Acceptance Criteria, Definition of Done; lean: the first two',
  'session/files/architecture': 'architecture.md needs Overview and Modules',
  'session/files/restored':
    'lost or damaged documents come back from the journal; edits of status.json that are not read back are reported',
  'session/files/report': 'report.md: what was done, how to run, how to test, known issues',
  'session/files/report-complete':
    'comments beside PASS, low findings, coverage gaps, notes and accepted findings are in the final report',
  'session/files/report-from-record':
    'report.md is generated from what happened: tasks, criteria with evidence, decisions, known issues',
  'session/files/history': 'approve-design-history.jsonl: {at, decision_id, answer, state_context}, a line each',
  'session/files/journal-exported': 'the journal of a finished session is exported into its folder',
  'session/reading/tolerant': 'older or sloppier files are read and repaired, with a note of each repair',
  'session/reading/bare-decisions': 'bare-string decisions are read',
  'session/reading/missing-gate-tracking': 'a missing gate_tracking is read as none',
  'session/reading/unknown-ids': 'decisions with unknown ids are kept',
  'session/reading/ask-user-context': 'state_context "ASK_USER" is repaired',
  'session/reading/foreign-session': 'a session another tool wrote is taken over where it stands',
  'session/reading/malformed-status': 'a malformed status.json is refused with line and expectation',
  'session/reading/malformed-tasks': 'a malformed tasks.yaml is refused with line and expectation',
  'session/reading/cycle': 'a dependency cycle is refused',
  'session/reading/bare-commands': 'a verify entry that is a bare command is run; of agents it is refused',
  'session/reading/unknown-check': 'an acceptance check that does not exist is refused or fails with a clear message',
  'session/reading/imported-documents':
    'documents of another tool need only be readable: sections, languages and ids of their own are left to it',
  'session/reading/finished-shown': 'a finished session is always shown',
  'session/reading/nothing-lost': 'unknown keys survive a write',

  // Dispatch
  'session/dispatch/input': 'the input JSON has task, project_type, repo_state, tools_available, artifact_list',
  'session/dispatch/task-input': 'task has id, title, goal, non_goals, context_files, constraints, checks, risk_flags',
  'session/dispatch/report': 'the report JSON: status, summary, gates, next; unknown words are refused',
  'session/dispatch/role-statuses': 'NEEDS_INFO is the Researcher’s, NEEDS_DECISION is Security’s',
  'session/dispatch/prompt-order': 'identity and role, contract, project instructions, session, input, first steps',
  'session/dispatch/project-instructions':
    'the project-instructions line only if the file exists, looked up each time, ranked below contract, role and workflow',
  'session/dispatch/corrected-documents': 'whoever writes a document anew is sent to the one that is there',
  'session/dispatch/task-context': 'the context files of a task reach the Coder',
  'session/dispatch/refusals-told': 'why a document was refused reaches the person, the log and the next attempt',
  'session/dispatch/own-tools': 'each role is offered its own tools and no others',
  'session/validators/context-files': 'context files of the matrix exist and are valid',
  'session/validators/placeholders': 'no placeholder is left in a path',
  'session/validators/task-id': 'the task id exists or is meta',
  'session/validators/project-type': 'project_type is set',
  'session/validators/repo-state': 'repo_state is set',
  'session/validators/design-approval': 'from the Planner on (full) the design approval is re-read and passing',
  'session/validators/review-strategy': 'for Reviewer, QA and Security the strategy is re-read and canonical',
  'session/validators/gate-state': 'gate states are never dispatched, corrections excepted',
  'session/validators/blocks': 'a validator that fails stops the dispatch: BLOCKED naming it',
  'session/context/spec-agent': 'SpecAgent gets no files',
  'session/context/researcher': 'Researcher: spec (+ acceptance, architecture)',
  'session/context/architect': 'Architect: spec, acceptance (+ research)',
  'session/context/designer': 'Designer: spec, architecture, acceptance',
  'session/context/planner': 'Planner: spec, acceptance, architecture (+ design specs, research)',
  'session/context/coder': 'Coder: spec, tasks (+ architecture, design specs)',
  'session/context/reviewer': 'Reviewer: spec, tasks (+ architecture, design specs), session_changed_files',
  'session/context/qa': 'QA: spec, acceptance, tasks (+ design specs)',
  'session/context/security': 'Security: tasks (+ architecture)',
  'session/context/integrator': 'Integrator: tasks, acceptance',
  'session/context/docs': 'Docs: spec, tasks, acceptance (+ architecture)',

  // DONE only if
  'session/done/criteria': 'all criteria met or waived with a reason',
  'session/done/no-pending': 'no pending decision',
  'session/done/current-state': 'current_state is DONE',
  'session/done/report-sections': 'report.md has its four sections',

  // Fine points
  'session/design/order': 'DESIGN: Researcher if needed, Architect, Designer if there is a UI, in that order',
  'session/design/requirement-ids': 'architecture.md records risks and is checked against the spec’s requirement ids',
  'session/design/shown':
    'shown at APPROVE_DESIGN: scope, criteria, assumptions; modules, data flows, ADRs; layout, interactions, components',
  'session/design/normalised': '"looks good", "go ahead" are normalised to approved and shown back',
  'session/design/role-confirmed': 'for changes-requested the person names, or confirms the suggested, role',
  'session/design/bound': 'a design edited after its approval is approved again before work goes on',
  'session/strategy/shown':
    'shown at REVIEW_STRATEGY: task count, scope, both strategies with trade-offs, recommendation',
  'session/questions/any-role': 'any role may report questions in any state: ASK_USER, then back',
  'session/questions/integrate-spent': 'INTEGRATE’s spent repair budget asks too',
  'session/review/needs-fixes': 'NEEDS FIXES = BLOCKED',
  'session/review/notes': 'PASS WITH NOTES = OK plus ASK_USER: which note ids to fix, or none',
  'session/review/notes-once': 'notes a person declined, and findings a person settled, are not asked about again',
  'session/review/depth': 'per task: deep on its files; meta: every non-deleted file in full, deleted ones by diff',
  'session/review/change-type': 'entries of session_changed_files carry change_type',
  'session/review/after-fix': 'after any fix every gate whose judged files changed runs again',
  'session/review/checks-that-change-files':
    'files that checks change are named and judged; changed again they are fixed, or accepted once',
  'session/review/after-fix-single-final': 'single-final: after any fix the whole combined pass runs again',
  'session/review/unchanged-stands': 'a judgement stands while its files are the same',
  'session/review/edited-while-waiting': 'files edited while a person was waited for are judged again',
  'session/review/edited-while-interrupted': 'files edited while a step was interrupted are judged again',
  'session/review/meta-joins': 'per-batch: QA or Security not dispatched for any task run with the meta pass',
  'session/integrate/checks': 'INTEGRATE: CI if there is one, and the cmd: checks, each once',
  'session/integrate/argument-vector':
    'cmd: entries run as an argument vector, in a shell only where the entry itself names one',
  'session/integrate/commands-approved':
    'without a sandbox no command of an agent runs before a person has approved the literal list',
  'session/integrate/time-limit': 'with a time limit and captured output',
  'session/integrate/manual': 'manual: checks are decisions',
  'session/integrate/lean': 'lean: the engine runs the checks and writes report.md; FIX_BUILD goes to the Coder',
  'session/release/order': 'RELEASE: Docs, then Integrator; what they changed is reviewed',
  'session/release/tags': 'tags are made by the engine when configured',
  'session/acceptance/waiver': 'a waiver is an answered decision; acceptance.json gains met | waived with evidence',
  'session/faults/spec-agent-unavailable': 'SpecAgent unavailable: BLOCKED; the engine writes no specs',
  'session/faults/retried': 'failed, timed out, unparseable, out of bounds: 2 retries, then BLOCKED naming the cause',
  'session/faults/blocked-from': 'blocked.from says where resume returns',
  'session/faults/stops': 'rate limit, budget, missing agent and interruption stop where resume goes on',
  'session/flags/detected': 'runtime flags are detected at start and looked at again when missing',
  'session/flags/conflicts': 'conflicts between project instructions and higher sources are reported in notes',
  'session/schedule/order': 'tasks by depends_on, one at a time, ready ones in a stable order',
  'session/schedule/done-stays-done': 'a task that is done is not done again',
  'session/scale/500-tasks': '500 tasks keep a flat cost per transition',
  'session/verify/proofs':
    'pawl verify session: no PLAN without approval, no IMPLEMENT_LOOP without strategy, no DONE with a pending decision, loops bounded',
  'session/crash/kit': 'the crash kit runs over both rehearsals',
} as const;
