import { expect, test } from 'vitest';
import { ChangeFixture } from '../change.fixture.ts';
import { merge } from './archiving.ts';

const permanent = `---
id: login
version: 2
---

# Login

## Requirements

### R1: One

as it was

### R2: Two

two
`;

const delta = permanent.replace('as it was', 'by the change').replace(/### R2[^]*/, '');
const folder = 'agentd/changes/add-login';

const changed = permanent.replace('as it was', 'by others');
const files = { [`${folder}/specs/login.md`]: delta, 'agentd/specs/login.md': changed };

const view = (more: Readonly<Record<string, string>>, state = 'merge', data = {}) => ({
  ...new ChangeFixture({ ...files, ...more }).context({ step: state, data }),
});

const base = { [`${folder}/base/login.md`]: permanent };

test('[D12] a merged text that was edited after its review is checked again: nothing is written', () => {
  const merged = { [`${folder}/merged/login.md`]: changed.replace('by others', 'by both') };
  const good = merge(view({ ...base, ...merged }, 'finish_merge'));
  expect([good.signal.name, good.writes?.length]).toEqual(['merged', 3]);
  const edited = { [`${folder}/merged/login.md`]: delta };
  const bad = merge(view({ ...base, ...edited }, 'finish_merge'));
  expect([bad.signal.name, bad.writes]).toEqual(['invalid', undefined]);
  expect(bad.signal.problem?.message).toContain('the merged text loses R2');
});

test('[change/archive/base] a run of an earlier version has its base in the journal', () => {
  const texts = (own: string) => ({ baseSpecs: { login: { R1: `One\n${own}`, R2: 'Two\ntwo' } } });
  expect(merge(view({}, 'merge', texts('by others'))).signal.name).toBe('merged');
  expect(merge(view({}, 'merge', texts('as it was'))).notes).toEqual([
    'login cannot be merged without judgement: R1 was changed in the permanent spec since the change was planned',
  ]);
  expect(merge(view({})).notes).toEqual([expect.stringContaining('nobody recorded the permanent spec')]);
});

test('[D5b] a template is named and not merged; one that the proposal lists is an error that names the fix', () => {
  const template = { [`${folder}/specs/_skeleton.md`]: delta };
  const unnamed = merge(view({ ...template, [`${folder}/specs/login.md`]: changed }));
  expect(unnamed.notes).toContain(`${folder}/specs/_skeleton.md is a template: it is not merged`);
  expect(unnamed.writes?.map(({ path }) => path)).not.toContain('agentd/specs/_skeleton.md');
  const proposal = '---\nid: add-login\naffected_specs: [{id: _skeleton, path: specs/_skeleton.md}]\n---\n';
  const { signal } = merge(view({ ...template, [`${folder}/proposal.md`]: proposal }));
  expect([signal.name, signal.problem?.message]).toEqual([
    'invalid',
    expect.stringContaining(`${folder}/specs/_skeleton.md cannot become a permanent spec: rename it`),
  ]);
});
