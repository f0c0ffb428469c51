import { expect, test } from 'vitest';
import {
  criteriaOf,
  designPaths,
  designProblems,
  intakeProblems,
  taskNamed,
  tasksOf,
  tasksProblems,
  wantsShell,
} from './documents.ts';
import * as paths from './files/paths.ts';
import { designFiles, plannedFiles, run, tasksFile, viewOf } from './session.fixture.ts';

const strict = { lean: false, allowShell: false };

test('documents are read as they are on disk now', () => {
  const view = viewOf({ files: plannedFiles });
  expect(criteriaOf(view)).toMatchObject([{ id: 'AC-001' }]);
  expect(tasksOf(view).tasks).toMatchObject([{ id: 'T-001' }]);
  expect(taskNamed(view, 'T-001').title).toBe('Write rows');
  expect(() => taskNamed(view, 'T-009')).toThrow('a task T-009');
  expect(() => tasksOf(viewOf())).toThrow(`${paths.tasksPath(run)}: it is missing`);
});

test('a complete session has no problems [session/table/intake] [session/table/design] [session/table/plan]', () => {
  const view = viewOf({ files: plannedFiles });
  expect([...intakeProblems(view, { lean: false }), ...designProblems(view), ...tasksProblems(view, strict)]).toEqual(
    [],
  );
});

test('what is missing or malformed is a problem that names its file [session/reading/malformed-tasks]', () => {
  expect(intakeProblems(viewOf(), { lean: false })).toEqual([
    `${paths.specPath(run)}: it is missing`,
    `${paths.acceptancePath(run)}: it is missing`,
  ]);
  const files = { ...designFiles, [paths.tasksPath(run)]: 'tasks:\n  - id: T-001\n   status: x\n' };
  expect(tasksProblems(viewOf({ files }), strict).join()).toContain(`${paths.tasksPath(run)}:`);
});

test('a spec lacks its sections; lean needs one less [session/files/spec]', () => {
  const files = { ...designFiles, [paths.specPath(run)]: '## Goals\nx\n\n## Acceptance Criteria\ny\n' };
  expect(intakeProblems(viewOf({ files }), { lean: false }).join()).toContain('Definition of Done');
  expect(intakeProblems(viewOf({ files }), { lean: true })).toEqual([]);
});

test.each([
  ['needsResearch', paths.researchFolder(run), 'research report'],
  ['hasUi', paths.designFolder(run), 'design spec'],
])('a design lacks what was asked for: %s [session/table/design]', (wanted, folder, what) => {
  const data = { intake: { [wanted]: true } };
  expect(designProblems(viewOf({ files: designFiles, data })).join()).toContain(what);
  expect(designProblems(viewOf({ files: { ...designFiles, [`${folder}/one.md`]: '# One' }, data }))).toEqual([]);
});

test('the architecture names its risks and every requirement of the spec [session/design/requirement-ids]', () => {
  const files = { ...designFiles, [paths.architecturePath(run)]: '## Overview\nx\n\n## Modules\ny\n' };
  const problems = designProblems(viewOf({ files })).join('\n');
  expect(problems).toContain('"Risks"');
  expect(problems).toContain('does not mention AC-001');
});

test('a check that wants a shell is refused unless the configuration allows it [session/integrate/argument-vector]', () => {
  const files = { ...designFiles, ...tasksFile({ acceptance_checks: ['cmd: sh -c "npm test | tee log"'] }) };
  expect(wantsShell('cmd: sh -c "npm test"')).toBe(true);
  expect(wantsShell('cmd: npm test')).toBe(false);
  expect(wantsShell('manual: look')).toBe(false);
  expect(tasksProblems(viewOf({ files }), strict).join()).toContain('allow_shell = true');
  expect(tasksProblems(viewOf({ files }), { ...strict, allowShell: true })).toEqual([]);
});

test('a plan has no cycle, and checks that exist [session/reading/cycle] [session/reading/unknown-check]', () => {
  const cycle = tasksFile({ depends_on: ['T-002'] }, { id: 'T-002', depends_on: ['T-001'] });
  expect(tasksProblems(viewOf({ files: { ...designFiles, ...cycle } }), strict).join()).toMatch(/circle|cycle/);
  const unknown = tasksFile({ acceptance_checks: ['AC-009'] });
  expect(tasksProblems(viewOf({ files: { ...designFiles, ...unknown } }), strict).join()).toContain('AC-009');
});

test('the documents of the design are those to read before approving', () => {
  const adr = `${paths.adrFolder(run)}/ADR-001.md`;
  expect(designPaths(viewOf({ files: { ...plannedFiles, [adr]: '' } }))).toEqual([
    paths.specPath(run),
    paths.acceptancePath(run),
    paths.architecturePath(run),
    adr,
  ]);
});
