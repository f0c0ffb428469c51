/**
 * The profile of macOS's sandbox-exec for a box: the same levels as on Linux.
 *
 * Untested on the platform. Seatbelt has no namespace of processes: what leaves the process group is found by its marker.
 */

import type { Box, Mount } from './box.ts';

/** `mounts` as `mountPlan` orders them; the last rule that fits counts. `proxyPort` is that of Pawl's own proxy. */
export function seatbeltProfile(
  mounts: readonly Mount[],
  {
    level,
    loopbackPorts,
    proxyPort,
  }: Pick<Box, 'level'> & { loopbackPorts: readonly number[]; proxyPort: number | null },
): string {
  const ports = [...loopbackPorts, ...(proxyPort === null ? [] : [proxyPort])];
  const network = [
    '(deny network*)',
    '(allow network* (local ip "localhost:*"))',
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
  ];
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    '(deny appleevent-send)',
    '(deny process-info* (target others))',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    // There are no copies in the place of files here: they can be read only.
    ...mounts.flatMap(({ path, kind, source = path }) =>
      rulesOf(source === path ? kind : 'read', `(subpath ${JSON.stringify(path)})`),
    ),
    // Sockets are files too: agents of ssh and Docker are behind them.
    '(deny network-outbound (remote unix-socket))',
    ...(level === 'files+network' ? network : []),
    '',
  ].join('\n');
}

function rulesOf(kind: Mount['kind'], path: string): string[] {
  if (kind === 'write') return [`(allow file-read* file-write* ${path})`];
  if (kind === 'read') return [`(deny file-write* ${path})`, `(allow file-read* ${path})`];
  // Metadata stays readable, or no path below a hidden folder could be resolved.
  return [`(deny file-write* ${path})`, `(deny file-read-data ${path})`];
}
