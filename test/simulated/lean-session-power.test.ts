import { losePowerEverywhere, seed } from './crashes.ts';
import { leanSession } from './lives.ts';

await losePowerEverywhere(leanSession, [seed, seed + 1, seed + 2]);
