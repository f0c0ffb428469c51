/** A question as a person reads it. */

import { deciding } from '../../runtime/answer-meant.ts';
import type { PendingDecision } from '../../runtime/answering.ts';
import type { Question, QuestionPart } from '../../workflows/workflow.ts';
import { screenOf, type Style } from './screen.ts';
import { aligned, alignedWithin, plainLine, plainText, widthOf, wrapped } from './text.ts';

type ShownQuestion = Pick<Question, 'title' | 'detail' | 'paths' | 'answers' | 'freeText'>;

/** The question and, for each answer, the command that gives it. */
export function decisionLines(
  run: string,
  { id, question, options }: Pick<PendingDecision, 'id' | 'options'> & { readonly question: ShownQuestion },
  style: Style,
  columns = screenOf(process.stdout).columns(),
): string[] {
  const asked = questionLines(question, style, columns);
  if (question.freeText) return [...asked, ...partLines(run, question, { style, columns })];
  const rows = deciding(options, question).map((answer) => [
    style.cyan(`pawl answer ${run} ${id} ${answer}`),
    question.answers[answer] ?? '',
  ]);
  return [...asked, ...alignedWithin(rows, columns, '  ')];
}

interface Paper {
  readonly style: Style;
  readonly columns: number;
}

function partLines(run: string, { title, freeText }: ShownQuestion, paper: Paper): string[] {
  const { style, columns } = paper;
  const { parts = [], ownWords = false } = freeText ?? {};
  return parts.flatMap((part) => [
    ...(part.text === title
      ? []
      : ['', ...wrapped(`  ${plainLine(part.text)}`, columns).map((line) => style.bold(line))]),
    ...answerLines(run, part, ownWords, paper),
  ]);
}

const columnsMax = 80;

/** A command for each answer; where those would not fit beside what they mean, one command for all of them. */
function answerLines(run: string, part: QuestionPart, ownWords: boolean, { style, columns }: Paper): string[] {
  const lines = aligned(partRows(run, part, ownWords, style), '  ');
  if (lines.every((line) => widthOf(line) <= Math.min(columns, columnsMax))) return lines;
  const answers = Object.entries(part.answers).map(([answer, meaning], index) => [
    String(index + 1),
    plainLine(answer),
    plainLine(meaning),
  ]);
  const command = `  ${style.cyan(`pawl answer ${run} ${part.id} "<answer>"`)}`;
  return [command, ...alignedWithin(answers, columns, '    '), ...(ownWords ? ['    or your own words'] : [])];
}

/** The last command stands for all words that are not suggested. */
function partRows(run: string, { id, answers }: QuestionPart, ownWords: boolean, style: Style): string[][] {
  const command = (words: string): string => style.cyan(`pawl answer ${run} ${id} ${words}`);
  const likely = Object.entries(answers).map(([answer, meaning]) => [command(quoted(answer)), plainLine(meaning)]);
  if (likely.length === 0) return [[command('"<answer>"')]];
  return [...likely, ...(ownWords ? [[command('"<answer>"'), 'in your own words']] : [])];
}

function quoted(answer: string): string {
  return `"${plainLine(answer).replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

export function questionLines(
  { title, detail, paths }: Pick<Question, 'title' | 'detail' | 'paths'>,
  style: Style,
  columns = screenOf(process.stdout).columns(),
): string[] {
  const text = plainText(detail);
  const [first = '', ...rest] = wrapped(plainLine(title), columns - 2);
  return [
    `${style.yellow('?')} ${style.bold(first)}`,
    ...rest.map((line) => `  ${style.bold(line)}`),
    ...(text === '' ? [] : text.split('\n').flatMap((line) => wrapped(`  ${line}`.trimEnd(), columns))),
    ...paths.map((path, index) => `  ${index === 0 ? 'read' : '    '}  ${style.cyan(plainLine(path))}`),
  ];
}
