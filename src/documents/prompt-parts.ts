/**
 * The prompt of a role with what a project adds to it or replaces in it: `[prompts]` in pawl.toml.
 *
 * R1. Parts that carry the protocol (limits, verdicts, tools, report) stay as they are, and come after what is added.
 * R2. Headings in a project's text are set two levels lower, so that it has no section of Pawl's.
 */

export interface PromptPart {
  /** `Pawl`, `pawl.toml`, or a file of the repository. */
  readonly origin: string;
  /** Its heading; null for the beginning. */
  readonly section: string | null;
  readonly replaceable: boolean;
  readonly text: string;
}

/** `[prompts]`, where every text may be a file. */
interface Prompts {
  readonly houseRules?: string;
  readonly workflows?: Readonly<Record<string, Readonly<Record<string, RolePrompts>>>>;
}

interface RolePrompts {
  readonly append: string | null;
  /** By heading. */
  readonly replace: Readonly<Record<string, string>>;
}

interface Files {
  read(path: string): string | undefined;
}

export interface PromptPlace {
  readonly workflow: string;
  readonly role: string;
  /** Names of the workflow's tools: a section that names one is part of the protocol. */
  readonly tools: readonly string[];
}

/** Together they are the prompt. */
export function promptParts(prompt: string, prompts: Prompts, { workflow, role, tools }: PromptPlace, files: Files) {
  const { append = null, replace = {} } = own(own(prompts.workflows ?? {}, workflow) ?? {}, role) ?? {};
  const added = (section: string, source: string | null): PromptPart[] => {
    if (source === null) return [];
    const text = `## ${section}\n\n${contentOf(source, files)}\n\n`;
    return [{ origin: originOf(source), section, replaceable: false, text }];
  };
  const parts = prompt.split(/^(?=## )/m).map((text): PromptPart => {
    const section = /^## (.+)\n/.exec(text)?.[1] ?? null;
    const isFree =
      section !== null && replaceableSection.test(section) && !tools.some((tool) => text.includes(`\`${tool}\``));
    const [other] = isFree ? added(section, own(replace, section) ?? null) : [];
    return { origin: 'Pawl', section, text, ...other, replaceable: isFree };
  });
  // R1.
  const at = parts.findLastIndex(({ section }) => section !== null && protocol.includes(section));
  const more = [...added('House rules', prompts.houseRules ?? null), ...added(`Rules for the ${role}`, append)];
  return at === -1 ? [...parts, ...more] : parts.toSpliced(at, 0, ...more);
}

/** Sections about the work itself. */
export const replaceableSection = /^(?:What to do|Look for|What a good .+)$/;
const protocol = ['Limits', 'Contract', 'What you may do'];

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function contentOf(source: string, files: Files): string {
  const text = isPromptFile(source) ? (files.read(source) ?? '') : source;
  return text.trim().replaceAll(/^(#{1,4}) /gm, '##$1 ');
}

function originOf(source: string): string {
  return isPromptFile(source) ? source : 'pawl.toml';
}

/** A value that names a file instead of being the text. */
function isPromptFile(source: string): boolean {
  return /^(?!\.git\/)(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:md|txt)$/.test(source);
}

/** Every file that a prompt rests on, with where it is named. */
export function promptFiles({
  houseRules,
  workflows = {},
}: Prompts): readonly { path: readonly string[]; file: string }[] {
  const named = Object.entries(workflows).flatMap(([workflow, roles]) =>
    Object.entries(roles).flatMap(([role, { append, replace }]) => [
      { path: [workflow, role, 'append'], file: append },
      ...Object.entries(replace).map(([section, file]) => ({ path: [workflow, role, 'replace', section], file })),
    ]),
  );
  return [{ path: ['house_rules'], file: houseRules ?? null }, ...named].flatMap(({ path, file }) =>
    file !== null && isPromptFile(file) ? [{ path: ['prompts', ...path], file }] : [],
  );
}
