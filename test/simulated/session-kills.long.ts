import { killEverywhere, sampled } from './crashes.ts';
import { fullSession } from './lives.ts';

await killEverywhere(fullSession, sampled);
