/** The public surface of the package: the engine and its vocabulary. */

export type {
  Arm,
  Budget,
  BudgetScope,
  Fault,
  Guard,
  Machine,
  Move,
  On,
  Outcome,
  Refuse,
  Route,
  State,
  Vocabulary,
} from './engine/machine.ts';
export {
  currentItem,
  evolve,
  initialSnapshot,
  type Change,
  type Json,
  type Snapshot,
  type WorkItem,
  type WorkList,
} from './engine/snapshot.ts';
export { effectOf, transition, type Effect, type Refusal, type Signal, type Step } from './engine/transition.ts';
