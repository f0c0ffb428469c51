import { killEverywhere } from './crashes.ts';
import { fullSession } from './lives.ts';

await killEverywhere(fullSession);
