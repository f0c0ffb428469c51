import { losePowerEverywhere, seed } from './crashes.ts';
import { fullSession } from './lives.ts';

await losePowerEverywhere(fullSession, [seed, seed + 1, seed + 2]);
