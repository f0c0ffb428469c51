/** What all readers of a person's words share: how words are made comparable, and what makes a yes less than a yes. */

export interface Unclear {
  readonly kind: 'unclear';
  /** What to say to the person. */
  readonly why: string;
}

/** The person does not decide now, or not at all. */
export interface PutOff {
  readonly kind: 'defer' | 'cancel';
  readonly reason: string;
}

export function unclear(why: string): Unclear {
  return { kind: 'unclear', why };
}

/** Lower case, one kind of quotes, blanks and hyphens, no quotes around it, no full stop or exclamation mark behind it. */
export function plain(words: string): string {
  return words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’‛`´]/g, "'")
    .replaceAll(/[‐‑‒–—]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replace(/[\s.!]+$/, '')
    .trim();
}

/** As `plain`, hyphens and underscores taken for blanks and politeness left out. */
export function bare(words: string): string {
  return plain(words)
    .replaceAll(/[-_]+/g, ' ')
    .replaceAll(/\b(?:please|thanks|thank you)\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s,]+|[\s,]+$/g, '');
}

/** Words of a person who says yes with a condition, a doubt or a wish; also in languages we cannot read otherwise. */
const RESERVATION = new RegExp(
  String.raw`[?]|n't\b|(?<![\p{L}\p{N}])(?:${[
    'not|no|nope|nah|never|none|nothing|neither|nor|without|cannot|cant|dont|doesnt|isnt|wont|reject(?:ed)?|den(?:y|ied)|refuse[ds]?',
    'but|except|unless|however|although|though|yet|still|instead|otherwise|rather|only|almost|nearly|partly|partially|mostly',
    'if|once|when|after|until|till|before|provided|assuming|condition(?:al(?:ly)?|s)?|subject to|pending|depending|as long as',
    'wait|hold|later|tomorrow|maybe|perhaps|unsure|doubt|concerns?|worr(?:y|ied)|problem|issues?|wrong|missing|disapproved?|unapproved?',
    'changes?|changed|fix(?:es|ed)?|revise[ds]?|rework|remove|add|rename|replace|should|must|needs?|would|could|want|wish',
    'nicht|nein|kein\\w*|aber|ohne|wenn|erst|noch|pero|sin|si|nunca|mais|pas|non|sans|sauf|jamais|ma|se|mas|não|men|ikke|inte|нет|не|но',
  ].join('|')})(?![\p{L}\p{N}])`,
  'iu',
);

export function hasReservation(words: string): boolean {
  return RESERVATION.test(plain(words));
}

/** Only an explicit word, alone or with its reason, puts a decision off. */
export function readPutOff(words: string): PutOff | undefined {
  const [, verb, rest = ''] = PUT_OFF.exec(plain(words)) ?? [];
  if (verb === undefined) return undefined;
  const kind = /^(?:cancel|abort)/.test(verb) ? 'cancel' : 'defer';
  const reason = asTyped(rest.replace(/^[\s:,-]+/, '').trim(), words);
  return { kind, reason: reason === '' ? `the person chose to ${kind}` : reason };
}

/** Comparing takes words in lower case; what goes on record is what the person typed. */
function asTyped(text: string, words: string): string {
  const at = words.toLowerCase().lastIndexOf(text);
  return at === -1 ? text : words.slice(at, at + text.length);
}

const PUT_OFF =
  /^(defer(?:red)?|postponed?|not now|later|decide later|ask me later|cancel(?:led|ed)?|abort(?:ed)?)((?:\s*[:,]|\s+-|\s+(?:because|until|till|for now|this|it|the (?:decision|session|run)))(?:[\s:,-].*)?|)$/s;
