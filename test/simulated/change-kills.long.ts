import { killEverywhere, sampled } from './crashes.ts';
import { changeLife } from './lives.ts';

await killEverywhere(changeLife, sampled);
