import { killEverywhere } from './crashes.ts';
import { changeLife } from './lives.ts';

await killEverywhere(changeLife);
