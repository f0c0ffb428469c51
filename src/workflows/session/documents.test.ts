import { expect, test } from 'vitest';
import { findingText } from '../../documents/finding.ts';
import { criteriaOf, designFindings, designPaths, findingsIn, stepFindings, taskNamed, tasksOf } from './documents.ts';
import * as paths from './files/session-paths.ts';
import { designFiles, dispatchOf, plannedFiles, run, tasksFile, viewOf } from './session.fixture.ts';

const intake = ['spec', 'acceptance'] as const;
const told = (findings: ReturnType<typeof findingsIn>) => findings.map(findingText).join('\n');

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
  expect([...designFindings(view), ...findingsIn(view, ['tasks'], false)]).toEqual([]);
});

test('what is missing or malformed is a finding with its file and line [session/reading/malformed-tasks]', () => {
  expect(findingsIn(viewOf(), intake, false)).toEqual(
    [paths.specPath(run), paths.acceptancePath(run)].map((path) => ({
      code: 'missing',
      path,
      line: null,
      message: 'it is missing',
      fix: 'write it',
    })),
  );
  const files = { ...designFiles, [paths.tasksPath(run)]: 'tasks:\n  - id: T-001\n   status: x\n' };
  expect(findingsIn(viewOf({ files }), ['tasks'], false)).toMatchObject([
    { code: 'unreadable', path: paths.tasksPath(run), line: 3 },
  ]);
});

test('a spec lacks its sections; lean needs one less [session/files/spec]', () => {
  const files = { ...designFiles, [paths.specPath(run)]: '## Goals\nx\n\n## Acceptance Criteria\ny\n' };
  expect(told(findingsIn(viewOf({ files }), intake, false))).toContain('Definition of Done');
  expect(findingsIn(viewOf({ files }), intake, true)).toEqual([]);
});

test.each([
  ['needsResearch', paths.researchFolder(run), 'research report'],
  ['hasUi', paths.designFolder(run), 'design spec'],
])('a design lacks what was asked for: %s [session/table/design]', (wanted, folder, what) => {
  const data = { intake: { [wanted]: true } };
  expect(designFindings(viewOf({ files: designFiles, data }))).toMatchObject([
    { code: 'missing', path: folder, message: expect.stringContaining(what) },
  ]);
  expect(designFindings(viewOf({ files: { ...designFiles, [`${folder}/one.md`]: '# One' }, data }))).toEqual([]);
});

test('the architecture names its risks and every requirement of the spec [session/design/requirement-ids]', () => {
  const files = { ...designFiles, [paths.architecturePath(run)]: '## Overview\nx\n\n## Modules\ny\n' };
  const problems = told(designFindings(viewOf({ files })));
  expect(problems).toContain('"Risks"');
  expect(problems).toContain('does not mention R-1, AC-001');
});

test('a plan has no cycle, and checks that exist [session/reading/cycle] [session/reading/unknown-check]', () => {
  const cycle = tasksFile({ depends_on: ['T-002'] }, { id: 'T-002', depends_on: ['T-001'] });
  expect(told(findingsIn(viewOf({ files: { ...designFiles, ...cycle } }), ['tasks'], false))).toMatch(/circle|cycle/);
  const unknown = tasksFile({ acceptance_checks: ['AC-009'] });
  expect(told(findingsIn(viewOf({ files: { ...designFiles, ...unknown } }), ['tasks'], false))).toContain('AC-009');
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

test.each([
  ['research', 'research-caching-options', 'research'],
  ['design_ui', 'design-specs-viewer', 'design-specs'],
])('a %s step asks for its own document only, whatever the session is called', (step, slug, folder) => {
  const name = `2026-05-01_${slug}`;
  const data = { intake: { needsResearch: true, hasUi: true } };
  const context = { ...dispatchOf({ state: step, data }), run: name };
  expect(stepFindings(context).map(({ path }) => path)).toEqual([`.agents-work/${name}/${folder}`]);
  const files = { [`.agents-work/${name}/${folder}/one.md`]: '# One\n' };
  expect(stepFindings({ ...dispatchOf({ state: step, data, files }), run: name })).toEqual([]);
});
