/** Arguments by which an agent would get at files that are not its own: rows of the attack table. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listTasks, planned, propose, specify, task, type Turn } from '../change/scripts.ts';
import { folder, keepTidy, keptBy, recordsOf, run, scratch } from '../durability/at-work.ts';
import { PlayedSession } from '../session/played-session.ts';
import { document, intake } from '../session/scripts.ts';

keepTidy();
const sessions: PlayedSession[] = [];
afterAll(() => sessions.forEach(({ repository }) => repository.remove()));

const paths = ['../../../private', '/etc/passwd', '..', 'a/../../x', 'a\0b', 'a\nb', '__proto__'];
const calls = (turn: Turn): readonly Turn[] => turn['call'] as readonly Turn[];
const after = (hostile: readonly Turn[], turn: Turn): Turn => ({ ...turn, call: [...hostile, ...calls(turn)] });
/** Keys that are an object's own, as JSON has them. */
const poison = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}') as Turn;

test.concurrent('attack 3.7, 3.8, 3.16: a planner reaches no file but those of its plan', async () => {
  const [spec] = calls(specify()) as [{ tool: string; args: Turn }];
  const [proposal] = calls(propose()) as [{ tool: string; args: Turn }];
  const change = scratch([
    after(
      [
        ...paths.map((name) => ({ tool: 'read_artifact', args: { name } })),
        ...paths.map((id) => ({
          tool: 'create_proposal',
          args: { ...proposal.args, affected_specs: [{ id, depends: [] }] },
        })),
        { tool: 'create_proposal', args: { ...proposal.args, ...poison } },
      ],
      propose(),
    ),
    after(
      paths.map((id) => ({ tool: 'create_spec', args: { ...spec.args, spec_id: id } })),
      specify(),
    ),
    after(
      paths.map((id) => ({ tool: 'create_tasks', args: { tasks: [task('1.1', { id, file: id })] } })),
      listTasks(),
    ),
    ...planned.slice(3),
  ]);
  writeFileSync(join(change.repository.folder, 'private'), 'a secret of nobody\n');
  const plan = await change.change('plan', run, 'Greet people');
  expect(plan.code, plan.stderr).toBe(0);
  const filed = recordsOf(change).flatMap((record) => (record.type === 'report.filed' ? [record.tool] : []));
  expect(filed).toEqual(['create_proposal', 'create_spec', 'create_tasks', 'append_review']);
  expect(readdirSync(join(change.repository.root, folder, 'specs'))).toEqual(['greeting.md']);
  expect(change.repository.git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean)).toEqual(
    expect.not.arrayContaining([expect.not.stringContaining(folder)]),
  );
  const output = keptBy(change, /^dispatches\/1\//);
  expect(output).toContain('read_artifact');
  expect(output).not.toContain('a secret of nobody');
  expect(output).not.toContain('root:');
});

test.concurrent('attack 3.17: a role of a session writes no document but its own', async () => {
  const names = [
    ...paths,
    'status.json',
    'STATUS.json',
    'architecture.md',
    '../../README.md',
    'spec.md/../status.json',
  ];
  const hostile = names.map((path) => document(path, '# planted\n'));
  const session = PlayedSession.create([after(hostile, intake())]);
  sessions.push(session);
  await session.start();
  const { root } = session.repository;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.git/'));
  const planted = files.filter(
    (path) => /\.(?:md|json|yaml)$/.test(path) && session.repository.read(path).includes('planted'),
  );
  expect(planted).toEqual([]);
  expect(files.some((path) => path.endsWith('/spec.md'))).toBe(true);
});
