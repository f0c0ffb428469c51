import { createHash } from 'node:crypto';
import type { DispatchRequest } from './agent.ts';

/** A UUID for the conversation of a dispatch: its own from the start, so that it can be told from all others. */
export function sessionIdOf({ id, folder }: Pick<DispatchRequest, 'id' | 'folder'>): string {
  const hex = createHash('sha256').update(`${folder}\n${id}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
