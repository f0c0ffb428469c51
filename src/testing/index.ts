/** The kit Pawl tests itself with, for those who write workflows and agents. */

export {
  crashAt,
  runUndisturbed,
  stratifiedSample,
  type CrashResult,
  type CrashScenario,
  type Instant,
  type Remains,
  type Undisturbed,
} from './crash-kit.ts';
export { ScratchRepository, type Ran, type RunOptions } from './scratch-repository.ts';
export { toyMachine, type ToyVocabulary } from './toy.ts';
