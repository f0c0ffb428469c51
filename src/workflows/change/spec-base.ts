/**
 * The permanent specs as they were when the plan was approved. They are kept as files in the change's folder, so that
 * they outlast the journal; an empty one stands for a spec that did not exist.
 */

import { elementTexts, takeApart, type ElementTexts } from '../../documents/spec-elements.ts';
import type { FileView, RunView, Write } from '../workflow.ts';
import * as paths from './change-paths.ts';
import type { MergeInput } from './merge-specs.ts';
import { proposalIn, specsIn } from './read-documents.ts';
import { data } from './run-data.ts';

/**
 * Keeps the base of every spec that has none. It stays when the spec is edited or challenged again: what somebody else
 * made of the permanent spec meanwhile would look agreed to. One that was kept and is lost is not made up either.
 */
export function baseWrites({ files, run, snapshot }: RunView): readonly Write[] {
  const checksums = data.checksums.of(snapshot);
  const isKept = (id: string): boolean =>
    files.exists(paths.baseSpecPath(run, id)) ||
    id in data.baseSpecs.of(snapshot) ||
    paths.baseSpecPath(run, id).slice(paths.changeFolder(run).length + 1) in checksums;
  const specs = specsIn(files, paths.specsFolder(run)).filter(({ id }) => !isKept(id));
  return specs.map(({ id }) => baseNow(files, run, id));
}

function baseNow(files: FileView, run: string, id: string): Write {
  return { path: paths.baseSpecPath(run, id), content: files.read(paths.mainSpecPath(id)) ?? '' };
}

/** For a spec that is written from nothing: a base of an earlier one is not its own. */
export function baseAnew({ files, run }: Pick<RunView, 'files' | 'run'>, id: string): readonly Write[] {
  const isAnew = files.exists(paths.baseSpecPath(run, id)) && !files.exists(paths.specPath(run, id));
  return isAnew ? [baseNow(files, run, id)] : [];
}

export function mergeInput(view: Pick<RunView, 'files' | 'run' | 'snapshot' | 'at'>, specId: string): MergeInput {
  const { files, run, at } = view;
  return {
    main: files.read(paths.mainSpecPath(specId)),
    change: files.read(paths.specPath(run, specId)) ?? '',
    base: baseOf(view, specId),
    specId,
    archivedAt: at,
    changeId: run,
  };
}

function baseOf({ files, run, snapshot }: Parameters<typeof mergeInput>[0], id: string): ElementTexts | undefined {
  const text = files.read(paths.baseSpecPath(run, id));
  if (text !== undefined) return elementTexts(takeApart(text, id));
  // Earlier versions kept the texts of its elements in the journal.
  const bases = data.baseSpecs.of(snapshot);
  return Object.hasOwn(bases, id) ? new Map(Object.entries(bases[id] ?? {})) : undefined;
}

export interface ArchivedSpecs {
  readonly specs: readonly { readonly id: string; readonly path: string }[];
  /** Files that are no specs, and what becomes of them. */
  readonly notes: readonly string[];
  /** Specs that no permanent spec can be named after. */
  readonly problems: readonly string[];
}

/** Every file among the specs of the change is one of these. */
export function specsToArchive(view: { readonly files: FileView; readonly run: string }): ArchivedSpecs {
  const { files, run } = view;
  const folder = paths.specsFolder(run);
  const affected = proposalIn(view)?.affectedSpecs ?? [];
  const isNamed = (file: string) => affected.some(({ id, path }) => file === `${id}.md` || `specs/${file}` === path);
  const isTemplate = (path: string) => paths.isSkeleton(path) && !isNamed(path.slice(folder.length + 1));
  const specs = specsIn(files, folder);
  const others = files.list(folder).filter((path) => !specs.some((spec) => spec.path === path));
  const texts = others.filter((path) => path.endsWith('.md'));
  const fix = `rename it, here and in affected_specs, to ${paths.specNameExpectation}`;
  return {
    specs,
    notes: [
      ...texts.filter(isTemplate).map((path) => `${path} is a template: it is not merged`),
      ...others.filter((path) => !path.endsWith('.md')).map((path) => `${path} is no spec: it is not merged`),
    ],
    problems: texts.filter((path) => !isTemplate(path)).map((path) => `${path} cannot become a permanent spec: ${fix}`),
  };
}
