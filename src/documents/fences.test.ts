import { expect, test } from 'vitest';
import { readFences } from './fences.ts';

test('fences with their language and both ends', () => {
  const text = '```TS x\n# no\n```\n~~~\n```\n~~~~\n``` not `a fence\n    ```\n   ```{r}\nopen';
  expect(readFences(text.split('\n'))).toEqual([
    { language: 'ts', start: 0, end: 2 },
    { language: '', start: 3, end: 5 },
    { language: '', start: 8, end: 10 },
  ]);
  expect(readFences(text.split('\n'), 7)).toEqual([{ language: '', start: 8, end: 10 }]);
});
