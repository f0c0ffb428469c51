import { describe, expect, test } from 'vitest';
import { isInside, mountPlan, type Mount } from './box.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { seatbeltProfile } from './seatbelt.ts';

const home: Mount[] = [
  { kind: 'write', path: '/home/u/project' },
  { kind: 'hide', path: '/home/u' },
  { kind: 'read', path: '/home/u/project/.git' },
  { kind: 'hide', path: '/home/u/project/.git/pawl' },
  { kind: 'write', path: '/home/u/project/.git/pawl/runs/1' },
];

describe('mountPlan', () => {
  test('makes outer mounts before inner ones, whatever their order was', () => {
    const paths = mountPlan(home.toReversed()).map(({ kind, path }) => `${kind} ${path}`);
    expect(paths).toEqual([
      'hide /home/u',
      'write /home/u/project',
      'read /home/u/project/.git',
      'hide /home/u/project/.git/pawl',
      'write /home/u/project/.git/pawl/runs/1',
    ]);
  });

  test('leaves out what changes nothing: the computer is readable, a hidden folder is empty', () => {
    const plan = mountPlan([
      { kind: 'read', path: '/usr/lib' },
      { kind: 'hide', path: '/home' },
      { kind: 'hide', path: '/home/u/.ssh' },
      { kind: 'read', path: '/home/u/.nvm' },
      { kind: 'read', path: '/home/u/.nvm/bin' },
    ]);
    expect(plan.map(({ path }) => path)).toEqual(['/home', '/home/u/.nvm']);
  });

  test('of two on the same path the one that gives more counts', () => {
    const plan = mountPlan([
      { kind: 'write', path: '/home/u' },
      { kind: 'hide', path: '/home/u' },
      { kind: 'hide', path: '/home/u/.ssh' },
    ]);
    expect(plan).toEqual([
      { kind: 'write', path: '/home/u' },
      { kind: 'hide', path: '/home/u/.ssh' },
    ]);
  });

  test('a path through a hidden link is mounted where it is asked for', () => {
    const linked = { kind: 'read', path: '/home/u/tool', source: '/opt/tool' } as const;
    expect(mountPlan([{ kind: 'hide', path: '/home' }, linked])).toContainEqual(linked);
  });

  test('a folder whose name begins like another is not inside of it', () => {
    expect(isInside('/home/u', '/home/user')).toBe(false);
    expect(isInside('/', '/home')).toBe(true);
  });
});

describe('bubblewrapArguments', () => {
  const options = { cwd: '/home/u/project', features: { disableUserns: true }, isFile: () => false };
  const words = (mounts: readonly Mount[], more = {}) => bubblewrapArguments(mounts, { ...options, ...more }).join(' ');

  test('takes away capabilities, processes and terminals, and ends with its parent', () => {
    const text = words([]);
    const flags =
      '--unshare-user --unshare-pid --unshare-ipc --cap-drop ALL --new-session --die-with-parent --disable-userns';
    for (const flag of flags.split(/ (?=--)/)) expect(text).toContain(flag);
    expect(text).toContain('--ro-bind / / --dev /dev --proc /proc');
    expect(words([], { features: { disableUserns: false } })).not.toContain('--disable-userns');
  });

  test('mounts in the order of the plan, and hides files too', () => {
    const text = words(mountPlan(home));
    expect(text).toContain(
      '--tmpfs /home/u --bind /home/u/project /home/u/project --ro-bind /home/u/project/.git /home/u/project/.git ' +
        '--tmpfs /home/u/project/.git/pawl --bind /home/u/project/.git/pawl/runs/1 /home/u/project/.git/pawl/runs/1 ' +
        '--chdir /home/u/project --',
    );
    expect(words([{ kind: 'hide', path: '/x/.netrc' }], { isFile: () => true })).toContain(
      '--ro-bind /dev/null /x/.netrc',
    );
    expect(words([{ kind: 'read', path: '/a', source: '/b' }])).toContain('--ro-bind /b /a');
  });
});

describe('seatbeltProfile (untested on macOS)', () => {
  const ports = { loopbackPorts: [4021], proxyPort: 3128 };

  test('has a rule for every mount, the inner ones last', () => {
    const lines = seatbeltProfile(mountPlan(home), { level: 'files', ...ports }).split('\n');
    const at = (rule: string) => lines.indexOf(rule);
    expect(at('(deny file-write*)')).toBeGreaterThan(0);
    expect(at('(deny file-read-data (subpath "/home/u"))')).toBeGreaterThan(at('(deny file-write*)'));
    expect(at('(allow file-read* file-write* (subpath "/home/u/project"))')).toBeGreaterThan(
      at('(deny file-read-data (subpath "/home/u"))'),
    );
    expect(at('(deny file-write* (subpath "/home/u/project/.git"))')).toBeGreaterThan(
      at('(allow file-read* file-write* (subpath "/home/u/project"))'),
    );
    expect(lines.join()).not.toContain('(deny network*)');
  });

  test('at the level files+network only the listed ports of this computer are reached', () => {
    const profile = seatbeltProfile([], { level: 'files+network', ...ports });
    expect(profile).toContain('(deny network*)');
    expect(profile).toContain('(allow network-outbound (remote ip "localhost:4021"))');
    expect(profile).toContain('(allow network-outbound (remote ip "localhost:3128"))');
  });

  test('a file that is a copy on Linux is only readable', () => {
    const copy = { kind: 'write', path: '/a', source: '/b' } as const;
    const profile = seatbeltProfile([copy], { level: 'files', ...ports });
    expect(profile).toContain('(deny file-write* (subpath "/a"))');
    expect(profile).not.toContain('(allow file-read* file-write* (subpath "/a"))');
  });

  test('quotes paths', () => {
    const profile = seatbeltProfile([{ kind: 'hide', path: '/a"b' }], { level: 'files', ...ports });
    expect(profile).toContain(String.raw`(subpath "/a\"b")`);
  });
});
