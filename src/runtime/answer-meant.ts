/**
 * What words mean where answers are listed: the same at the terminal, with `pawl answer` and in an answers file.
 *
 * M1. A word of the list means itself. A number that is no word of the list means the answer in that place.
 * M2. A number beyond the list means nothing, unless own words are taken and the list has numbers too.
 * M3. A number with words behind a colon means the answer in that place, with these words as its reason.
 */

import { findWord } from '../schema/values.ts';

/** The answer that only asks to see the files: the terminal answers it by showing them. */
export const viewAnswer = 'view';

/** Answers that decide something. */
export function deciding(answers: readonly string[], { paths }: { readonly paths: readonly string[] }): string[] {
  return answers.filter((answer) => answer !== viewAnswer || paths.length === 0);
}

const isNumber = (words: string): boolean => /^\d+$/.test(words);

/** M1. */
export function listedAnswer(words: string, answers: readonly string[]): string | undefined {
  const word = words.trim();
  return findWord(word, answers) ?? (isNumber(word) ? answers[Number(word) - 1] : undefined);
}

/** For fixed answers; the beginning of just one of them will do. */
export function fixedAnswer(words: string, answers: readonly string[]): string | { readonly problem: string } {
  const word = words.trim().replaceAll(/\s+/g, ' ');
  if (word === '') return { problem: 'Nothing was typed; the answers are' };
  const listed = listedAnswer(word, answers);
  if (listed !== undefined) return listed;
  const start = word.toLowerCase().replaceAll(/[\s-]+/g, '_');
  const [first, ...others] = answers.filter((answer) => answer.toLowerCase().startsWith(start));
  if (first === undefined) return { problem: `"${word}" is none of the answers` };
  return others.length === 0 ? first : { problem: `"${word}" could mean more than one of the answers` };
}

/** The text before and after what is still to be filled in; null where nothing is. */
export function openEnd(answer: string): { readonly before: string; readonly after: string } | null {
  const [, before, after] = /^(.*?)<[^<>]+>(.*)$/.exec(answer) ?? [];
  return before === undefined || after === undefined ? null : { before, after };
}

/** M2, M3. */
export function freeAnswer(
  words: string,
  answers: readonly string[],
  ownWords: boolean,
): { readonly words: string } | { readonly unclear: string } {
  const listed = listedAnswer(words, answers);
  if (listed !== undefined)
    return openEnd(listed) ? { unclear: `"${words.trim()}" needs more words: "${listed}".` } : { words: listed };
  const [, number, reason] = /^(\d+)(?:\s*:\s*(.*))?$/s.exec(words.trim()) ?? [];
  const isOwn = ownWords && answers.some((answer) => /\d/.test(answer));
  if (number === undefined || answers.length === 0 || isOwn) return { words };
  const meant = answers[Number(number) - 1];
  if (meant === undefined || !reason)
    return { unclear: `There is no answer ${number}; the answers are 1 to ${answers.length}.` };
  const { before, after } = openEnd(meant) ?? { before: `${meant}: `, after: '' };
  return { words: `${before}${reason}${after}` };
}
