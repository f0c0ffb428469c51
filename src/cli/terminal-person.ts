/**
 * Asks the person at the terminal.
 *
 * A1. The terminal stays in its line mode: Ctrl-C reaches Pawl as a signal, and a killed Pawl leaves a sane terminal.
 * A2. Nothing is answered for a person who leaves (Ctrl-D), keeps mistyping, or is interrupted: the question stays open.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { findWord } from '../schema/values.ts';
import type { Choice, Person } from '../runtime/host.ts';
import { questionLines, viewAnswer } from './show/decision.ts';
import type { Presenter } from './show/presenter.ts';
import { screenOf, type OutputStream, type Style } from './show/screen.ts';
import { aligned, plainLine, plainText } from './show/text.ts';

export interface TerminalPersonOptions {
  /** Ctrl-C, or a request to pause: the question is left open. */
  readonly interrupted?: AbortSignal;
  readonly input?: Readable;
  readonly output?: OutputStream;
}

const mistakesMax = 5;
const fileLinesMax = 200;

export function terminalPerson(presenter: Presenter, options: TerminalPersonOptions = {}): Person {
  let last: Choice | null = null;
  return {
    ask: async (choice, withdrawn) => {
      presenter.suspend();
      try {
        const isKnown = last !== null && isGoingOn(last, choice);
        last = choice;
        return await ask(choice, { ...options, isKnown }, withdrawn);
      } finally {
        presenter.resume();
      }
    },
  };
}

/** Whether the question as a whole was just shown: it is when its next part is asked, or the same one once more. */
function isGoingOn(last: Choice, choice: Choice): boolean {
  const whole = ({ title, detail, paths }: Choice): string => JSON.stringify([title, detail, paths]);
  if (!choice.part || whole(last) !== whole(choice)) return false;
  return choice.problem !== undefined || choice.id !== last.id;
}

function ask(
  choice: Choice,
  options: TerminalPersonOptions & { readonly isKnown: boolean },
  withdrawn?: AbortSignal,
): Promise<string | null> {
  const { input = process.stdin, output = process.stderr, interrupted } = options;
  if (withdrawn?.aborted || interrupted?.aborted) return Promise.resolve(null);
  const screen = screenOf(output);
  const { style } = screen;
  const write = (text: string): void => screen.write(text);
  const manner = choice.freeText ? freeText(choice, style) : byWord(choice, style);
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
    const onWithdrawn = (): void => end(null, `\n${withdrawnWords(withdrawn)}\n`);
    const onInterrupted = (): void => end(null, '\n');
    const onLeft = (): void => end(null, '\n');
    const onLine = (line: string): void => {
      const meant = manner.hear(line);
      if (meant.kind === 'answer' && (meant.answer !== viewAnswer || choice.paths.length === 0))
        return end(meant.answer);
      if (meant.kind === 'left') return end(null, meant.why);
      if (meant.kind === 'again') return write(meant.say);
      write(
        `${filesText(choice.paths, choice.root ?? process.cwd(), style)}\n${answerList(choice, style)}${manner.prompt}`,
      );
    };
    withdrawn?.addEventListener('abort', onWithdrawn);
    interrupted?.addEventListener('abort', onInterrupted);
    lines.on('close', onLeft);
    lines.on('line', onLine);
    write(`\n${openingLines(choice, style, options).join('\n')}\n\n${answerList(choice, style)}${manner.prompt}`);
  });
}

function withdrawnWords(withdrawn: AbortSignal | undefined): string {
  const reason: unknown = withdrawn?.reason;
  return typeof reason === 'string' ? reason : 'This was answered elsewhere.';
}

/** The question as a whole where it is new, what was wrong with the last answer, and the one decision that is asked for. */
function openingLines(choice: Choice, style: Style, { isKnown }: { readonly isKnown: boolean }): string[] {
  const { part, problem } = choice;
  const whole = isKnown ? [] : questionLines(choice, style);
  if (!part) return whole;
  const place = part.of > 1 ? style.dim(`${part.number} of ${part.of}`) : '';
  const text = part.text === choice.title ? '' : style.bold(plainLine(part.text));
  const line = [place, text].filter((words) => words !== '').join('  ');
  const lead = isKnown ? `${style.yellow('?')} ` : '  ';
  return [
    ...whole,
    ...(problem === undefined ? [] : [`${style.yellow('!')} ${plainLine(problem)}`]),
    ...(isKnown || line === '' ? [] : ['']),
    ...(line === '' ? [] : [`${lead}${line}`]),
  ];
}

type Heard =
  | { readonly kind: 'answer'; readonly answer: string }
  | { readonly kind: 'again'; readonly say: string }
  | { readonly kind: 'left'; readonly why: string };

/** How lines are taken, and the words that ask for one. */
interface Manner {
  readonly prompt: string;
  hear(line: string): Heard;
}

/** One of the answers, and nothing else. */
function byWord(choice: Choice, style: Style): Manner {
  const answers = Object.keys(choice.answers);
  const prompt = `\n${style.bold('Your answer')} ${style.dim(`(1-${answers.length} or a word; Ctrl-D leaves it open)`)}: `;
  let mistakes = 0;
  return {
    prompt,
    hear: (line) => {
      const answer = answerMeant(line, answers);
      if (typeof answer === 'string') return { kind: 'answer', answer };
      mistakes += 1;
      if (mistakes >= mistakesMax) return { kind: 'left', why: `${answer.problem}. The question stays open.\n` };
      return { kind: 'again', say: `${answer.problem}: ${answers.join(', ')}${prompt}` };
    },
  };
}

/** A number or a word for one of the likely answers; anything else is the person's own words. */
function freeText(choice: Choice, style: Style): Manner {
  const { answers, paths, part } = choice;
  const likely = Object.keys(answers);
  const hints = [
    likely.length > 0 ? `${likely.length === 1 ? '1' : `1-${likely.length}`} or your own words` : 'in your own words',
    ...(paths.length > 0 ? ['view shows the files'] : []),
    ...(part?.optional ? ['Enter passes it over'] : []),
    'Ctrl-D leaves it open',
  ];
  const ask = style.bold('Your answer');
  const prompt = `${likely.length > 0 ? '\n' : ''}  ${style.dim(hints.join(` ${style.symbols.dot} `))}\n${ask}: `;
  /** An answer that was chosen, whose open end is still to be said. */
  let chosen: { readonly before: string; readonly after: string } | null = null;
  return {
    prompt,
    hear: (line) => {
      const said = plainLine(line);
      if (chosen) {
        const { before, after } = chosen;
        chosen = null;
        return said === ''
          ? { kind: 'again', say: `${ask}: ` }
          : { kind: 'answer', answer: `${before}${said}${after}` };
      }
      if (said.toLowerCase() === viewAnswer && paths.length > 0) return { kind: 'answer', answer: viewAnswer };
      const answer = likelyMeant(said, likely);
      const open = answer === undefined ? null : /^(.*?)<[^<>]+>(.*)$/.exec(answer);
      if (!open) return { kind: 'answer', answer: answer ?? said };
      chosen = { before: open[1] ?? '', after: open[2] ?? '' };
      return { kind: 'again', say: chosen.before };
    },
  };
}

function likelyMeant(said: string, likely: readonly string[]): string | undefined {
  const numbered = /^\d+$/.test(said) ? likely[Number(said) - 1] : undefined;
  return numbered ?? findWord(said, likely);
}

function answerList({ answers }: Choice, style: Style): string {
  const rows = Object.entries(answers).map(([answer, meaning], index) => [
    style.bold(String(index + 1)),
    style.cyan(plainLine(answer)),
    plainLine(meaning),
  ]);
  return aligned(rows)
    .map((line) => `  ${line}\n`)
    .join('');
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
