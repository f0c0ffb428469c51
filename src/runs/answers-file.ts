/**
 * `--answers`: what a person has written down beforehand for decisions that will be asked.
 *
 * The k-th asking of a decision takes its k-th text; how often it was asked is in the journal,
 * so the same file serves every command of a run.
 */

import { DocumentError } from '../documents/document-error.ts';
import { inFile, readDocument } from '../documents/read-document.ts';
import { readYamlLines } from '../documents/yaml.ts';
import { choose, list, mapped, record } from '../schema/compound.ts';
import { refuse, schema } from '../schema/schema.ts';
import { text } from '../schema/simple.ts';
import type { PreparedAnswers } from '../runtime/host.ts';
import { readText } from '../workspace/files.ts';
import { didYouMean } from '../schema/nearest.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { isDecisionId } from './answer-run.ts';
import { refusal, type Refusal } from './refusal.ts';

const charsMax = 1024 * 1024;

export function readAnswersFile(file: string): PreparedAnswers | Refusal {
  const source = readText(file);
  if (source !== undefined) return preparedAnswers(source, file);
  return refusal('UsageError', `there is no answers file ${file}`, {
    target: file,
    fix: 'pass the path of a YAML or JSON file with --answers, such as one with the line UD-1: yes',
  });
}

export function preparedAnswers(source: string, file: string): PreparedAnswers {
  if (source.length > charsMax)
    throw new DocumentError({ file, line: null }, 'it is too long', `at most ${charsMax} characters`);
  const document = readYamlLines(source, file);
  const locate = inFile(file, (path) => (path.length === 0 ? 1 : document.lineOf(path)));
  const answers = new Map(Object.entries(readDocument(answersByDecision, document.value, locate)));
  return { decisions: [...answers.keys()], answerTo: (decision, nth) => answers.get(decision)?.[nth] };
}

/** An answer to a decision that the workflow never asks for would wait in vain. */
export function unknownDecision(
  { decisions = [] }: PreparedAnswers,
  { machine, decisions: free = {} }: Pick<Workflow, 'machine' | 'decisions'>,
  asked: readonly string[],
): Refusal | null {
  const states = Object.values(machine.states).filter((state) => state.kind === 'decide');
  const numbered = states.some((state) => Object.hasOwn(free, state.question) && !state.decision);
  const named = states.flatMap(({ decision, question }) =>
    decision ? [decision.id] : Object.hasOwn(free, question) ? [] : [question],
  );
  const known = [...new Set([...named, ...asked])];
  const wrong = decisions.find((id) => !known.includes(id) && !(numbered && /^UD-\d+$/.test(id)));
  if (wrong === undefined) return null;
  const all = [...known, ...(numbered ? ['UD-<number>'] : [])].join(', ');
  const message = `--answers has an answer to "${wrong}", which is never asked${didYouMean(wrong, known)}`;
  return refusal('UnknownDecision', message, { fix: `use the ids of decisions: ${all || 'there are none'}` });
}

const expected = 'a text that is not empty (numbers, true and false in quotes), or a list of such texts';
const texts = list(text(expected), expected, { min: { count: 1, expected } });

const decisionId = schema<string>((value, at) => {
  const id = String(value);
  if (isDecisionId(id)) return id;
  const problem = `${JSON.stringify(id.slice(0, 80))} is not a valid decision name`;
  return refuse(at, value, 'an id of letters, digits, - and _, such as UD-1', problem);
});

const answersByDecision = record(
  choose((value) => (Array.isArray(value) ? texts : mapped(text(expected), (answer): readonly string[] => [answer]))),
  {
    key: decisionId,
    problem: 'this is not a map',
    expected: 'decisions and their answers, such as UD-1: yes',
  },
);
