import { describe, expect, test } from 'vitest';
import { designDigest } from './gates.ts';
import * as paths from './files/session-paths.ts';
import { after, at, checkOf, designFiles, later, plannedFiles, run, tasksFile, viewOf } from './session.fixture.ts';
import { checks } from './checks.ts';

describe('a session is opened', () => {
  test('in a folder that git ignores, on the branch there is [session/files/folder]', async () => {
    const context = checkOf({ ends: { 'git rev-parse --abbrev-ref HEAD': { output: 'main\n' } } });
    expect(await checks.open_session(context)).toMatchObject({
      signal: { name: 'opened', data: { branch: 'main' } },
      writes: [{ path: '.agents-work/.gitignore', content: '*\n' }],
    });
  });

  test('and an ignore file that is there is left alone', async () => {
    expect((await checks.open_session(checkOf({ files: { '.agents-work/.gitignore': '' } }))).writes).toEqual([]);
  });

  test('outside of git the branch is unknown, not a crash', async () => {
    const ends = { 'git rev-parse --abbrev-ref HEAD': { exitCode: 128, output: 'fatal' } };
    expect((await checks.open_session(checkOf({ ends }))).signal.data).toMatchObject({ branch: 'HEAD' });
  });

  test.each([
    [{}, false],
    [{ 'AGENTS.md': 'x' }, true],
    [{ '.github/copilot-instructions.md': 'x' }, true],
  ])('project instructions are looked for: %j [session/flags/detected]', async (files, instructions) => {
    const { signal } = await checks.open_session(checkOf({ files }));
    expect(signal.data?.['runtime']).toEqual({ instructions, checkedAt: at });
  });
});

test('INTAKE is left with a valid spec and criteria, or blocked with what is wrong [session/table/intake]', () => {
  expect(checks.check_intake(checkOf({ files: designFiles })).signal.name).toBe('valid');
  const { signal, notes } = checks.check_intake(checkOf({ files: { ...designFiles, [paths.specPath(run)]: '# x' } }));
  expect(signal).toMatchObject({ name: 'invalid', problem: { code: 'invalid_documents' } });
  expect(notes?.join()).toContain('Goals');
});

test('INTAKE_LEAN needs one task too [session/table/intake-lean]', () => {
  expect(checks.check_lean(checkOf({ files: plannedFiles })).signal.name).toBe('valid');
  expect(checks.check_lean(checkOf({ files: designFiles })).signal.name).toBe('invalid');
  const two = { ...designFiles, ...tasksFile({}, { id: 'T-002' }) };
  expect(checks.check_lean(checkOf({ files: two })).notes?.join()).toContain('exactly one task');
});

test('DESIGN is left with the approval pending on record [session/table/design] [session/decisions/pending-before-asking]', () => {
  const { signal } = checks.check_design(checkOf({ files: designFiles }));
  expect(signal.name).toBe('valid');
  expect(after(viewOf({ state: 'check_design' }), signal).snapshot.decisions).toMatchObject({
    'UD-APPROVE-DESIGN': { status: 'pending', answer: null, context: 'APPROVE_DESIGN', askedAt: later },
  });
  const { [paths.architecturePath(run)]: _, ...rest } = designFiles;
  expect(checks.check_design(checkOf({ files: rest })).signal).toMatchObject({ name: 'invalid' });
});

describe('a correction', () => {
  const correction = {
    summary: 'cut',
    role: 'Architect',
    dispatchedAt: null,
    from: designDigest(viewOf({ files: designFiles })),
  };

  test('is on record as sent off before anybody is set to work [session/decisions/correction-status]', () => {
    expect(checks.queue_correction(checkOf({ data: { correction }, at: later })).signal).toEqual({
      name: 'queued',
      data: { correction: { ...correction, dispatchedAt: later } },
    });
  });

  test('is complete when the design changed and is sound; the approval is asked again, with both versions [session/answering/diff]', () => {
    const files = { ...designFiles, [`${paths.adrFolder(run)}/ADR-001.md`]: '# Streams\n' };
    const asked = { 'spec.md': 'older' };
    const { signal } = checks.verify_correction(checkOf({ files, data: { correction, askedDesign: asked } }));
    expect(signal).toMatchObject({
      name: 'completed',
      data: {
        askedBefore: asked,
        askedDesign: { 'adr/ADR-001.md': '# Streams' },
        correctionProblems: [],
      },
    });
    expect(after(viewOf({ state: 'verify_correction' }), signal).snapshot.decisions).toMatchObject({
      'UD-APPROVE-DESIGN': { status: 'pending' },
    });
  });

  test.each([
    ['changed nothing', designFiles, 'the correction changed nothing in the design'],
    ['broke something', { ...designFiles, [paths.specPath(run)]: '# x' }, 'Goals'],
  ])(
    'that %s is shown to the person, not made twice [session/decisions/correction-resume-dispatched]',
    (_, files, problem) => {
      const { signal, notes } = checks.verify_correction(checkOf({ files, data: { correction } }));
      expect(signal.name).toBe('incomplete');
      expect(notes?.join('\n')).toContain(problem);
      expect(signal.data?.['correctionProblems']).toEqual(notes);
    },
  );
});
