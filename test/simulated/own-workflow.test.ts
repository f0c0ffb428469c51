import { killEverywhere, losePowerEverywhere, seed } from './crashes.ts';
import { ownLife } from './lives.ts';

const life = await ownLife();
await killEverywhere(life);
await losePowerEverywhere(life, [seed, seed + 1, seed + 2]);
