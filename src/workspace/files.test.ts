import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeDisk } from '../disk/node-disk.ts';
import {
  applyWrites,
  FileProblem,
  listFiles,
  readText,
  removeFile,
  sha256,
  textBytesMax,
  writeAtomically,
} from './files.ts';
import { UnsafePath } from './safe-paths.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const problemOf = (call: () => unknown): FileProblem => {
  try {
    call();
  } catch (error) {
    if (error instanceof FileProblem) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('writeAtomically', () => {
  test('makes parent folders and leaves nothing beside the file (F1)', () => {
    writeAtomically(join(root, 'a/b/c.md'), 'one');
    writeAtomically(join(root, 'a/b/c.md'), Buffer.from('two'));
    expect(readFileSync(join(root, 'a/b/c.md'), 'utf8')).toBe('two');
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.md']);
  });

  test('keeps the mode of the file it replaces, or sets the one asked for', () => {
    put('script', 'x');
    chmodSync(join(root, 'script'), 0o750);
    writeAtomically(join(root, 'script'), 'y');
    expect(statSync(join(root, 'script')).mode & 0o777).toBe(0o750);
    writeAtomically(join(root, 'script'), 'z', { mode: 0o600 });
    expect(statSync(join(root, 'script')).mode & 0o777).toBe(0o600);
  });

  test('replaces a symlink, not the file behind it', () => {
    put('target', 'old');
    symlinkSync('target', join(root, 'link'));
    writeAtomically(join(root, 'link'), 'new');
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('old');
    expect(lstatSync(join(root, 'link')).isFile()).toBe(true);
  });

  test('a folder in its place: a problem that says so, and no temporary file (F2)', () => {
    mkdirSync(join(root, 'place'));
    const problem = problemOf(() => writeAtomically(join(root, 'place'), 'x'));
    expect(problem.code).toBe('EISDIR');
    expect(problem.message).toContain(join(root, 'place'));
    expect(problem.fix).toContain('move the folder away');
    expect(problem.cause).toBeInstanceOf(Error);
    expect(readdirSync(root)).toEqual(['place']);
  });

  test('a file where a parent folder should be', () => {
    put('a', 'x');
    expect(['ENOTDIR', 'EEXIST']).toContain(problemOf(() => writeAtomically(join(root, 'a/b'), 'x')).code);
    expect(readdirSync(root)).toEqual(['a']);
  });

  test.skipIf(process.getuid?.() === 0)('a folder without permission', () => {
    mkdirSync(join(root, 'closed'), { mode: 0o500 });
    expect(problemOf(() => writeAtomically(join(root, 'closed/x'), 'x')).code).toBe('EACCES');
  });

  test.each(['ENOSPC', 'EACCES', 'EROFS'])('%s says what to do', (code) => {
    const problem = new FileProblem('write', '/x/y', Object.assign(new Error('no'), { code }));
    expect(problem.message).toMatch(new RegExp(`^cannot write /x/y: .*\\(${code}\\)$`));
    expect(problem.fix).toMatch(/^.{6,}, then run the same command again$/);
  });
});

describe('reading, removing, listing', () => {
  test('readText: text, nothing, folders and bytes that are no text', () => {
    put('bom', '\uFEFFgrüß\n');
    put('latin1', Buffer.from([0x67, 0xfc]));
    mkdirSync(join(root, 'folder'));
    expect(readText(join(root, 'bom'))).toBe('\uFEFFgrüß\n');
    expect(readText(join(root, 'none'))).toBeUndefined();
    expect(readText(join(root, 'bom/none'))).toBeUndefined();
    expect(problemOf(() => readText(join(root, 'folder'))).code).toBe('EISDIR');
    expect(problemOf(() => readText(join(root, 'latin1'))).message).toContain('not UTF-8 text');
  });

  test('removeFile: gone is gone, a folder is a problem, a symlink goes alone', () => {
    put('a', 'x');
    symlinkSync('a', join(root, 'link'));
    removeFile(join(root, 'link'));
    expect(readdirSync(root)).toEqual(['a']);
    removeFile(join(root, 'a'));
    removeFile(join(root, 'a'));
    expect(readdirSync(root)).toEqual([]);
    expect(problemOf(() => removeFile(root)).code).toBe('EISDIR');
  });

  test('listFiles: sorted, relative to the root, not through symlinked folders', () => {
    for (const path of ['d/b.md', 'd/a/z.md', 'd/a.md', 'other/x']) put(path, '');
    symlinkSync('../other', join(root, 'd/linked'));
    symlinkSync('b.md', join(root, 'd/c.md'));
    symlinkSync('nowhere', join(root, 'd/dangling'));
    expect(listFiles(root, 'd')).toEqual(['d/a.md', 'd/a/z.md', 'd/b.md', 'd/c.md']);
    expect(listFiles(root, 'd/linked')).toEqual([]);
    expect(listFiles(root, 'none')).toEqual([]);
    expect(listFiles(root, '')).toContain('other/x');
    expect(() => listFiles(root, '../x')).toThrow(UnsafePath);
  });

  test('sha256', () => {
    expect(sha256('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('applyWrites', () => {
  test('writes, deletes, and removes folders that became empty', () => {
    put('a/b/old', 'x');
    put('keep', 'x');
    applyWrites(root, [
      { path: 'n/e/w', content: 'new' },
      { path: 'a/b/old', content: null },
      { path: 'gone/already', content: null },
    ]);
    expect(listFiles(root, '')).toEqual(['keep', 'n/e/w']);
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  test('an unsafe path anywhere: nothing is written (F4)', () => {
    const writes = [
      { path: 'a', content: 'x' },
      { path: '../b', content: 'x' },
    ];
    expect(() => applyWrites(root, writes)).toThrow(UnsafePath);
    expect(readdirSync(root)).toEqual([]);
  });

  test('a failure in the middle: the old tree stands, links, modes and empty folders too (F3)', () => {
    put('script', 'old');
    chmodSync(join(root, 'script'), 0o755);
    put('deep/er/doomed', 'bytes');
    mkdirSync(join(root, 'empty'));
    mkdirSync(join(root, 'folder'));
    symlinkSync('script', join(root, 'link'));
    const before = pictureOf(root);
    const writes = [
      { path: 'script', content: 'new' },
      { path: 'script', content: 'newer' },
      { path: 'deep/er/doomed', content: null },
      { path: 'empty/fresh/file', content: 'x' },
      { path: 'link', content: 'no link' },
      { path: 'folder', content: 'cannot be' },
    ];
    expect(problemOf(() => applyWrites(root, writes)).code).toBe('EISDIR');
    expect(pictureOf(root)).toEqual(before);
  });

  test('whatever the writes, a failing last one changes nothing (F3)', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'));
    const writes = fc.array(fc.record({ path, content: fc.option(fc.string()) }), { maxLength: 6 });
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        rmSync(root, { recursive: true });
        mkdirSync(join(root, 'folder'), { recursive: true });
        for (const write of first) {
          try {
            applyWrites(root, [write]);
          } catch (error) {
            expect(error).toBeInstanceOf(FileProblem);
          }
        }
        const before = pictureOf(root);
        expect(() => applyWrites(root, [...second, { path: 'folder', content: 'x' }])).toThrow(FileProblem);
        expect(pictureOf(root)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

function pictureOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const found = lstatSync(join(folder, name));
      if (found.isSymbolicLink()) return `${name} -> ${readlinkSync(join(folder, name))}`;
      return found.isDirectory() ? `${name}/` : `${name} ${found.mode} ${readFileSync(join(folder, name), 'utf8')}`;
    });
}

describe('attack 2.10, 2.12: one file in the way of another stops nothing', () => {
  test('a FIFO is refused without waiting for its other end', () => {
    execFileSync('mkfifo', [join(root, 'pawl.toml')]);
    const { message, fix } = problemOf(() => readText(join(root, 'pawl.toml')));
    expect(message).toMatch(/^cannot read .*pawl\.toml: it is not a regular file/);
    expect(fix).toContain('move it away');
    for (const flags of ['r', 'a', 'a+', 'w'] as const) {
      expect(() => nodeDisk.open(join(root, 'pawl.toml'), flags), flags).toThrow(/EFTYPE|ENXIO/);
    }
  });

  test('a link to a device is refused before a byte is read', () => {
    symlinkSync('/dev/zero', join(root, 'STATE.yaml'));
    expect(problemOf(() => readText(join(root, 'STATE.yaml'))).code).toBe('EFTYPE');
  });

  test('a text that is too long is refused by its size, and a file that grows by what is read', () => {
    put('tasks.md', '');
    truncateSync(join(root, 'tasks.md'), textBytesMax + 1);
    expect(problemOf(() => readText(join(root, 'tasks.md'))).message).toContain('it is too long');
    truncateSync(join(root, 'tasks.md'), textBytesMax);
    expect(readText(join(root, 'tasks.md'))?.length).toBe(textBytesMax);
    // Files of /proc say that they are empty.
    expect(nodeDisk.readFile('/proc/self/status').toString()).toContain('Pid:');
    expect(() => nodeDisk.readFile('/proc/self/status', 10)).toThrow('EFBIG');
  });
});
