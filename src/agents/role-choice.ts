/** What a person chooses for roles, in one text: `codex` for all of them, `reviewer=codex,planner=claude` for some, or both. */

interface RoleChoice {
  /** For every role that is not named. */
  readonly all: string | undefined;
  /** In small letters, as nobody remembers how a role is spelled. */
  readonly byRole: ReadonlyMap<string, string>;
}

/** The choice, or what is wrong with its text. */
export function readRoleChoice(text: string): RoleChoice | { readonly mistake: string } {
  const byRole = new Map<string, string>();
  let all: string | undefined;
  for (const part of text.split(',').map((each) => each.trim())) {
    const split = part.indexOf('=');
    const [role, name] =
      split === -1 ? [null, part] : [part.slice(0, split).trim().toLowerCase(), part.slice(split + 1).trim()];
    if (name === '' || role === '') return { mistake: `"${part}" is neither a name nor role=name` };
    if (role === null ? all !== undefined : byRole.has(role))
      return {
        mistake: `${role ?? 'every role'} is named twice: ${(role === null ? all : byRole.get(role)) ?? ''} and ${name}`,
      };
    if (role === null) all = name;
    else byRole.set(role, name);
  }
  return { all, byRole };
}

/** Undefined where the choice leaves the role to the configuration. */
export function chosenFor(text: string | null | undefined, role: string): string | undefined {
  const { all, byRole } = parse(text);
  return byRole.get(role.toLowerCase()) ?? all;
}

/** Every name in it, once. */
export function chosenNames(text: string | null | undefined): readonly string[] {
  const { all, byRole } = parse(text);
  return [...new Set([...(all === undefined ? [] : [all]), ...byRole.values()])];
}

/** The choice for every role alone: null where roles differ or are left to the configuration. */
export function chosenForAll(text: string | null | undefined): string | null {
  const { all, byRole } = parse(text);
  return byRole.size === 0 ? (all ?? null) : null;
}

/** A later choice replaces what it names; one for all roles replaces everything. */
export function mergedChoice(before: string | undefined, later: string | undefined): string | undefined {
  const next = parse(later);
  if (before === undefined || later === undefined || next.all !== undefined) return later ?? before;
  const { all, byRole } = parse(before);
  const roles = [...new Map([...byRole, ...next.byRole])].map(([role, name]) => `${role}=${name}`);
  return [...(all === undefined ? [] : [all]), ...roles].join(',');
}

function parse(text: string | null | undefined): RoleChoice {
  const read = text === null || text === undefined ? null : readRoleChoice(text);
  return read === null || 'mistake' in read ? { all: undefined, byRole: new Map() } : read;
}
