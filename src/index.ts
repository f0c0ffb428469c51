/** The public surface of the package: the engine and its vocabulary, and what own workflows are made of. */

export {
  defineWorkflow,
  type ArtifactDefinition,
  type MoveDefinition,
  type RoleDefinition,
  type RouteDefinition,
  type StateDefinition,
  type AuthoredWorkflow as WorkflowDefinition,
} from './workflows/defined/definition.ts';
export type { CheckContext, CheckResult } from './workflows/workflow.ts';
export type {
  Branch,
  Budget,
  BudgetScope,
  Fault,
  Gate,
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
  type Delta,
  type Json,
  type Snapshot,
  type WorkItem,
  type WorkList,
} from './engine/snapshot.ts';
export { effectOf, transition, type Effect, type Refusal, type Signal, type Step } from './engine/transition.ts';
