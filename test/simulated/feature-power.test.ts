import { losePowerEverywhere, sampled, seed } from './crashes.ts';
import { featureLife } from './lives.ts';

await losePowerEverywhere(featureLife, [seed], sampled);
