/** Where lines are shown: what the stream can do, and the few colours and symbols used on it. */

import { jsonText, screenSafe } from './text.ts';

/** `bar` has the parts of a bar, from the smallest to a whole one. */
export type Symbols = { readonly [K in keyof typeof ascii]: K extends 'spinner' | 'bar' ? readonly string[] : string };

type Paint = (text: string) => string;

export type Style = Readonly<Record<'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', Paint>> & {
  readonly symbols: Symbols;
};

export interface Screen {
  readonly style: Style;
  readonly live: boolean;
  /** Infinite where nothing wraps. */
  columns(): number;
  /** Foreign text in it cannot steer the terminal. */
  write(text: string): void;
  /** As it is: for who moves the cursor, or passes bytes on to a program. */
  draw(text: string): void;
}

export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  listenerCount(event: 'error', listener: (error: Error) => void): number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const usualColumns = 80;

export function screenOf(stream: OutputStream, env: Environment = process.env): Screen {
  // A reader that has gone away, or a full disk behind it, must not end a run that is at work.
  if (stream.listenerCount('error', spareTheRun) === 0) stream.on('error', spareTheRun);
  return {
    style: styleOf(stream, env),
    live: stream.isTTY === true && env['TERM'] !== 'dumb' && !isCi(env),
    columns: () => (stream.isTTY ? stream.columns || usualColumns : Number.POSITIVE_INFINITY),
    write: (text) => void stream.write(screenSafe(text)),
    draw: (text) => void stream.write(text),
  };
}

/** A build server: nobody is there, and its log is read later, even where it has a terminal. */
export function isCi(env: Environment = process.env): boolean {
  return isOn(env['CI']);
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}

/** Writes one document with `--json`, else the text, and returns the exit code of success. */
export function print({ json }: { readonly json?: unknown }, document: unknown, text: string | (() => string)): number {
  const shown = json ? jsonText(document) : typeof text === 'string' ? text : text();
  screenOf(process.stdout).write(`${shown}\n`);
  return 0;
}

type Flags = Readonly<Record<string, unknown>>;

/** The same for a text that may be long: on a terminal it goes through the pager. */
export async function printLong(flags: Flags, document: unknown, text: () => string, indent?: number): Promise<number> {
  const { json, 'no-pager': noPager } = flags;
  const shown = json ? jsonText(document, indent) : text();
  const pages = !json && !noPager && process.stdout.isTTY;
  if (pages && (await import('./pager.ts')).runsPager(shown)) return 0;
  screenOf(process.stdout).write(`${shown}\n`);
  return 0;
}

let isToldOfFullDisk = false;
let areErrorsIgnored = false;

/** From now on output that cannot be written is nobody's problem. */
export function ignoreOutputErrors(): void {
  areErrorsIgnored = true;
}

function spareTheRun(error: Error): void {
  if (areErrorsIgnored) return;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EPIPE' || code === 'EIO') return;
  if (code !== 'ENOSPC') throw error;
  if (!isToldOfFullDisk) process.stderr.write(`pawl: the output cannot be written: ${error.message}\n`);
  isToldOfFullDisk = true;
  process.once('exit', (exitCode) => {
    if (exitCode === 0) process.exitCode = 1;
  });
}

export function styleOf({ isTTY }: { readonly isTTY?: boolean }, env: Environment = process.env): Style {
  const coloured = isColoured(isTTY === true, env);
  const paint = (open: number, close: number): Paint =>
    coloured ? (text) => (text === '' ? '' : `\u001B[${open}m${text}\u001B[${close}m`) : (text) => text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    green: paint(32, 39),
    yellow: paint(33, 39),
    red: paint(31, 39),
    cyan: paint(36, 39),
    symbols: isUtf8(env) ? unicode : ascii,
  };
}

/** As Node and most programs read these variables: FORCE_COLOR wins over NO_COLOR, and that over CLICOLOR_FORCE. */
function isColoured(isTerminal: boolean, env: Environment): boolean {
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] === '' || isOn(env['FORCE_COLOR']);
  if (env['NO_COLOR']) return false;
  return isOn(env['CLICOLOR_FORCE']) || (isTerminal && env['TERM'] !== 'dumb');
}

/** The first of these that is set names the character set; macOS shows UTF-8 without being told. */
function isUtf8(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return locale ? /utf-?8/i.test(locale) : process.platform === 'darwin';
}

const unicode: Symbols = {
  done: '✓',
  failed: '✗',
  small: '·',
  started: '▸',
  phase: '◆',
  recovered: '↻',
  output: '└',
  arrow: '→',
  dot: '·',
  rule: '──',
  ellipsis: '…',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  bar: ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
};

const ascii = {
  done: '+',
  failed: 'x',
  small: '-',
  started: '>',
  phase: '*',
  recovered: '~',
  output: '|',
  arrow: '->',
  dot: '-',
  rule: '--',
  ellipsis: '...',
  spinner: ['|', '/', '-', '\\'],
  bar: ['#'],
};
