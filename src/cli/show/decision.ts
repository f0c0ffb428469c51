/** A question as a person reads it. */

import type { PendingDecision } from '../../runtime/answering.ts';
import type { Question, QuestionPart } from '../../workflows/workflow.ts';
import type { Style } from './screen.ts';
import { aligned, plainLine, plainText, widthOf, wrapped } from './text.ts';

/** The answer that only asks to see the files: the terminal answers it by showing them. */
export const viewAnswer = 'view';

type ShownQuestion = Pick<Question, 'title' | 'detail' | 'paths' | 'answers' | 'freeText'>;

/** The question and, for each answer, the command that gives it. */
export function decisionLines(
  run: string,
  { id, question, options }: Pick<PendingDecision, 'id' | 'options'> & { readonly question: ShownQuestion },
  style: Style,
): string[] {
  if (question.freeText) return [...questionLines(question, style), ...partLines(run, question, style)];
  const answers = options.filter((answer) => answer !== viewAnswer || question.paths.length === 0);
  const rows = answers.map((answer) => [
    style.cyan(`pawl answer ${run} ${id} ${answer}`),
    question.answers[answer] ?? '',
  ]);
  return [...questionLines(question, style), ...aligned(rows, '  ')];
}

function partLines(run: string, { title, freeText }: ShownQuestion, style: Style): string[] {
  const parts = freeText?.parts ?? [];
  return parts.flatMap((part) => [
    ...(part.text === title
      ? []
      : ['', ...wrapped(plainLine(part.text), columnsMax).map((line) => `  ${style.bold(line)}`)]),
    ...answerLines(run, part, style).map((line) => `  ${line}`),
  ]);
}

const columnsMax = 78;

/** A command for each answer; where those would not fit beside what they mean, one command for all of them. */
function answerLines(run: string, part: QuestionPart, style: Style): string[] {
  const lines = aligned(partRows(run, part, style));
  if (lines.every((line) => widthOf(line) <= columnsMax)) return lines;
  const answers = Object.entries(part.answers).map(([answer, meaning]) => [plainLine(answer), plainLine(meaning)]);
  const command = style.cyan(`pawl answer ${run} ${part.id} "<answer>"`);
  return [command, ...aligned([...answers, ['or your own words']]).map((line) => `  ${line}`)];
}

/** The last command stands for all words that are not suggested. */
function partRows(run: string, { id, answers }: QuestionPart, style: Style): string[][] {
  const command = (words: string): string => style.cyan(`pawl answer ${run} ${id} ${words}`);
  const likely = Object.entries(answers).map(([answer, meaning]) => [command(quoted(answer)), plainLine(meaning)]);
  return [...likely, [command('"<answer>"'), likely.length > 0 ? 'in your own words' : '']];
}

function quoted(answer: string): string {
  return `"${plainLine(answer).replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

export function questionLines(
  { title, detail, paths }: Pick<Question, 'title' | 'detail' | 'paths'>,
  style: Style,
): string[] {
  const text = plainText(detail);
  return [
    `${style.yellow('?')} ${style.bold(plainLine(title))}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `  ${line}`.trimEnd())),
    ...paths.map((path, index) => `  ${index === 0 ? 'read' : '    '}  ${style.cyan(plainLine(path))}`),
  ];
}
