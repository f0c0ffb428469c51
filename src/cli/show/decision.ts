/** A question as a person reads it. */

import type { Choice } from '../../runtime/surroundings.ts';
import type { Style } from './screen.ts';
import { plainLine, plainText } from './text.ts';

/** The answer that only asks to see the files: whoever shows the question answers it by showing them. */
export const viewAnswer = 'view';

/** A question in a document: only the answers that are open just now. */
export interface DocumentedDecision {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Answer → what it means. */
  readonly answers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

export function shownDecision({
  id,
  question,
  options,
}: {
  readonly id: string;
  readonly question: Choice;
  readonly options: readonly string[];
}): DocumentedDecision {
  const { title, detail, paths, answers } = question;
  return {
    id,
    title,
    detail,
    answers: Object.fromEntries(options.map((name) => [name, answers[name] ?? name])),
    paths,
  };
}

/** Title, detail and the files worth reading. */
export function questionLines(
  { title, detail, paths }: Pick<Choice, 'title' | 'detail' | 'paths'>,
  style: Style,
): string[] {
  const text = plainText(detail);
  return [
    `${style.yellow('?')} ${style.bold(plainLine(title))}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `  ${line}`.trimEnd())),
    ...paths.map((path, index) => `  ${index === 0 ? 'read' : '    '}  ${style.cyan(plainLine(path))}`),
  ];
}
