/** The workflow's own part of lists and of `status`. */

import type { Outcome } from '../engine/machine.ts';
import type { Json } from '../engine/snapshot.ts';
import type { FileView, Question, RunView } from './workflow.ts';

export type Details = Readonly<Record<string, Json>>;

export interface StatusView extends RunView {
  /** Arguments of the first command, where the run was killed before it was delivered. */
  readonly firstArgs: Readonly<Record<string, Json>>;
  /** Refuted claims of a workflow that a person runs unproven. */
  readonly unproven: readonly string[];
}

export interface StatusDetails {
  readonly keys: Details;
  /** Behind the run's name, the phase first. */
  readonly title: readonly string[];
  readonly goal?: string | null;
  /** Shown in place of the message. */
  readonly blocker?: Blocker | null;
  /** What a person should know before they continue. */
  readonly notes: readonly { readonly text: string; readonly items?: readonly string[] }[];
  /** Name and value; they are shown in place of the table of dispatches. */
  readonly figures?: readonly (readonly [string, string])[];
  readonly sections?: readonly StatusSection[];
  /** Open decisions that the run does not ask for just now. */
  readonly waiting?: readonly Pick<Question & { readonly id: string }, 'id' | 'title' | 'detail'>[];
  /** Documents that cannot be read, a sentence each. */
  readonly problems?: readonly string[];
}

export interface Blocker {
  readonly blocker: string;
  readonly detail: string;
  readonly wayOut: string;
  /** The phase in which it continues. */
  readonly from: string | null;
}

export interface StatusSection {
  readonly title: string;
  readonly items: readonly StatusItem[];
}

export interface StatusItem {
  readonly mark: 'done' | 'failed' | 'current' | 'open' | 'warning';
  readonly text: string;
  readonly id?: string;
  readonly state?: string;
}

/** Runs without a journal here: a fresh clone's, another tool's. A broken file is a DocumentError. */
export interface ForeignReader {
  listed(run: string, files: FileView, path: string): ForeignListing | null;
  status(run: string, files: FileView, path: string): ForeignStatus | null;
}

type ForeignStatus = Omit<ForeignListing, 'details'> & { readonly message: string; readonly details: StatusDetails };

export interface ForeignListing {
  readonly phase: string | null;
  /** `done` for one that is finished, null where only a journal could tell. */
  readonly outcome: Outcome | null;
  readonly updatedAt: string | null;
  readonly next: string | null;
  readonly details: Details;
}
