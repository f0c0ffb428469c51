/** What the tests beside it take a sample of, completely. */

import { killEverywhere, losePowerEverywhere, seed } from './crashes.ts';
import { advisedLife, changeLife, featureLife, fullSession, issueLife } from './lives.ts';

for (const life of [changeLife, fullSession, issueLife, featureLife, await advisedLife()]) {
  await killEverywhere(life);
  await losePowerEverywhere(life, [seed, seed + 1, seed + 2]);
}
