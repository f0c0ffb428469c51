export interface Steps {
  readonly given: readonly string[];
  readonly when: readonly string[];
  readonly then: readonly string[];
}

/** Reads `- **GIVEN** …` lines, with or without bullet, bold and colon; AND and BUT go on with the step before. */
export function readScenario(lines: readonly string[]): Steps {
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the format; an array is never called
  const steps = { given: [] as string[], when: [] as string[], then: [] as string[] };
  let current: string[] | null = null;
  for (const line of lines) {
    if (line === '') continue;
    const [, word = '', rest = ''] = STEP.exec(line) ?? [];
    const keyword = word.toLowerCase();
    if (keyword === 'given' || keyword === 'when' || keyword === 'then') current = steps[keyword];
    if (word !== '') current?.push(rest);
    else continueStep(current, line);
  }
  return steps;
}

const STEP = /^\s*(?:[-*+]\s+)?(?:\*\*|__)?(given|when|then|and|but)\b(?::?(?:\*\*|__))?:?\s*(.*?)\s*$/i;

/** An indented line belongs to the step above it. */
function continueStep(current: string[] | null, line: string): void {
  const last = current?.at(-1);
  if (current && last !== undefined && /^\s+\S/.test(line))
    current[current.length - 1] = `${last} ${line.trim()}`.trim();
}
