import { describe, expect, test } from 'vitest';
import { changesIn } from './changed-files.ts';

describe('[feature/history/changes] what changed is told from a diff of git', () => {
  const diff = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,3 @@
 same
-old
+new
+--- looks like a header
diff --git a/b c.md b/b c.md
new file mode 100644
--- /dev/null
+++ b/b c.md
@@ -0,0 +1 @@
+one
`;

  test('a line for each file', () => {
    expect(changesIn(diff)).toBe('- a.txt (+2 −1)\n- b c.md (+1 −0)');
    expect(changesIn('')).toBe('- nothing');
  });

  test('many files are cut, and that is told', () => {
    const many = Array.from({ length: 53 }, (_, index) => `diff --git a/${index} b/${index}\n+x\n`).join('');
    const lines = changesIn(many).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([51, '- and 3 more files']);
  });

  test('lines of the files that look like headers of a diff are counted', () => {
    const tricky = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- removed rule\n+++ added\n';
    expect(changesIn(tricky)).toBe('- x (+1 −1)');
  });
});
