/** One agent call as a person reads it: what it was told, what it said, what it reported, how it ended. */

import type { DispatchRecord } from '../../runs/dispatch-record.ts';
import { costOf, duration, tokensOf } from './figures.ts';
import { words } from './lines.ts';
import type { Style } from './screen.ts';
import { dispatchNumber, plainLine, plainText } from './text.ts';

export function dispatchText(call: DispatchRecord, { bold, symbols }: Style): string {
  const { id, role, step, item, agent, model, hint, startedAt, end, prompt, transcript, reports, folder } = call;
  const who = `${words(role)} (${[agent, ...(model === null ? [] : [model])].join(', ')})`;
  const work = item === null ? words(step) : `${words(step)} ${item}`;
  const figures = end && [duration(end.ms), tokensOf(end.usage), costOf(end.usage)].join(', ');
  const gone = '(not there any more)';
  const section = (title: string, text: string): string[] => [
    '',
    bold(`${symbols.rule} ${title} ${symbols.rule}`),
    text,
  ];
  return [
    bold(plainLine(`${dispatchNumber(id)} ${who} on ${work}`)),
    `started ${startedAt.slice(0, 19).replace('T', ' ')}Z`,
    end === null ? 'not ended' : `ended: ${words(end.signal)} (${figures})`,
    ...(end === null || end.problem === null ? [] : [plainText(end.problem)]),
    ...(hint === null ? [] : [`hint: ${plainLine(hint)}`]),
    `files: ${plainLine(folder)}`,
    ...section('prompt', prompt === null ? gone : plainText(prompt)),
    ...section('transcript', transcript === null ? gone : plainText(transcript.join('\n'))),
    ...section(
      'reports',
      reports.length === 0
        ? '(none)'
        : reports.map(({ tool, args }) => plainText(`${tool} ${JSON.stringify(args, null, 2)}`)).join('\n\n'),
    ),
  ].join('\n');
}
