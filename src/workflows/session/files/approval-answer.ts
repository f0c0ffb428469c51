/**
 * Reads what a person says at APPROVE_DESIGN.
 *
 * A1. Only `approved`, alone or with a note, comes out as an approval.
 * A2. Words with a negation, a condition or a wish are never an approval.
 */

import { hasReservation, plain, readPutOff, unclear, type PutOff, type Unclear } from './spoken.ts';

export const correctingRoles = ['SpecAgent', 'Architect', 'Designer'] as const;
export type CorrectingRole = (typeof correctingRoles)[number];

export type Approval =
  | { readonly kind: 'approved'; readonly canonical: string }
  | { readonly kind: 'changes'; readonly summary: string; readonly role?: CorrectingRole }
  | PutOff
  | Unclear;

export function readApproval(words: string): Approval {
  const text = plain(words);
  if (text === '') return unclear('Nothing was said; answer "approved" or "changes-requested: <what to change>".');
  return readChanges(words) ?? readPutOff(words) ?? readYes(words, text);
}

/** Whom a summary most likely concerns; the person confirms it. */
export function suggestRole(summary: string): CorrectingRole {
  const scores = ROLE_WORDS.map(([role, words]) => ({ role, hits: summary.match(words)?.length ?? 0 }));
  const best = scores.reduce((a, b) => (b.hits > a.hits ? b : a));
  return best.hits === 0 ? 'Architect' : best.role;
}

/** In the order in which equals win. */
const ROLE_WORDS: readonly (readonly [CorrectingRole, RegExp])[] = [
  [
    'Designer',
    /\b(?:ui|ux|layouts?|screens?|buttons?|pages?|colou?rs?|fonts?|icons?|menus?|dialogs?|forms?|breakpoints?|mobile|responsive|accessib\w+|wireframes?|spacing|visual\w*)\b/gi,
  ],
  [
    'Architect',
    /\b(?:modules?|architectur\w+|data|adrs?|interfaces?|components?|databases?|schemas?|apis?|caches?|queues?|services?|storage|dependenc\w+|librar\w+|frameworks?|performance|scal\w+)\b/gi,
  ],
  [
    'SpecAgent',
    /\b(?:scope|criteri\w+|requirements?|goals?|specs?|specification|assumptions?|out of scope|non-goals?|user stor\w+|features?)\b/gi,
  ],
];

const CHANGES_WORDS = /^(?:changes?[\s_-]*requested|requests?[\s_-]+changes?|changes?[\s_-]+needed)(?![\w-])/i;
/** `(Architect): summary`, with or without the role. */
const ROLE_AND_SUMMARY = /^\s*(?:[([]([^)\]]*)[)\]])?\s*(?:[:\n]|-\s)\s*(.*)$/s;
const NO_SUMMARY = 'What is to be changed? Say "changes-requested: <summary>".';

function readChanges(words: string): Approval | undefined {
  const text = words.trim().replace(/^(["'])(.*)\1$/s, '$2');
  const start = CHANGES_WORDS.exec(text);
  if (!start) return undefined;
  const [, named, told = ''] = ROLE_AND_SUMMARY.exec(text.slice(start[0].length)) ?? [];
  const { role = roleOf(named), summary } = takeRole(told);
  if (!/[\p{L}\p{N}]/u.test(summary)) return unclear(NO_SUMMARY);
  if (named !== undefined && role === undefined) {
    return unclear(`${JSON.stringify(named)} corrects no design; name one of ${correctingRoles.join(', ')}.`);
  }
  return { kind: 'changes', summary, ...(role && { role }) };
}

/** `[Architect] summary` or `summary (Architect)`; brackets with anything else in them belong to the summary. */
function takeRole(told: string): { readonly role?: CorrectingRole; readonly summary: string } {
  for (const pattern of [/^\[([^\]]*)\]\s*:?/, /[([]([^([\])]*)[)\]]$/]) {
    const role = roleOf(pattern.exec(told.trim())?.[1]);
    if (role) return { role, summary: told.trim().replace(pattern, '').trim() };
  }
  return { summary: told.trim() };
}

function roleOf(word: string | undefined): CorrectingRole | undefined {
  const folded = word
    ?.toLowerCase()
    .replace(/^\s*(?:for|by|to)\s+/, '')
    .replaceAll(/[^a-z]/g, '');
  return correctingRoles.find((role) => role.toLowerCase() === folded || (role === 'SpecAgent' && folded === 'spec'));
}

const HINT = 'answer "approved" to approve, or "changes-requested: <what to change>".';

function readYes(words: string, text: string): Approval {
  if (hasReservation(words)) return unclear(`This is not taken as an approval, for it has a reservation; ${HINT}`);
  const parts = text.split(/[,.;:!]| and | - /).map(withoutFillers);
  if (parts.some((part) => YES.has(part)) && parts.every((part) => YES.has(part) || POLITE.has(part))) {
    return { kind: 'approved', canonical: 'approved' };
  }
  const [, note] = /^approved(?:\s*:|\s)[\s:-]*(.+)$/is.exec(words.trim()) ?? [];
  return note === undefined
    ? unclear(`This is not understood; ${HINT}`)
    : { kind: 'approved', canonical: `approved: ${note.trim()}` };
}

const YES = new Set(
  [
    'approved|approve|i approve|approve it|approve this|approve the design|i approve the design|design approved|approved by me|accept|accepted|i accept|agreed|i agree|agree',
    'looks good|look good|looks great|looks fine|looks perfect|looking good|this looks good|that looks good|it looks good|all looks good|everything looks good|the design looks good|lgtm',
    'go ahead|please go ahead|go|go on|go for it|proceed|please proceed|continue|carry on|do it|ship it|good to go|start|lets go',
    "let's go|yes|yes please|yep|yeah|yup|sure|of course|absolutely|definitely|ok|okay|alright|all right|all good|👍",
    'good|great|fine|perfect|excellent|nice|awesome|wonderful|sounds good|sounds great|sounds fine|that works|works for me|fine by me|fine with me|good with me|happy with it|happy with this',
  ].flatMap((line) => line.split('|')),
);
/** Says nothing by itself, and takes nothing back. */
const POLITE = new Set(['', 'thanks', 'thank you', 'please', 'good job', 'nice work', 'great work', 'well done']);

function withoutFillers(part: string): string {
  return part
    .trim()
    .replace(/(?: (?:to me|then|please|with it|with this|now|overall))+$/, '')
    .replace(/^(?:please|so|and|it's|it is) /, '')
    .trim();
}
