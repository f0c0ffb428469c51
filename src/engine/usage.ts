/** Tokens and money that a dispatch consumed. Unknown is null, never zero. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

export const unknownUsage: Usage = { inputTokens: null, outputTokens: null, costUsd: null };
