/**
 * What a box needs of the file system of this computer.
 *
 * M1. Home folders, temporary folders and sockets are hidden; what a program needs of them is listed here or configured.
 * M2. Programs stay executable wherever they are installed: the folders of the PATH, and the program itself.
 * M3. Links are followed before anything is mounted, so that no link of an agent's making widens a box.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { isInside, mountPlan, type Box, type Mount, type MountKind } from './box.ts';

/** Programs and caches of programming languages in a home folder: they hold no secrets, and nothing is built without. */
const toolFolders = [
  '.asdf .bun/bin .cargo/bin .cargo/git .cargo/registry .deno/bin .fnm .gradle/wrapper .jenv .juliaup .m2/repository',
  '.nvm .nodenv .opam .pyenv .rbenv .rustup .rvm .sdkman .swiftly .volta go .local/bin .local/lib .local/pipx',
  '.local/share/fnm .local/share/mise .local/share/pnpm .local/share/uv .config/git/ignore .config/git/attributes',
  '.gitconfig .config/git/config',
].flatMap((names) => names.split(' '));

/** Hidden even where the home folder itself is the workspace. */
const secrets = [
  '.ssh .gnupg .aws .azure .config/gcloud .config/gh .config/pawl .local/state/pawl .docker .kube .netrc .npmrc .pypirc',
  '.git-credentials .config/git/credentials .password-store .mozilla .config/google-chrome .local/share/keyrings',
  '.claude .claude.json .codex .gemini .copilot .config/opencode .local/share/opencode',
].flatMap((names) => names.split(' '));

export interface BoxedProgram {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

export function mountsOf(box: Box, program: BoxedProgram): readonly Mount[] {
  const home = homeOf(program.env);
  const hidden = hiddenPlaces(home, program.env).map((path) => mount('hide', path));
  const places = [
    ...hidden,
    ...(home === null ? [] : toolFolders.map((name) => mount('read', join(home, name)))),
    ...neededToRun(program, hidden).map((path) => mount('read', path)),
    ...box.read.map((path) => mount('read', path)),
    ...box.write.map((path) => mount('write', path)),
    mount(box.access, box.workspace),
    ...box.readOnly.map((path) => mount('read', path)),
    ...box.hidden.map((path) => mount('hide', path)),
  ].filter((each) => each !== null);
  const copies = (box.copies ?? []).map((copy): Mount => ({ kind: 'write', ...copy }));
  return mountPlan([...copies, ...places.flatMap((each) => asSeen(each, hidden))]);
}

type Place = Mount & { readonly asked: string };

/** M3. Null where there is nothing. */
function mount(kind: MountKind, asked: string): Place | null {
  const path = orElse(null, () => realpathSync(asked));
  return path === null || path === '/' ? null : { kind, path, asked };
}

/** A path through a link that is hidden itself is there under both names. */
function asSeen({ asked, ...found }: Place, hidden: readonly (Place | null)[]): Mount[] {
  const isLost = asked !== found.path && hidden.some((each) => each !== null && isInside(each.path, asked));
  return isLost && found.kind !== 'hide' ? [found, { ...found, path: asked, source: found.path }] : [found];
}

export function homeOf(env: Readonly<Record<string, string>>): string | null {
  const home = env['HOME'] ?? orElse('', homedir);
  return isAbsolute(home) && home !== '/' && existsSync(home) ? home : null;
}

/** M1. */
function hiddenPlaces(home: string | null, env: BoxedProgram['env']): string[] {
  const sockets = ['SSH_AUTH_SOCK', 'XDG_RUNTIME_DIR', 'GPG_AGENT_INFO'].map((name) => process.env[name] ?? '');
  const temporary = ['/tmp', '/var/tmp', process.env['TMPDIR'] ?? '', env['TMPDIR'] ?? ''];
  const ofHome = home === null ? [] : [home, ...secrets.map((name) => join(home, name))];
  return [...ofHome, '/home', '/root', ...temporary, '/run', '/var/run', ...sockets].filter(isAbsolute);
}

/** M2. */
function neededToRun({ command, env }: BoxedProgram, hidden: readonly (Place | null)[]): string[] {
  const places = hidden.filter((each) => each !== null).map(({ path }) => path);
  /** A hidden place as a whole is never what a program needs. */
  const isNarrow = (path: string): boolean => !places.some((place) => isInside(path, place));
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  // A path may be an agent's proposal: only the folders of the PATH are the user's own choice.
  const found = command.includes('/') ? [] : folders.map((folder) => join(folder, command));
  const program = found.find((path) => existsSync(path));
  const files = [process.execPath, ...(program === undefined ? [] : [program])];
  const real = files.map((path) => orElse(path, () => realpathSync(path)));
  const paths = [...folders.flatMap(withLibraries), ...[...files, ...real].flatMap(withPackage)];
  // The resolver's file is a link into a hidden folder on many computers.
  return [...paths.filter((path) => isNarrow(orElse(path, () => realpathSync(path)))), '/etc/resolv.conf'];
}

/** Programs of a `bin` folder are often links into the `lib` beside it. */
function withLibraries(folder: string): string[] {
  const packages = packagesAround(folder);
  return [folder, ...packages, ...(basename(folder) === 'bin' ? [join(dirname(folder), 'lib')] : [])];
}

function withPackage(file: string): string[] {
  return orElse(false, () => statSync(file).isFile()) ? [dirname(file), file, ...packagesAround(file)] : [];
}

/** The outermost `node_modules` a path is in. */
function packagesAround(path: string): string[] {
  const at = `${path}/`.indexOf('/node_modules/');
  return at === -1 ? [] : [path.slice(0, at + '/node_modules'.length)];
}
