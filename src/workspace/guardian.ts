/**
 * Ends what this process started when this process is killed: SIGKILL leaves it no time to do so itself.
 *
 * G1. One small shell for each process of ours, which waits for the end of a pipe that only we hold open.
 * G2. It ends process groups, and by their marker what left them; nothing that we said has ended.
 * G3. It uses programs of the system only: a PATH may lead into a repository.
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
    kill -s "$1" -- "-$group"
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

/**
 * From now on the group ends with this process; `marker` is a variable as `NAME=value`. Call the result when it has ended.
 * `stamp` is a file that is made when this process was killed: its time is that of the end.
 */
export function guard(group: number, marker = '', stamp = ''): () => void {
  const { stdin } = (guardian ??= startGuardian());
  if (stamp !== '' && !/[\r\n]/.test(stamp)) stdin?.write(`= 0 ${stamp}\n`);
  stdin?.write(`+ ${group} ${/[\r\n]/.test(marker) ? '' : marker}\n`);
  return () => void stdin?.write(`- ${group}\n`);
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
