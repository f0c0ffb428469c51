import { killEverywhere } from './crashes.ts';
import { leanSession } from './lives.ts';

await killEverywhere(leanSession);
