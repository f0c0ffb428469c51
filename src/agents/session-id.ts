import { createHash } from 'node:crypto';
import type { DispatchRequest } from './agent.ts';

/** A UUID for the conversation of a dispatch; the token makes it one that no earlier run of the same name had. */
export function sessionIdOf({ id, folder, tools }: Pick<DispatchRequest, 'id' | 'folder' | 'tools'>): string {
  const hex = createHash('sha256').update(`${folder}\n${id}\n${tools.token}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
