/** A good call of every tool, by its name: shown to a model whose own was refused. */

const issueExample = {
  title: 'Tokens never expire',
  severity: 'High',
  category: 'security',
  description: 'A stolen token stays valid for ever.',
  location: 'src/auth/token.ts:42',
  recommendation: 'Give tokens a lifetime and check it on every request.',
};

export const toolExamples = {
  create_clarifications: { questions: [{ question: 'Which users?', answer: 'Administrators only.' }] },
  create_proposal: {
    summary: 'Adds token login.',
    why: 'Passwords are sent with every request.',
    what_changes: ['Issue tokens at login', 'Accept tokens in requests'],
    impact: { scope: 'minor', affected_files: ['src/login.ts'], new_files: ['src/token.ts'] },
    affected_specs: [
      { id: 'tokens', depends: [] },
      { id: 'login', depends: ['tokens'] },
    ],
  },
  create_spec: {
    spec_id: 'tokens',
    title: 'Tokens',
    overview: 'How tokens are issued and checked.',
    requirements: [{ id: 'R1', title: 'Lifetime', text: 'A token MUST expire after one hour.' }],
    scenarios: [
      // oxlint-disable-next-line unicorn/no-thenable -- a list, as GIVEN, WHEN and THEN are called
      { name: 'Expired token', given: ['a token older than an hour'], when: ['it is used'], then: ['it is refused'] },
    ],
  },
  create_tasks: {
    tasks: [
      {
        id: '1.1',
        title: 'Token model',
        layer: 'data',
        action: 'CREATE',
        file: 'src/token.ts',
        spec_ref: 'tokens:R1',
        depends_on: [],
        text: 'Token with its expiry time.',
      },
    ],
  },
  append_review: {
    status: 'needs_revision',
    summary: 'One gap.',
    issues: [issueExample],
    next_steps: ['Add the lifetime to R1'],
  },
  create_review: {
    verdict: 'NEEDS_FIX',
    summary: 'Works, but tokens never expire.',
    test_results: '212 passed',
    security: 'One High issue.',
    issues: [issueExample],
    next_steps: ['Add the lifetime'],
  },
  update_task: { task_id: '1.1', status: 'completed' },
  write_main_spec: { spec_id: 'tokens', content: '---\nid: tokens\ntype: spec\n…' },
  read_artifact: { name: 'spec:tokens' },
  list_specs: {},
  read_all_requirements: {},
  list_changed_files: {},
  read_implementation_summary: {},
  validate_change: {},
} as const;
