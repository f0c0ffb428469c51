import { idExpectation, isId } from '../../workflows/change/paths.ts';
import { Problem } from '../problem.ts';

const shownCharsMax = 80;

/** The id a person typed, refused before any path is built from it. */
export function changeId(word: string): string {
  if (isId(word)) return word;
  const shown = JSON.stringify(word.length > shownCharsMax ? `${word.slice(0, shownCharsMax)}…` : word);
  throw new Problem('invalid_id', `${shown} cannot name a change`, { fix: `use ${idExpectation}, such as add-login` });
}
