/** `agentd` has the verbs of `pawl change` as its own: commands it tells of are spelled as it takes them. */

let program = 'pawl';

export function speakAs(name: string): void {
  program = name;
}

/** A command to paste, as the program at work spells it. */
export function spelled<C extends string | null>(command: C): C | string {
  if (program !== 'agentd' || command === null) return command;
  return command.replaceAll(/\bpawl change (?=(?:plan|impl|archive|status|list)\b)/g, 'agentd ');
}
