/**
 * Asks the person at the terminal.
 *
 * A1. The terminal stays in its line mode: Ctrl-C reaches Pawl as a signal, and a killed Pawl leaves a sane terminal.
 * A2. Nothing is answered for a person who leaves (Ctrl-D), keeps mistyping, or is interrupted: the question stays open.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Choice, Person } from '../runtime/surroundings.ts';
import { questionLines, viewAnswer } from './show/decision.ts';
import type { Presenter } from './show/presenter.ts';
import { screenOf, type OutputStream, type Style } from './show/screen.ts';
import { aligned, plainLine, plainText } from './show/text.ts';

export interface TerminalPersonOptions {
  /** What the paths of a question are relative to; asked when files are to be shown. */
  readonly root?: () => string;
  /** Ctrl-C, or a request to pause: the question is left open. */
  readonly interrupted?: AbortSignal;
  readonly input?: Readable;
  readonly output?: OutputStream;
}

const mistakesMax = 5;
const fileLinesMax = 200;

export function terminalPerson(presenter: Presenter, options: TerminalPersonOptions = {}): Person {
  return {
    ask: async (choice, withdrawn) => {
      presenter.suspend();
      try {
        return await ask(choice, options, withdrawn);
      } finally {
        presenter.resume();
      }
    },
  };
}

function ask(choice: Choice, options: TerminalPersonOptions, withdrawn?: AbortSignal): Promise<string | null> {
  const { input = process.stdin, output = process.stderr, interrupted, root = () => process.cwd() } = options;
  if (withdrawn?.aborted || interrupted?.aborted) return Promise.resolve(null);
  const screen = screenOf(output);
  const { style } = screen;
  const write = (text: string): void => screen.write(text);
  const answers = Object.keys(choice.answers);
  const prompt = `${style.bold('Your answer')} ${style.dim(`(1-${answers.length} or a word; Ctrl-D leaves it open)`)}: `;
  let mistakes = 0;
  return new Promise((resolve) => {
    // Loaded late: most commands ask nothing.
    const lines = process.getBuiltinModule('node:readline').createInterface({ input, terminal: false });
    const end = (answer: string | null, last = ''): void => {
      withdrawn?.removeEventListener('abort', onWithdrawn);
      interrupted?.removeEventListener('abort', onInterrupted);
      lines.off('line', onLine);
      lines.off('close', onLeft);
      lines.close();
      write(last);
      resolve(answer);
    };
    const onWithdrawn = (): void => end(null, '\nThis was answered elsewhere.\n');
    const onInterrupted = (): void => end(null, '\n');
    const onLeft = (): void => end(null, '\n');
    const onLine = (line: string): void => {
      const answer = answerMeant(line, answers);
      if (typeof answer !== 'string') {
        mistakes += 1;
        if (mistakes >= mistakesMax) return end(null, `${answer.problem}. The question stays open.\n`);
        return write(`${answer.problem}: ${answers.join(', ')}\n${prompt}`);
      }
      if (answer !== viewAnswer || choice.paths.length === 0) return end(answer);
      write(`${filesText(choice.paths, root(), style)}\n${answerList(choice, style)}\n${prompt}`);
    };
    withdrawn?.addEventListener('abort', onWithdrawn);
    interrupted?.addEventListener('abort', onInterrupted);
    lines.on('close', onLeft);
    lines.on('line', onLine);
    write(`\n${questionLines(choice, style).join('\n')}\n\n${answerList(choice, style)}\n${prompt}`);
  });
}

function answerList({ answers }: Choice, style: Style): string {
  const rows = Object.entries(answers).map(([answer, meaning], index) => [
    style.bold(String(index + 1)),
    style.cyan(answer),
    plainLine(meaning),
  ]);
  return `${aligned(rows)
    .map((line) => `  ${line}`)
    .join('\n')}\n`;
}

/** A number, a word, or the beginning of just one word; spaces and dashes count as the underscore in it. */
export function answerMeant(line: string, answers: readonly string[]): string | { readonly problem: string } {
  const said = plainLine(line);
  const word = said.toLowerCase().replaceAll(/[\s-]+/g, '_');
  if (word === '') return { problem: 'Nothing was typed; the answers are' };
  const numbered = /^\d+$/.test(word) ? answers[Number(word) - 1] : undefined;
  if (numbered !== undefined) return numbered;
  const exact = answers.find((answer) => answer.toLowerCase() === word);
  if (exact !== undefined) return exact;
  const [first, ...others] = answers.filter((answer) => answer.toLowerCase().startsWith(word));
  if (first !== undefined && others.length === 0) return first;
  return {
    problem:
      first === undefined ? `"${said}" is none of the answers` : `"${said}" could mean more than one of the answers`,
  };
}

function filesText(paths: readonly string[], root: string, style: Style): string {
  const { rule, ellipsis } = style.symbols;
  const sections = paths.map((path) => {
    const lines = plainText(textOf(join(root, path))).split('\n');
    const rest = lines.length - fileLinesMax;
    const shown =
      rest > 0 ? [...lines.slice(0, fileLinesMax), style.dim(`${ellipsis} ${rest} more lines in ${path}`)] : lines;
    return [style.bold(`${rule} ${plainLine(path)} ${rule}`), ...shown, ''].join('\n');
  });
  return `\n${sections.join('\n')}`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return `(cannot be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}
