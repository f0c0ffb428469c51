/** The kit Pawl tests itself with, for those who write workflows and agents. */

import { fileURLToPath } from 'node:url';

/** The `pawl` this kit belongs to, as a program for a scratch repository. */
export const pawlProgram = fileURLToPath(new URL('./pawl.js', import.meta.url));

export { agentContract } from './agent-contract.ts';
export type { Contract } from './contract.ts';
export { crashAt, runUndisturbed } from './crash-kit.ts';
export type { CrashResult, CrashScenario, Instant, Remains, Undisturbed } from './crash-kit.ts';
export { runStoreContract, type StoreUnderTest } from './run-store-contract.ts';
export { loadDefined as loadWorkflow } from '../project/load-workflow.ts';
export { explore, type ExploredState, type Space, type SpaceStep } from '../verifier/space.ts';
export type { Proof, Refutation, Verification } from '../verifier/refutation.ts';
export { verify } from '../verifier/verifier.ts';
export { ScratchRepository, type Ran, type RunOptions } from './scratch-repository.ts';
export { SimulatedClock } from './simulated-clock.ts';
export { walk, type Sent } from './walk.ts';
export { workflowContract } from './workflow-contract.ts';
