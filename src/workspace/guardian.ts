/**
 * Ends what this process started when this process is killed: SIGKILL leaves it no time to do so itself.
 *
 * G1. One small shell for each process of ours, which waits for the end of a pipe that only we hold open.
 * G2. It ends process groups, and by their marker what left them; nothing that we said has ended.
 * G3. It uses programs of the system only: a PATH may lead into a repository.
 * G4. It knows the marker before the process that carries it is started, so that a kill between the two leaves nothing.
 */

import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

const script = `
trap '' INT TERM HUP QUIT
groups=''
stamps=''
while IFS=' ' read -r what group marker; do
  if [ "$what" = = ]; then
    stamps="$stamps$marker
"
    continue
  fi
  others=''
  while IFS=' ' read -r each rest; do
    [ -n "$each" ] && [ "$each" != "$group" ] && others="$others$each $rest
"
  done <<LIST
$groups
LIST
  groups="$others"
  [ "$what" = + ] && groups="$groups$group $marker
"
done
[ -n "$groups" ] || exit 0
while IFS= read -r stamp; do
  [ -n "$stamp" ] && : > "$stamp"
done <<LIST
$stamps
LIST
end() {
  while IFS=' ' read -r group marker; do
    [ -n "$group" ] || continue
    case "$group" in next*) ;; *) kill -s "$1" -- "-$group" ;; esac
    [ -n "$marker" ] || continue
    for file in $(grep -lszxF -- "$marker" /proc/[0-9]*/environ); do
      pid="\${file#/proc/}"
      kill -s "$1" "\${pid%/environ}"
    done
  done <<LIST
$groups
LIST
}
end TERM
sleep 1
end KILL
`;

let guardian: ChildProcess | undefined;

export interface Guarded {
  /** Call it as soon as the process is there, with its group. */
  readonly started: (group: number) => void;
  /** Call it when everything has ended, or nothing was started. */
  readonly release: () => void;
}

let waiting = 0;

/**
 * Call it before a process is started (G4): from now on everything with the marker, a variable as `NAME=value`, ends with
 * this process. `stamp` is a file that is made when this process was killed: its time is that of the end.
 */
export function guard(marker = '', stamp = ''): Guarded {
  const { stdin } = (guardian ??= startGuardian());
  const tell = (line: string): void => void stdin?.write(`${line}\n`);
  const carried = /[\r\n]/.test(marker) ? '' : marker;
  let key = `next${(waiting += 1)}`;
  if (stamp !== '' && !/[\r\n]/.test(stamp)) tell(`= 0 ${stamp}`);
  tell(`+ ${key} ${carried}`);
  return {
    started: (group) => {
      tell(`+ ${group} ${carried}`);
      tell(`- ${key}`);
      key = String(group);
    },
    release: () => tell(`- ${key}`),
  };
}

function startGuardian(): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const env = { PATH: systemPath };
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = (): void => {
    if (guardian === child) guardian = undefined;
  };
  child.on('error', gone).on('exit', gone);
  child.stdin.on('error', gone);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
