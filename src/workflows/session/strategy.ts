/** The second mandatory gate: how are the changes reviewed, and what is recommended? */

import { counted } from '../../documents/review-text.ts';
import type { FreeQuestion, RunView } from '../workflow.ts';
import { readStrategy } from './answers.ts';
import { reAsks } from './ask-user.ts';
import { approvedCommands, commandLines } from './commands.ts';
import { readConfig } from './config.ts';
import { tasksOf } from './documents.ts';
import type { SessionTask } from './files/tasks-file.ts';
import { tasksPath } from './files/session-paths.ts';
import { firstOf, missing } from './gates.ts';
import { data } from './run-data.ts';
import { strategyDecision } from './session-words.ts';

export function strategyQuestion(view: RunView): FreeQuestion {
  const { tasks } = tasksOf(view);
  const recommended = recommendStrategy(tasks);
  const other = recommended.strategy === 'per-batch' ? 'single-final' : 'per-batch';
  return {
    reAsks,
    onExhausted: missing(view, strategyDecision.id),
    title: 'How are the changes reviewed?',
    detail: [
      scopeLine(tasks),
      ...firstOf(
        tasks.map(({ id, title }) => `  ${id}  ${title}`),
        shownTasksMax,
        'task',
      ),
      ...checkLines(view),
      '',
      `Recommended: ${recommended.strategy}. ${recommended.reasons.join(' ')}`,
    ].join('\n'),
    about: recommended.strategy,
    paths: [tasksPath(view.run)],
    suggestions: {
      [recommended.strategy]: `${strategies[recommended.strategy]} (recommended)`,
      [other]: strategies[other],
      defer: 'stop here; resume asks again',
    },
    read: (words) => {
      const read = readStrategy(words);
      if ('putOff' in read) return missing(view, strategyDecision.id, read.putOff);
      return 'unclear' in read
        ? read
        : { ...read, signal: read.answer.replace('-', '_'), data: approvedCommands(view) };
    },
  };
}

/** What will run on this computer, once the tasks are done. */
function checkLines(view: RunView): readonly string[] {
  const ci = readConfig(view.files).config.session.ci;
  const all = [...(ci === null ? [] : [`  ${ci.join(' ')}`]), ...commandLines(data.askedCommands.of(view.snapshot))];
  return all.length === 0 ? ['No command will be run as a check.'] : ['Commands that will be run as checks:', ...all];
}

const strategies = {
  'per-batch': 'each task is judged before the next: mistakes do not spread',
  'single-final': 'all tasks, then one judgement: fewer agent calls, late surprises',
} as const;

const shownTasksMax = 20;

function scopeLine(tasks: readonly SessionTask[]): string {
  const files = new Set(tasks.flatMap(({ files_expected: expected }) => expected));
  const waiting = tasks.filter(({ depends_on: on }) => on.length > 0);
  const flags = [...new Set(tasks.flatMap(({ risk_flags: risks }) => risks))];
  return [
    counted(tasks.length, 'task'),
    `${counted(files.size, 'file')} expected`,
    `${waiting.length} build on others`,
    flags.length === 0 ? 'no risks flagged' : `risks: ${flags.join(', ')}`,
  ].join(', ');
}

const manyTasks = 5;
/** A dependency of so many tasks, or on so many, is a crossing and not a chain. */
const crossingTasks = 2;
const RISKY_FLAG = /secur|auth|crypt|breaking/i;

type TaskRisks = Pick<SessionTask, 'id' | 'depends_on' | 'risk_flags'>;

export function recommendStrategy(tasks: readonly TaskRisks[]) {
  const reasons = [
    ...(tasks.length >= manyTasks ? [`There are ${tasks.length} tasks, ${manyTasks} or more.`] : []),
    ...crossings(tasks),
    ...tasks.flatMap(({ id, risk_flags: flags }) =>
      flags.filter((flag) => RISKY_FLAG.test(flag)).map((flag) => `${id} carries the risk flag ${flag}.`),
    ),
  ];
  if (reasons.length > 0) return { strategy: 'per-batch' as const, reasons };
  const count = tasks.length === 1 ? 'There is one task' : `There are only ${tasks.length} tasks`;
  const reason = `${count}, without cross-cutting dependencies and without a security or breaking-change flag.`;
  return { strategy: 'single-final' as const, reasons: [reason] };
}

/** A chain can be reviewed at its end; where several tasks meet, a mistake spreads before anybody looks. */
function crossings(tasks: readonly TaskRisks[]): string[] {
  const dependants = new Map<string, number>();
  for (const id of tasks.flatMap((task) => task.depends_on)) dependants.set(id, (dependants.get(id) ?? 0) + 1);
  return tasks.flatMap(({ id, depends_on: on }) => {
    const needing = dependants.get(id) ?? 0;
    return [
      ...(needing >= crossingTasks ? [`${needing} tasks depend on ${id}.`] : []),
      ...(on.length >= crossingTasks ? [`${id} depends on ${on.length} tasks.`] : []),
    ];
  });
}
