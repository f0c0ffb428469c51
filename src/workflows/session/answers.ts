/**
 * What a person's words come to at each kind of question. Only canonical values come out; the rest is asked again.
 *
 * A1. Only `approved`, alone or with a note, comes out as an approval.
 * A2. Words with a negation, a condition or a wish are never an approval.
 */

import { withoutEnd } from '../../schema/values.ts';

type Unclear = { readonly unclear: string };
/** The person does not decide now, or not at all. */
type PutOff = { readonly putOff: string };

/** Lower case, one kind of quotes, blanks and hyphens, no quotes around it, no full stop or exclamation mark behind it. */
function plain(words: string): string {
  const said = words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’‛`´]/g, "'")
    .replaceAll(/[‐‑‒–—]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2');
  return withoutEnd(said, /[\s.!]/).trim();
}

/** `<word>` or `<word>: <text>`, each word with its other spellings; hyphens and underscores are blanks. */
function readWord<W extends string>(
  words: string,
  spellings: Readonly<Record<W, string>>,
): { readonly word: W; readonly text: string } | undefined {
  const [, head = '', text = ''] = /^([^:]*)(?::(.*))?$/s.exec(words) ?? [];
  const said = plain(head).replaceAll(/[-_]+/g, ' ');
  for (const word in spellings) if (spellings[word].split('|').includes(said)) return { word, text: text.trim() };
  return undefined;
}

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export type Strategy = 'per-batch' | 'single-final';

export function readStrategy(words: string): Chosen<Strategy> | PutOff | Unclear {
  return readPutOff(words) ?? readChosenStrategy(words);
}

const readChosenStrategy = choice(
  {
    'per-batch': 'per batch|per task|each task|after each task|task by task',
    'single-final': 'single final|single final review|final|at the end|once at the end',
  },
  'Answer "per-batch" (a review after each task) or "single-final" (one at the end).',
);

function choice<W extends string>(spellings: Readonly<Record<W, string>>, unclear: string) {
  return (words: string): Chosen<W> | Unclear => {
    const { word, text = '' } = readWord(words, spellings) ?? {};
    return word === undefined ? { unclear } : { answer: word, ...reasonOf(text) };
  };
}

/** One of the answers, and what was said for it. */
type Chosen<W extends string> = { readonly answer: W; readonly reason?: string };

const reasonOf = (text: string): { readonly reason?: string } => (hasWords(text) ? { reason: text } : {});

const findingWords = {
  'fix-now': 'fix now|fix',
  'fix-later': 'fix later|later|defer|postpone',
  accept: 'accept|accepted',
};

/** With the reason, where one was given. */
export function readFinding(
  words: string,
): { readonly word: keyof typeof findingWords; readonly text: string } | Unclear {
  const read = readWord(words, findingWords);
  return read ?? { unclear: 'Answer "fix-now", "fix-later" or "accept", each with ": <reason>" if you like.' };
}

export const readLean = choice(
  { lean: 'lean', full: 'full' },
  'Answer "lean" (one task, no design) or "full" (all phases).',
);

const readRun = choice(
  { run: 'run|run them|approve|approved|yes' },
  'Answer "run" to run exactly these commands, or "defer".',
);

/** Only a bare word approves: one with a reservation is asked again. */
export function readCommandsAnswer(words: string): Chosen<'run'> | PutOff | Unclear {
  const read = readPutOff(words) ?? readRun(words);
  return 'reason' in read ? { unclear: 'All of them run, or none: answer "run" or "defer".' } : read;
}

const repairs = {
  'different approach': 'different approach|another approach|try again',
  'accept with known issues': 'accept with known issues|accept',
  'simplify scope': 'simplify scope|simplify',
  guidance: 'guidance',
};

/** Free text counts as guidance: whoever takes the trouble to explain wants it to be followed. */
export function readRepair(
  words: string,
): { readonly word: keyof typeof repairs; readonly text: string } | PutOff | Unclear {
  const off = readWord(words, { stop: 'stop|stop here|give up|quit|block|blocked|b' });
  const putOff = readPutOff(words) ?? (off && { putOff: off.text === '' ? 'the person chose to stop' : off.text });
  if (putOff) return putOff;
  if (!hasWords(words)) return { unclear: `Answer "${Object.keys(repairs).join('", "')}: <what to do>".` };
  const read = readWord(words, repairs) ?? { word: 'guidance', text: words.trim() };
  return read.word === 'guidance' && read.text === ''
    ? { unclear: 'What is the guidance? Say "guidance: <what to do>".' }
    : read;
}

/** Which of so many notes are to be fixed: `none`, `all`, or ids such as `N2`; a bare number is a place in a list. */
export function readNotes(
  words: string,
  count: number,
): { readonly fix: readonly number[]; readonly reason?: string } | Unclear {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const { word, text = '' } = readWord(words, { none: 'none|no', all: 'all' }) ?? {};
  if (word) return { fix: word === 'all' ? all : [], ...reasonOf(text) };
  const named = plain(words)
    .replace(/^fix\b:?/, '')
    .split(/[\s,;]+|\band\b/)
    .filter((word) => word !== '');
  const numbers = named.map((word) => Number(/^n(\d{1,6})$/.exec(word)?.[1]));
  const unknown = named.filter((_, index) => !all.includes(numbers[index] ?? 0));
  if (named.length > 0 && unknown.length === 0) return { fix: all.filter((number) => numbers.includes(number)) };
  const what = named.length === 0 ? 'Nothing was said' : `${unknown.join(', ')} is not a note`;
  return { unclear: `${what}; answer "none", "all", or ids of ${all.map((number) => `N${number}`).join(', ')}.` };
}

type Verdict = { readonly status: 'met' | 'unmet' | 'waived'; readonly words: string };

export function readCriterion(words: string): Verdict | Unclear {
  const { word, text = '' } = readWord(words, { met: 'met|yes', unmet: 'not met|no', waived: 'waive|waived' }) ?? {};
  if (word && (word === 'met' ? !hasReservation(text) : text !== '')) return { status: word, words: text };
  const unclear = {
    met: 'Answer "met", "not met: <why>" or "waive: <reason>".',
    waived: 'Why is it waived? Say "waive: <reason>".',
    unmet: 'What is not as it should be? Say "not met: <why>".',
  };
  return { unclear: unclear[word ?? 'met'] };
}

/** Only an explicit word, alone or with its reason, puts a decision off. */
export function readPutOff(words: string): PutOff | undefined {
  const read = readWord(words, { defer: 'defer|deferred|later|not now', cancel: 'cancel|cancelled|abort' });
  return read && { putOff: read.text === '' ? `the person chose to ${read.word}` : read.text };
}

export const correctingRoles = ['SpecAgent', 'Architect', 'Designer'] as const;
/** What each corrects, as signals and states name it. */
export const correctedBy = { Designer: 'ui', Architect: 'architecture', SpecAgent: 'spec' } as const;
export type CorrectingRole = (typeof correctingRoles)[number];

export type Changes = { readonly changes: string; readonly role?: CorrectingRole };
export type Approval = { readonly approved: string } | Changes | PutOff | Unclear;

const hint = 'answer "approved" to approve, or "changes-requested: <what to change>".';

export function readApproval(words: string): Approval {
  const changes = /^\s*changes?[\s_-]*requested(?:\s*\(([^)]*)\))?\s*(?::\s*(.*))?$/is.exec(words);
  if (changes) return readChanges(changes[1], changes[2]?.trim() ?? '');
  const off = readPutOff(words);
  if (off) return off;
  if (isRequest(words)) return { changes: words.trim() };
  if (hasReservation(words)) return { unclear: `Not counted as an approval: it contains a condition; ${hint}` };
  const parts = plain(words)
    .split(/[,.;:!]| and | - /)
    .map((part) => part.replaceAll(/\b(?:please|thanks|thank you|to me)\b/g, '').trim())
    .filter((part) => part !== '');
  if (parts.length > 0 && parts.every((part) => yes.has(part))) return { approved: 'approved' };
  const [, note] = /^approved(?:\s*:|\s)[\s:-]*(.+)$/is.exec(words.trim()) ?? [];
  return note === undefined ? { unclear: `This is not understood; ${hint}` } : { approved: `approved: ${note.trim()}` };
}

const yes = new Set(
  (
    'approved|approve|i approve|i approve the design|looks good|lgtm|go ahead|' +
    'yes|ok|okay|fine|good|great|sounds good|ship it|👍'
  ).split('|'),
);

/** Says what is to be changed, and nothing that could be a yes. The person confirms it by naming who corrects it. */
function isRequest(words: string): boolean {
  const said = plain(words).replace(/^(?:no|please|and|also)\b[\s,:;.-]*/, '');
  const [first = ''] = said.split(/[\s,:;.]/);
  return request.test(said) && said.includes(' ') && !yes.has(first) && !/\bapproved?\b/.test(said);
}

const request =
  /^(?:fix|change|correct|revise|rework|rename|replace|remove|drop|add|split|merge|move|use|make|simplify)\b|\bi(?: still)? have (?:a |some |serious )?(?:concern|doubt|reservation|problem)s?\b/;

function readChanges(named: string | undefined, changes: string): Approval {
  const role = correctingRoles.find((each) => each.toLowerCase() === named?.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (!hasWords(changes)) return { unclear: 'What is to be changed? Say "changes-requested: <summary>".' };
  if (named !== undefined && !role)
    return { unclear: `"${named}" is not a correcting role; name one of ${correctingRoles.join(', ')}.` };
  return { changes, ...(role && { role }) };
}

/** Whom a summary most likely concerns, in the order in which equals win; the person confirms it. */
export function suggestRole(summary: string): CorrectingRole {
  const hits = correctingRoles.map((role) => [role, summary.match(concerns[role])?.length ?? 0] as const);
  return hits.reduce((best, each) => (each[1] > best[1] ? each : best), ['Architect', 0] as const)[0];
}

const concerns: Readonly<Record<CorrectingRole, RegExp>> = {
  Designer: /\b(?:ui|ux|layouts?|screens?|buttons?|pages?|colou?rs?|fonts?|menus?|forms?|mobile|accessib\w+)\b/gi,
  Architect: /\b(?:modules?|architectur\w+|data|adrs?|interfaces?|components?|schemas?|apis?|services?|storage)\b/gi,
  SpecAgent: /\b(?:scope|criteri\w+|requirements?|goals?|specs?|specification|assumptions?|features?)\b/gi,
};

/** Words of a person who says yes with a condition, a doubt or a wish; also in languages we cannot read otherwise. */
const reservation = new RegExp(
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

const hasReservation = (words: string): boolean => reservation.test(plain(words));
