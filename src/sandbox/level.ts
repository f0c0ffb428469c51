/**
 * How far programs that Pawl starts are kept from the rest of the computer.
 *
 * `files`: they see and write only the files of their task, and no processes of others.
 * `files+network`: in addition they reach only the hosts of an allow-list.
 */
export const sandboxLevels = ['none', 'files', 'files+network'] as const;
export type SandboxLevel = (typeof sandboxLevels)[number];

/** The level this computer can reach, and why it is no higher one; null at the highest. */
export interface SandboxProbe {
  readonly level: SandboxLevel;
  readonly problem: string | null;
}

export function isLower(level: SandboxLevel, than: SandboxLevel): boolean {
  return sandboxLevels.indexOf(level) < sandboxLevels.indexOf(than);
}

export function lowerOf(one: SandboxLevel, other: SandboxLevel): SandboxLevel {
  return isLower(one, other) ? one : other;
}
