import { losePowerEverywhere, sampled, seed } from './crashes.ts';
import { changeLife } from './lives.ts';

await losePowerEverywhere(changeLife, [seed, seed + 1, seed + 2], sampled);
