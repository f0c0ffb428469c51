/** The demo of `change`: a small library with tests and one permanent spec, and a change to it from plan to archive. */

import type { Demo } from '../surface.ts';
import sample from './sample-repository.yaml';

const run = 'limit-slugs';
const archive = `agentd/archive/${run}`;

export const demo: Demo = {
  run,
  sample,
  steps: [
    ['plan', run, 'Slugs get a maximum length and stay unique', '--agent', 'scripted'],
    ['impl', run, '--agent', 'scripted'],
    ['archive', run, '--agent', 'scripted'],
  ],
  done: 'the plan was challenged and revised, the code reviewed and fixed, the specs merged',
  files: [
    [`${archive}/proposal.md`, 'the plan, followed by both reviews of the challenger'],
    [`${archive}/REVIEW.md`, 'the last review of the code'],
    [`${archive}/STATE.yaml`, 'phase, verdict and the usage of every agent call'],
    ['agentd/specs/slug.md', 'the permanent spec: R3 modified, R4 added'],
    ['agentd/specs/CHANGELOG.md', 'the changelog of the specs'],
    ['slug/', 'the code and its tests'],
  ],
  commands: [
    [`pawl log ${run}`, 'its journal, record by record'],
    [`pawl show ${run}`, 'its path through the workflow, with a count per transition'],
    [`pawl diff ${run}`, 'its changes to the code'],
    ['git diff agentd/specs', 'its changes to the permanent specs'],
    ['pawl runs', 'all runs of this repository'],
    ['pawl verify change', 'the proofs that no run can bypass a gate'],
    ['npm test', "the sample's own tests"],
  ],
  killing: [
    ['pawl change plan once-more "The same again" --agent scripted'],
    ['pawl change plan once-more --agent scripted', 'resumes where it was; repeats no finished step'],
  ],
  agents: 'Leave out --agent scripted: the installed agents share the roles, or set [roles] in pawl.toml.',
};
