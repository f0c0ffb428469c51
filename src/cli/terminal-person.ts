/**
 * Asks the person at the terminal.
 *
 * A1. The terminal stays in its line mode: Ctrl-C reaches Pawl as a signal, and a killed Pawl leaves a sane terminal.
 * A2. Nothing is answered for a person who leaves (Ctrl-D), keeps mistyping, or is interrupted: the question stays open.
 * A3. Only what is typed after a question is shown answers it.
 */

import type { Readable } from 'node:stream';
import { fixedAnswer, listedAnswer, openEnd, viewAnswer } from '../runtime/answer-meant.ts';
import type { Choice, Person } from '../runtime/host.ts';
import { readDocument } from '../workspace/files.ts';
import { questionLines } from './show/question-lines.ts';
import { runsPager } from './show/pager.ts';
import type { Presenter } from './show/presenter.ts';
import { screenOf, type OutputStream, type Screen, type Style } from './show/screen.ts';
import { alignedWithin, plainLine, plainText, wrapped } from './show/text.ts';
import { discardTyped } from './typed-ahead.ts';

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
        const isKnown = last !== null && isContinued(last, choice);
        last = choice;
        return await ask(choice, { ...options, isKnown }, withdrawn);
      } finally {
        presenter.resume();
      }
    },
  };
}

/** Whether the whole question was just shown: when its next part is asked, or the same part again. */
function isContinued(last: Choice, choice: Choice): boolean {
  const whole = ({ title, detail, paths }: Choice): string => JSON.stringify([title, detail, paths]);
  if (!choice.part || whole(last) !== whole(choice)) return false;
  return choice.problem !== undefined || choice.id !== last.id;
}

interface AskOptions extends TerminalPersonOptions {
  readonly isKnown: boolean;
}

function ask(choice: Choice, options: AskOptions, withdrawn?: AbortSignal): Promise<string | null> {
  const { input = process.stdin, output = process.stderr, interrupted, isKnown } = options;
  const signal = AbortSignal.any([withdrawn, interrupted].filter((each) => each !== undefined));
  if (signal.aborted) return Promise.resolve(null);
  const screen = screenOf(output);
  const { style } = screen;
  const mode = choice.freeText ? freeText(choice, screen) : byWord(choice, style);
  const answers = `${answerList(choice, screen)}${mode.prompt}`;
  // Before anybody reads lines, who would get them.
  const early = discardTyped(input);
  return new Promise((resolve) => {
    // Loaded late: most commands ask nothing. An aborted signal closes it.
    const lines = process.getBuiltinModule('node:readline').createInterface({ input, terminal: false, signal });
    let isOver = false;
    const end = (answer: string | null, last = ''): void => {
      isOver = true;
      lines.removeAllListeners('line');
      lines.close();
      screen.write(last);
      resolve(answer);
    };
    lines.on('close', () => {
      if (isOver) return;
      // Half a line must not land in the next question, or in the shell.
      if (signal.aborted) discardTyped(input);
      end(null, withdrawn?.aborted ? `\n${withdrawnWords(withdrawn)}\n` : '\n');
    });
    lines.on('line', (line) => {
      const reply = mode.read(line);
      if ('say' in reply) return screen.write(reply.say);
      if ('leave' in reply) return end(null, reply.leave);
      if (reply.answer !== viewAnswer || choice.paths.length === 0) return end(reply.answer);
      showFiles(choice.paths, choice.root ?? process.cwd(), screen);
      screen.write(`\n${answers}`);
    });
    const discarded = early === '' ? [] : [`Discarded, typed before the question was shown: ${early}`];
    screen.write(`\n${openingLines(choice, screen, isKnown, discarded).join('\n')}\n\n${answers}`);
  });
}

function withdrawnWords({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'This was answered elsewhere.';
}

/** The whole question where it is new, the problem with the last answer, and the decision that is asked for. */
function openingLines(choice: Choice, screen: Screen, isKnown: boolean, warnings: readonly string[]): string[] {
  const { part, problem } = choice;
  const { style } = screen;
  const whole = isKnown ? [] : questionLines(choice, style, screen.columns());
  const problems = [...warnings, ...(problem === undefined ? [] : [problem])].flatMap((each) =>
    wrapped(plainLine(each), screen.columns() - 2).map((line, at) => `${at === 0 ? style.yellow('!') : ' '} ${line}`),
  );
  if (!part) return [...whole, ...problems];
  const place = part.of > 1 ? `${part.number} of ${part.of}` : '';
  const text = part.text === choice.title ? '' : plainLine(part.text);
  const line = [place, text].filter((words) => words !== '').join('  ');
  const lines = line === '' ? [] : wrapped(line, screen.columns() - 2);
  const lead = isKnown ? `${style.yellow('?')} ` : '  ';
  return [
    ...whole,
    ...problems,
    ...(isKnown || lines.length === 0 ? [] : ['']),
    ...lines.map((each, at) => `${at === 0 ? lead : '  '}${style.bold(each)}`),
  ];
}

type Reply = { readonly answer: string } | { readonly say: string } | { readonly leave: string };

/** How lines are read, and the words that ask for one. */
interface InputMode {
  readonly prompt: string;
  read(line: string): Reply;
}

function byWord(choice: Choice, style: Style): InputMode {
  const answers = Object.keys(choice.answers);
  const prompt = `\n${style.bold('Your answer')} ${style.dim(`(1-${answers.length} or a word; Ctrl-D leaves it open)`)}: `;
  let mistakes = 0;
  return {
    prompt,
    read: (line) => {
      const answer = fixedAnswer(plainLine(line), answers);
      if (typeof answer === 'string') return { answer };
      mistakes += 1;
      if (mistakes >= mistakesMax) return { leave: `${answer.problem}. The question stays open.\n` };
      return { say: `${answer.problem}: ${answers.join(', ')}${prompt}` };
    },
  };
}

/** A number or a word for one of the suggested answers; anything else is the person's own words. */
function freeText({ answers, paths, part, ownWords }: Choice, screen: Screen): InputMode {
  const { style } = screen;
  const suggested = Object.keys(answers);
  const { length } = suggested;
  const numbers = length === 1 ? '1' : `1-${length}`;
  const hints = [
    length > 0 ? `${numbers} or ${ownWords ? 'your own words' : 'the answer itself'}` : 'in your own words',
    ...(paths.length > 0 ? ['view shows the files'] : []),
    ...(part?.optional ? ['Enter skips it'] : []),
    'Ctrl-D leaves it open',
  ];
  const ask = style.bold('Your answer');
  const hint = wrapped(`  ${hints.join(` ${style.symbols.dot} `)}`, screen.columns()).map((line) => style.dim(line));
  const prompt = `${length > 0 ? '\n' : ''}${hint.join('\n')}\n${ask}: `;
  /** A chosen answer whose placeholder is still to be filled. */
  let chosen: { readonly before: string; readonly after: string } | null = null;
  return {
    prompt,
    read: (line) => {
      const words = plainLine(line);
      if (chosen) {
        const { before, after } = chosen;
        chosen = null;
        return words === '' ? { say: `${ask}: ` } : { answer: `${before}${words}${after}` };
      }
      if (words.toLowerCase() === viewAnswer && paths.length > 0) return { answer: viewAnswer };
      const answer = listedAnswer(words, suggested) ?? words;
      chosen = suggested.includes(answer) ? openEnd(answer) : null;
      return chosen ? { say: chosen.before } : { answer };
    },
  };
}

function answerList({ answers }: Choice, screen: Screen): string {
  const { style } = screen;
  const rows = Object.entries(answers).map(([answer, meaning], index) => [
    style.bold(String(index + 1)),
    style.cyan(plainLine(answer)),
    plainLine(meaning),
  ]);
  return alignedWithin(rows, screen.columns(), '  ')
    .map((line) => `${line}\n`)
    .join('');
}

/** In the pager whole, else their beginnings: more would push the question off the screen. */
function showFiles(paths: readonly string[], root: string, screen: Screen): void {
  const { style } = screen;
  if (runsPager(filesText(paths, root, { style, linesMax: Number.POSITIVE_INFINITY }))) return;
  screen.write(filesText(paths, root, { style, linesMax: fileLinesMax }));
}

interface FilesLayout {
  readonly style: Style;
  readonly linesMax: number;
}

function filesText(paths: readonly string[], root: string, { style, linesMax }: FilesLayout): string {
  const { rule, ellipsis } = style.symbols;
  const sections = paths.map((path) => {
    const lines = plainText(textOf(root, path)).split('\n');
    const rest = lines.length - linesMax;
    const shown =
      rest > 0 ? [...lines.slice(0, linesMax), style.dim(`${ellipsis} ${rest} more lines in ${path}`)] : lines;
    return [style.bold(`${rule} ${plainLine(path)} ${rule}`), ...shown, ''].join('\n');
  });
  return `\n${sections.join('\n')}`;
}

function textOf(root: string, path: string): string {
  try {
    return readDocument(root, path) ?? '(there is no such file)';
  } catch (error) {
    return `(cannot be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}
