/** Commands for people to paste: every word is one word to a shell, whatever it holds. */

export function shellLine(...words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
