/** The words of a text that a name can be made of: lower-case ASCII letters and digits, without words that say little. */

export function significantWords(text: string): readonly string[] {
  return (asciiFolded(text).match(/[a-z0-9]+/g) ?? []).filter((word) => !STOP_WORDS.has(word));
}

const STOP_WORDS = new Set(
  (
    'a an the and or but of to in on at by for with from into onto as is are was were be been it its this that these ' +
    'those there then than so such i we you he she they me us my our your their his her please can could should would ' +
    'will shall may might must want wants need needs like let lets make makes just some any all also which who what ' +
    'when where how do does not if'
  ).split(' '),
);

/** Letters that Unicode does not take apart into a base and an accent. */
const letters = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th' }));

function asciiFolded(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}|['’]/gu, '')
    .replaceAll(/[^a-z0-9]/g, (letter) => letters.get(letter) ?? letter);
}
