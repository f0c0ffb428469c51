/** The workflows that come with Pawl. Adding one takes its folder and a line here. */

import { changeSurface } from './change/surface.ts';
import { featureSurface } from './feature/surface.ts';
import { issueSurface } from './issue/surface.ts';
import { sessionSurface } from './session/surface.ts';
import type { WorkflowSurface } from './surface.ts';

export const bundled: readonly WorkflowSurface[] = [changeSurface, sessionSurface, issueSurface, featureSurface];
