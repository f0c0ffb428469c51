/** What `pawl.toml` says about sessions, and the parts of it that all workflows share. */

import {
  amount,
  command,
  duration,
  flag,
  name,
  readTable,
  warnOfUnknown,
  whole,
  wrong,
  type Field,
  type Source,
} from '../../documents/settings-fields.ts';
import { lineInToml, parseToml } from '../../documents/toml.ts';
import { bundledSections } from '../bundled.ts';
import { agentTables, readRunConfig, runSections, runSettings, type RunConfig } from '../run-config.ts';
import type { RunSettings } from '../workflow.ts';
import { roles, type Role } from './vocabulary.ts';

export const configPath = 'pawl.toml';

export interface SessionConfig extends RunConfig {
  readonly roles: Readonly<Partial<Record<Role, string>>>;
  readonly retryDelaySecs: number;
  readonly session: {
    /** Attempts at mending one task, for each kind of repair. */
    readonly repairs: number;
    /** Further attempts at a dispatch that came to nothing. */
    readonly retries: number;
    /** Build or CI command that INTEGRATE runs; null where the acceptance checks are all there is. */
    readonly ci: readonly string[] | null;
    readonly checkMinutes: number;
    /** Whether acceptance checks may use a shell. */
    readonly allowShell: boolean;
    /** Tag that a finished session gets; null for none. */
    readonly tag: string | null;
  };
}

/** The agents users of one vendor each would choose: makers and judges apart. */
export const usualAgents: Readonly<Record<Role, string>> = {
  SpecAgent: 'claude',
  Researcher: 'gemini',
  Architect: 'claude',
  Designer: 'gemini',
  Planner: 'claude',
  Coder: 'claude',
  Reviewer: 'codex',
  QA: 'gemini',
  Security: 'codex',
  Integrator: 'gemini',
  Docs: 'gemini',
};

/** A session works through many tasks, each judged by several roles. */
const dispatchesUsual = 300;

/** Sections of the file that belong to others: workflows of the project's own. */
const othersSections = ['workflows', 'limits', 'prices'];
const sections = ['roles', 'retry_delay_secs', ...bundledSections, ...othersSections, ...runSections];

/** Throws a DocumentError at the first wrong value. */
export function readConfig(text: string | undefined): {
  readonly config: SessionConfig;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const source: Source = { file: configPath, lineOf: (path) => lineInToml(text ?? '', path), warnings };
  const root = parseToml(text ?? '', configPath);
  const chosen = chosenAgents(root['roles'], source);
  const agents = agentTables(Object.values(chosen), sections);
  warnOfUnknown(Object.keys(root), [...sections, ...agents], { path: [], source });
  const config: SessionConfig = {
    roles: chosen,
    retryDelaySecs: amount(5, 3600)(root['retry_delay_secs'], ['retry_delay_secs'], source),
    session: readTable(root['session'], { path: ['session'], source }, (get) => ({
      repairs: get('repairs', whole(3, { min: 0, max: 100 })),
      retries: get('retries', whole(2, { min: 0, max: 100 })),
      ci: get('ci', command),
      checkMinutes: get('check_minutes', duration(10, 1440)),
      allowShell: get('allow_shell', flag(false)),
      tag: get('tag', tagName),
    })),
    ...readRunConfig(root, source, agents, { dispatches: dispatchesUsual }),
  };
  return { config, warnings };
}

/** As git takes it; `{session}` stands for the session's name. */
const tagName: Field<string | null> = (value, path, source) => {
  if (value === undefined) return null;
  const tag = name()(value, path, source);
  if (/^(?!-)(?:[\w.\-/]|\{session\})+$/.test(tag) && !tag.includes('..')) return tag;
  throw wrong(value, 'a tag such as "v1.2.0" or "done/{session}"', path, source);
};

/** Role → agent; roles of other workflows stand in the same table. */
function chosenAgents(value: unknown, source: Source): SessionConfig['roles'] {
  const one: Field<string | null> = (each, path, from) => (each === undefined ? null : name()(each, path, from));
  const quiet: Source = { ...source, warnings: [] };
  const table = readTable(value, { path: ['roles'], source: quiet }, (get) =>
    roles.map((role) => [role, get(role, one)] as const),
  );
  return Object.fromEntries(table.filter((entry): entry is readonly [Role, string] => entry[1] !== null));
}

export function settingsOf(text: string | undefined): RunSettings {
  const { config, warnings } = readConfig(text);
  const { repairs, retries } = config.session;
  return {
    agents: { ...usualAgents, ...config.roles },
    chosenRoles: Object.keys(config.roles),
    limits: { fix_review: repairs, fix_tests: repairs, fix_security: repairs, fix_build: repairs, retries },
    retryDelayMs: config.retryDelaySecs * 1_000,
    ...runSettings(config),
    warnings,
  };
}
