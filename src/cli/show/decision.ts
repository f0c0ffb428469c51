/** A question as a person reads it. */

import type { Choice } from '../../runtime/surroundings.ts';
import type { Style } from './screen.ts';
import { plainLine, plainText } from './text.ts';

/** The answer that only asks to see the files: whoever shows the question answers it by showing them. */
export const viewAnswer = 'view';

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
