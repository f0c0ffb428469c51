import { losePowerEverywhere, sampled, seed } from './crashes.ts';
import { issueLife } from './lives.ts';

await losePowerEverywhere(issueLife, [seed], sampled);
