import { test } from 'vitest';
import { Prepared, folderOf, id } from './prepared.ts';
import { implement, review } from './scripts.ts';
test('x', async () => {
  const p = await Prepared.make();
  const blocked = { ...implement([]), call: implement(['1.1', '1.2'], 'blocked')['call'] };
  const change = p.copy([blocked, implement(), review('MAJOR_ISSUES')]);
  console.log(change.repository.root, (await change.change('impl', id)).stdout);
  const path = `${folderOf()}/tasks.md`;
  change.repository.write(path, change.repository.read(path).replaceAll('status: blocked', 'status: pending'));
  const r = await change.change('impl', id);
  console.log(r.stdout, r.stderr, change.repository.read(path));
}, 60000);
