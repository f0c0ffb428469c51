/** What an agent's events are good for while it works: the screen, the judgement, and a log in one vocabulary. */

import type { AgentEvent } from '../agents/agent.ts';
import type { Disk } from '../disk/disk.ts';
import type { Listener } from './judge.ts';
import type { SelfExit } from './self-exit.ts';
import type { Run } from './run.ts';

export function eventSink(
  run: Run,
  id: string,
  { listener, selfExit, log }: { readonly listener: Listener; readonly selfExit: SelfExit; readonly log: string },
): (events: readonly AgentEvent[]) => void {
  return (events) => {
    keep(run.disk, log, events);
    selfExit.hear(events);
    for (const event of events) {
      listener.hear(event);
      const text = shownText(event);
      if (text !== null) run.observe({ type: 'dispatch.output', id, text });
      if (event.type === 'usage') run.observe({ type: 'dispatch.usage', id, usage: listener.heard.usage });
    }
  };
}

/** For people who look later. Where it cannot be written, what must be written says so soon enough. */
function keep(disk: Disk, log: string, events: readonly AgentEvent[]): void {
  try {
    for (const event of events) disk.writeFile(log, `${JSON.stringify(event)}\n`, { flag: 'a', mode: 0o600 });
  } catch {
    // A full disk or a folder that is gone ends the run at its next record.
  }
}

function shownText(event: AgentEvent): string | null {
  switch (event.type) {
    case 'text':
      return event.text;
    case 'tool':
      return `uses ${event.name}`;
    case 'file':
      return `writes ${event.path}`;
    default:
      return null;
  }
}
