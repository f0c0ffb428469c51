import { losePowerEverywhere, sampled, seed } from './crashes.ts';
import { fullSession } from './lives.ts';

await losePowerEverywhere(fullSession, [seed, seed + 1, seed + 2], sampled);
