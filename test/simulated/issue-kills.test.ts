import { killEverywhere } from './crashes.ts';
import { issueLife } from './lives.ts';

/** One of ten: every-crash.long.ts takes all. */
await killEverywhere(issueLife, 10);
