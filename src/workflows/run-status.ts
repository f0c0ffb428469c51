/** The workflow's own part of lists and of `status`. */

import type { Outcome } from '../engine/machine.ts';
import type { Json } from '../engine/snapshot.ts';
import type { FileView, Question, RunView } from './workflow.ts';

/** By key, as `--json` prints them. */
export type Details = Readonly<Record<string, Json>>;

export interface StatusView extends RunView {
  /** Arguments of the command that a run which was cut off before it began still waits for. */
  readonly firstArgs: Readonly<Record<string, Json>>;
  /** What the verifier refuted of the workflow, where a person runs it all the same. */
  readonly unproven: readonly string[];
}

export interface StatusDetails {
  /** The workflow's own keys of the status document. */
  readonly keys: Details;
  /** Behind the run's name, the phase first. */
  readonly title: readonly string[];
  /** What the run is for. */
  readonly goal?: string | null;
  /** Shown in place of the message. */
  readonly blocker?: Blocker | null;
  /** What a person should know before they continue. */
  readonly notes: readonly { readonly text: string; readonly items?: readonly string[] }[];
  /** Name and value; they are shown in place of the table of dispatches. */
  readonly figures?: readonly (readonly [string, string])[];
  readonly sections?: readonly StatusSection[];
  /** Decisions that are open, though the run does not ask for them just now. */
  readonly waiting?: readonly Pick<Question & { readonly id: string }, 'id' | 'title' | 'detail'>[];
  /** Documents that cannot be read, a sentence each. */
  readonly problems?: readonly string[];
}

/** What stops a run. */
export interface Blocker {
  readonly blocker: string;
  readonly detail: string;
  readonly wayOut: string;
  /** The phase it goes on in. */
  readonly from: string | null;
}

export interface StatusSection {
  readonly title: string;
  readonly items: readonly StatusItem[];
}

export interface StatusItem {
  readonly mark: 'done' | 'failed' | 'current' | 'open' | 'warning';
  readonly text: string;
  /** Left out where the text says it all. */
  readonly id?: string;
  readonly state?: string;
}

/** Runs without a journal here: a fresh clone's, another tool's. A broken file is a DocumentError. */
export interface ForeignReader {
  /** Null where the folder holds no run. */
  listed(run: string, files: FileView, path: string): ForeignListing | null;
  status(
    run: string,
    files: FileView,
    path: string,
  ): (Omit<ForeignListing, 'details'> & { readonly message: string; readonly details: StatusDetails }) | null;
}

export interface ForeignListing {
  readonly phase: string | null;
  /** `done` for one that is finished, null where only a journal could tell. */
  readonly outcome: Outcome | null;
  readonly updatedAt: string | null;
  readonly next: string | null;
  readonly details: Details;
}
