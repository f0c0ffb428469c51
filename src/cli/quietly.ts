/** Short pieces of work on a run: nobody is asked, no agent starts; what had to be cleared up before is said. */

import type { Refusal } from '../runs/refusal.ts';
import type { RunEvent, Surroundings } from '../runtime/surroundings.ts';
import { compose } from './compose.ts';
import { accepted } from './problem.ts';
import { plainText } from './show/text.ts';

export async function quietly<T>(work: (surroundings: Surroundings) => Promise<T | Refusal>): Promise<T> {
  const interrupted = new AbortController().signal;
  const surroundings = compose({ surfaces: [], person: null, observe: tell, interrupted });
  try {
    return accepted(await work(surroundings));
  } finally {
    await surroundings.close();
  }
}

function tell(event: RunEvent): void {
  if (event.type === 'recovered' || event.type === 'warning') process.stderr.write(`${plainText(event.message)}\n`);
}
