/** What a person's words come to at each kind of question. Only canonical values come out; what is not clear is asked again. */

import { bare, hasReservation, plain, readPutOff, unclear, type PutOff, type Unclear } from './spoken.ts';

export { correctingRoles, readApproval, suggestRole, type CorrectingRole } from './approval-answer.ts';
export type { PutOff, Unclear } from './spoken.ts';

export type Strategy = 'per-batch' | 'single-final';

export function readStrategy(words: string): Strategy | PutOff | Unclear {
  const text = bare(withoutReason(words))
    .replace(
      /^(?:i (?:choose|want|prefer|pick|take)|let's (?:do|use|go with)|use|take|choose|go with|go for|do|review)\s+/,
      '',
    )
    .replace(/^(?:the|a|one)\s+/, '')
    .replace(/(?:\s+(?:strategy|reviews?|mode|pass))+$/, '');
  const chosen = STRATEGIES.get(text);
  return (
    chosen ??
    readPutOff(words) ??
    unclear('Answer "per-batch" (a review after each task) or "single-final" (one at the end).')
  );
}

const STRATEGIES = meanings({
  'per-batch':
    'per batch|batch|batches|by batch|in batches|per task|by task|task by task|each task|every task|after each task|after every task|for each task|each batch|every batch|after each batch|after every batch|one by one',
  'single-final':
    'single final|single|final|final only|final one|once|only once|once at the end|only at the end|just at the end|just once|at the end|in the end|end|single at the end|final at the end|all at once|all at the end',
});

export type FindingAnswer = 'fix-now' | 'fix-later' | 'accept';

export function readFindingAnswer(words: string): FindingAnswer | Unclear {
  const text = bare(withoutReason(words)).replace(/^(?:i|we|let's|just)\s+/, '');
  return FINDING_ANSWERS.get(text) ?? unclear('Answer "fix-now", "fix-later" or "accept".');
}

const FINDING_ANSWERS = meanings({
  'fix-now':
    'fix now|fix|fix it|fix it now|fix this|fix this now|now|fix them|fix them now|fix immediately|yes fix it|repair now|fix all',
  'fix-later': 'fix later|later|fix it later|fix this later|fix them later|defer|postpone|backlog|known issue|track it',
  accept:
    "accept|accepted|accept it|accept this|accept risk|accept the risk|accept it as is|accept as is|ignore|ignore it|leave it|won't fix|wont fix|wontfix|as is|risk accepted",
});

export type RepairAnswer =
  | { readonly kind: 'different-approach' | 'accept' | 'simplify'; readonly text: string }
  | { readonly kind: 'guidance'; readonly text: string }
  | Unclear;

/** Free text counts as guidance: whoever takes the trouble to explain wants it to be followed. */
export function readRepairAnswer(words: string): RepairAnswer {
  const text = words.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) {
    return unclear(
      'Answer "different approach", "accept with known issues", "simplify scope" or "guidance: <what to do>".',
    );
  }
  const [, head = '', rest = ''] = /^([^:]*?)\s*(?::\s*(.*))?$/s.exec(text) ?? [];
  const kind = REPAIR_ANSWERS.get(bare(head));
  if (kind === 'guidance') {
    return rest.trim() === ''
      ? unclear('What is the guidance? Say "guidance: <what to do>".')
      : { kind, text: rest.trim() };
  }
  return kind === undefined ? { kind: 'guidance', text } : { kind, text: rest.trim() };
}

const REPAIR_ANSWERS = meanings({
  'different-approach':
    'different approach|a different approach|try a different approach|try another approach|another approach|try again|try something else|retry',
  accept: 'accept with known issues|accept|accept it|accept as is|accept known issues|known issues|move on|leave it',
  simplify: 'simplify scope|simplify|simplify the scope|simplify it|reduce scope|reduce the scope|smaller scope',
  guidance: 'guidance|guide|hint|instructions|my guidance',
});

/** Which of the notes are to be fixed: `none`, `all`, `all but N2`, or their ids. */
export function readNotesAnswer(words: string, ids: readonly string[]): { readonly fix: readonly string[] } | Unclear {
  const text = plain(words).replace(/^(?:please )?fix\s+/, '');
  if (/^(?:none(?: of them)?|no|nothing|no notes|skip|ignore(?: all)?)$/.test(text)) return { fix: [] };
  if (/^(?:all(?: of them| notes)?|everything|every one|yes, all)$/.test(text)) return { fix: [...ids] };
  const [, but] = /^(?:all|everything) (?:but|except|without)(?: for)? (.+)$/.exec(text) ?? [];
  const named = (but ?? text).split(/[\s,;&+]+|\band\b/).filter((word) => word !== '');
  const found = named.map((word) => noteId(word, ids));
  const unknown = named.filter((_, index) => found[index] === undefined);
  if (named.length === 0 || unknown.length > 0) {
    const what = unknown.length === 0 ? 'Nothing was said' : `${unknown.join(', ')} is no note`;
    return unclear(`${what}; answer "none", "all", or ids of ${ids.join(', ')}.`);
  }
  return { fix: ids.filter((id) => found.includes(id) === (but === undefined)) };
}

/** By id in any case, or by its number where only one note has it. */
function noteId(word: string, ids: readonly string[]): string | undefined {
  const exact = ids.find((id) => id.toLowerCase() === word);
  if (exact !== undefined) return exact;
  const numbered = /^#?\d+$/.test(word) ? ids.filter((id) => /\d+$/.exec(id)?.[0] === word.replace('#', '')) : [];
  return numbered.length === 1 ? numbered[0] : undefined;
}

export type ManualAnswer =
  | { readonly kind: 'met'; readonly evidence: string }
  | { readonly kind: 'not-met'; readonly why: string }
  | { readonly kind: 'waived'; readonly reason: string }
  | Unclear;

export function readManualAnswer(words: string): ManualAnswer {
  const [, head = '', rest = ''] = /^([^:]*?)\s*(?::\s*(.*))?$/s.exec(words.trim()) ?? [];
  const kind = MANUAL_ANSWERS.get(bare(head));
  const told = rest.trim();
  if (kind === 'not-met' && told !== '') return { kind, why: told };
  if (kind === 'waived' && told !== '') return { kind, reason: told };
  if (kind === 'met' && !hasReservation(told)) return { kind, evidence: told };
  if (kind === 'waived') return unclear('Why is it waived? Say "waive: <reason>".');
  if (kind === 'not-met') return unclear('What is not as it should be? Say "not met: <why>".');
  return unclear('Answer "met", "not met: <why>" or "waive: <reason>".');
}

const MANUAL_ANSWERS = meanings({
  met: "met|it is met|it's met|yes|yep|ok|okay|passed|pass|passes|works|it works|checked|verified|confirmed|fulfilled",
  'not-met': "not met|unmet|no|failed|fails|fail|does not work|doesn't work|not ok|broken|not fulfilled|is not met",
  waived: 'waive|waived|waive it|i waive it|skip|skip it',
});

export type LeanAnswer = 'lean' | 'full';

export function readLeanAnswer(words: string): LeanAnswer | Unclear {
  const text = bare(words)
    .replace(/^(?:yes,? |use |go |go with |do |take |make it )+/, '')
    .replace(/^(?:the|a) /, '')
    .replace(/ (?:mode|session|workflow|way|process|run)$/, '');
  if (text === 'lean' || text === 'full') return text;
  return unclear('Answer "lean" (one task, no design) or "full" (all phases).');
}

/** `accept: it cannot be reached` is `accept`; the reason is on record with the words. */
function withoutReason(words: string): string {
  return words.replace(/:[^]*$/, '');
}

/** From `{ meaning: 'one|another' }` to each spelling with its meaning. */
function meanings<M extends string>(spellings: Readonly<Record<M, string>>): ReadonlyMap<string, M> {
  const table = new Map<string, M>();
  for (const meaning in spellings) for (const word of spellings[meaning].split('|')) table.set(word, meaning);
  return table;
}
