import type { AgentError } from '../agent.ts';

/** How a program says by its exit status what to do next, in the words of sysexits.h. That it exits with 0 proves nothing. */
export function errorOfExit(code: number | null, signal: string | null): AgentError | null {
  if (signal !== null) return { kind: 'retry', message: `was ended by ${signal}` };
  switch (code) {
    case 0:
      return null;
    case 75:
      return { kind: 'wait', until: null, message: 'says to try again later (exit status 75)' };
    case 69:
      return { kind: 'stop', message: 'says that it cannot work here (exit status 69)' };
    case 77:
      return { kind: 'stop', message: 'says that a login or permission is missing (exit status 77)' };
    case 78:
      return { kind: 'stop', message: 'says that it is not set up rightly (exit status 78)' };
    default:
      return { kind: 'retry', message: `exited with status ${code}` };
  }
}
