/**
 * `--answers`: what a person has written down beforehand for decisions that will be asked.
 *
 * The k-th asking of a decision takes its k-th text; how often it was asked is in the journal,
 * so the same file serves every command of a run.
 */

import { DocumentError } from '../documents/document-error.ts';
import { isRecord } from '../documents/fields.ts';
import { wrong, type Path, type Source } from '../documents/settings-fields.ts';
import { readYamlLines } from '../documents/yaml-lines.ts';
import type { PreparedAnswers } from '../runtime/surroundings.ts';
import { readText } from '../workspace/files.ts';
import { isDecisionId } from './check-answer.ts';
import { refusal, type Refusal } from './refusal.ts';

const charsMax = 1024 * 1024;

export function readAnswersFile(file: string): PreparedAnswers | Refusal {
  const text = readText(file);
  if (text !== undefined) return preparedAnswers(text, file);
  return refusal('usage', `there is no answers file ${file}`, {
    target: file,
    fix: 'give the path of a YAML or JSON file with --answers, such as one with the line  UD-1: yes',
  });
}

export function preparedAnswers(text: string, file: string): PreparedAnswers {
  if (text.length > charsMax)
    throw new DocumentError({ file, line: null }, 'it is too long', `at most ${charsMax} characters`);
  const document = readYamlLines(text, file);
  const { value } = document;
  const source: Source = { file, lineOf: (path) => document.lineOf(path) };
  if (!isRecord(value)) {
    throw new DocumentError({ file, line: 1 }, 'this is not a map', 'decisions and their answers, such as UD-1: yes');
  }
  const answers = new Map(
    Object.entries(value).map(([decision, given]) => [decision, textsOf(decision, given, source)]),
  );
  return { answerTo: (decision, nth) => answers.get(decision)?.[nth] };
}

function textsOf(decision: string, given: unknown, source: Source): readonly string[] {
  if (!isDecisionId(decision)) {
    const problem = `${JSON.stringify(decision.slice(0, 80))} cannot name a decision`;
    throw new DocumentError(
      { file: source.file, line: source.lineOf([decision]) },
      problem,
      'an id of letters, digits, - and _, such as UD-1',
    );
  }
  if (!Array.isArray(given)) return [textOf(given, [decision], source)];
  if (given.length === 0) throw wrong(given, expected, [decision], source);
  return given.map((one: unknown, index) => textOf(one, [decision, index], source));
}

const expected = 'a text that is not empty (numbers, true and false in quotes), or a list of such texts';

function textOf(value: unknown, path: Path, source: Source): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw wrong(value, expected, path, source);
}
