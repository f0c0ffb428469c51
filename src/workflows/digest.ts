/** What approvals are bound to: digests of texts as they were judged. */

import { createHash } from 'node:crypto';

/** Each text is labelled with its path and length, so that none can pass for two or move between files. */
export function digestOf(texts: Iterable<readonly [path: string, text: string | null]>): string {
  const hash = createHash('sha256');
  for (const [path, text] of texts)
    hash.update(`${JSON.stringify({ path, length: text?.length ?? null })}\n${text ?? ''}\n`);
  return `sha256:${hash.digest('hex')}`;
}

export function textDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** A text without a byte order mark, whatever its line ends. */
export function plainText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}
