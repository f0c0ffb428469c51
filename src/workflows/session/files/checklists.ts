/** What a reviewer looks at, by kind of project. Items that do not apply are reported N/A rather than left out. */

export const projectTypes = ['web', 'api', 'cli', 'lib', 'mixed'] as const;
export type ProjectType = (typeof projectTypes)[number];

export interface ChecklistItem {
  readonly id: string;
  readonly text: string;
  readonly applies: boolean;
}

export function checklistFor(type: ProjectType): ChecklistItem[] {
  return ITEMS.map(({ id, text, only }) => ({
    id,
    text,
    applies: only === undefined || type === 'mixed' || only.includes(type),
  }));
}

interface Item {
  readonly id: string;
  readonly text: string;
  /** Kinds of project it makes sense for; a mixed one has them all. */
  readonly only?: readonly ProjectType[];
}

const served = ['web', 'api'] as const;

const ITEMS: readonly Item[] = [
  {
    id: 'goal',
    text: "The change does what its task's goal and acceptance checks ask for, and nothing of its non-goals.",
  },
  { id: 'correctness', text: 'Edge cases, empty and extreme inputs and failures are handled; nothing is swallowed.' },
  { id: 'contracts', text: 'Interfaces between modules agree with the architecture and with all of their callers.' },
  { id: 'duplication', text: 'No logic is written twice, and what exists already is used.' },
  {
    id: 'readability',
    text: 'Names, structure and comments let the next reader understand the change without its author.',
  },
  { id: 'tests', text: 'Tests cover the new behaviour, can fail, and would notice a regression.' },
  { id: 'input', text: 'Data from outside is validated where it comes in, with limits on its size.' },
  {
    id: 'injection',
    text: 'No command, query, path or pattern is built from outside data without quoting or checking.',
  },
  { id: 'secrets', text: 'No secret is in code, logs, messages or fixtures.' },
  { id: 'dependencies', text: 'New dependencies are needed, maintained, pinned and licensed for this use.' },
  { id: 'concurrency', text: 'Shared state, retries and partial failures leave nothing half done.' },
  { id: 'performance', text: 'Nothing grows with the data where it need not; loops and queries are bounded.' },
  { id: 'documentation', text: 'README and help say what is now true.' },
  { id: 'authentication', text: 'Every entry point checks who is calling and what they may do.', only: served },
  { id: 'tenancy', text: 'Data of one tenant or user cannot be reached by another.', only: served },
  { id: 'csrf', text: 'Requests that change something are protected against CSRF.', only: ['web'] },
  { id: 'xss', text: 'Whatever is shown is escaped for its place, against XSS.', only: ['web'] },
  { id: 'templates', text: 'Templates escape by default and take no code from data.', only: ['web'] },
  { id: 'sessions', text: 'Cookies and tokens have flags, lifetimes and a way to be revoked.', only: served },
  { id: 'rate-limits', text: 'Costly or guessable requests are limited.', only: served },
  { id: 'status-codes', text: 'Responses use the right status codes and one shape of error.', only: served },
  {
    id: 'api-compatibility',
    text: 'Existing callers of public interfaces keep working, or the break is announced.',
    only: ['api', 'lib'],
  },
  { id: 'migrations', text: 'Stored data is migrated, forward and back, without loss.', only: served },
  { id: 'accessibility', text: 'Keyboard, screen reader, contrast and focus have been thought of.', only: ['web'] },
  { id: 'responsive', text: 'The layout holds at every breakpoint of the design.', only: ['web'] },
  { id: 'exit-codes', text: 'Exit codes and streams are right: results to stdout, messages to stderr.', only: ['cli'] },
  { id: 'cli-help', text: '--help, mistakes in arguments and unusual terminals are dealt with.', only: ['cli'] },
  { id: 'cli-files', text: 'Files of the person are changed only as asked, and safely.', only: ['cli'] },
  { id: 'public-surface', text: 'Exports are few, typed and documented; internals stay internal.', only: ['lib'] },
];
