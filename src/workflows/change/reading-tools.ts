/** Tools with which every role looks things up. They write nothing. */

import { readCodeReview } from '../../documents/review.ts';
import { nearest } from '../../schema/nearest.ts';
import { defineTools } from '../tool-definition.ts';
import type { DispatchContext, FileView } from '../workflow.ts';
import { documents } from './documents.ts';
import { specAt, specsIn, tasksIn } from './read-documents.ts';
import * as paths from './change-paths.ts';
import { data } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';
import { roleNames } from './surface.ts';
import { validationReport } from './validate.ts';

const answerCharsMax = 200_000;

const artifactNames = Object.entries(documents).map(([name, { many }]) => (many ? `${name}:<id>` : name));

export const readingTools = defineTools(toolArguments, {
  read_artifact: {
    description: `Reads a document of the change: ${artifactNames.join(', ')}.`,
    roles: roleNames,
    run({ name }, context) {
      const path = artifactPath(name, context.run);
      if (path === undefined) {
        const single = artifactNames.filter((known) => !known.includes(':'));
        const near = nearest(name, single);
        const guess = near === undefined ? '' : `"${near}", or `;
        return { error: `There is no artifact "${name}"; expected ${guess}one of ${artifactNames.join(', ')}.` };
      }
      const text = context.files.read(path);
      if (text !== undefined) return { text: capped(text, path) };
      return { error: `There is no ${path}. There are: ${existing(context).join(', ') || 'no artifacts yet'}.` };
    },
  },
  list_specs: {
    description: 'Lists the specs of this change and the main specs of the project, with their paths.',
    roles: roleNames,
    run: (_, { files, run }) => ({
      text: [
        ...specLines('This change:', files, paths.specsFolder(run)),
        ...specLines('Main specs:', files, paths.mainSpecsFolder),
      ].join('\n'),
    }),
  },
  read_all_requirements: {
    description: 'Reads every requirement and acceptance scenario of this change.',
    roles: roleNames,
    run(_, { files, run }) {
      const folder = paths.specsFolder(run);
      const specs = specsIn(files, folder).map(({ id, path }) => {
        const { requirements = [], scenarios = [] } = specAt(files, path) ?? {};
        return [
          `# ${id} (${path})`,
          ...requirements.map((each) => `## ${id}:${each.id}: ${each.title}\n\n${each.text}`),
          ...scenarios
            .filter(({ within }) => within === null)
            .map(({ name, text }) => `## Scenario: ${name}\n\n${text}`),
        ].join('\n\n');
      });
      return { text: specs.length === 0 ? 'This change has no specs yet.' : capped(specs.join('\n\n'), folder) };
    },
  },
  list_changed_files: {
    description: 'Lists the files this change altered in the work tree, new ones included.',
    roles: roleNames,
    run(_, { snapshot }) {
      const files = data.changedFiles.of(snapshot);
      const unknown = 'Not known yet: the list is made before a review. Use git_diff, or git status.';
      return { text: files === null ? unknown : capped(files.join('\n'), 'git status') || 'No file was changed.' };
    },
  },
  read_implementation_summary: {
    description: 'Reads where the implementation stands: tasks with status, the last review, the local checks.',
    roles: roleNames,
    run: (_, context) => ({ text: [taskLines, reviewLines, checkLines].flatMap((lines) => lines(context)).join('\n') }),
  },
  validate_change: {
    description: 'Checks proposal, specs and tasks for mistakes of form. High findings block the plan.',
    roles: roleNames,
    run: (_, { files, run }) => ({ text: capped(validationReport(files, run), paths.changeFolder(run)) }),
  },
});

function artifactPath(name: string, run: string): string | undefined {
  const [kind = '', spec] = name.split(':', 2).map((part) => part.trim());
  const { path, many = false } = (Object.hasOwn(documents, kind) && documents[kind]) || {};
  if (!path || many !== (spec !== undefined)) return undefined;
  if (spec === undefined) return path(run);
  return paths.isSpecName(spec) ? `${path(run)}/${spec}.md` : undefined;
}

function existing({ files, run }: DispatchContext): string[] {
  return Object.entries(documents).flatMap(([name, { path, many }]) => {
    if (many) return specsIn(files, path(run)).map(({ id }) => `${name}:${id}`);
    return files.read(path(run)) === undefined ? [] : [name];
  });
}

function specLines(title: string, files: FileView, folder: string): string[] {
  const specs = specsIn(files, folder).map(({ id, path }) => {
    const spec = specAt(files, path);
    return `- ${id}: ${spec?.title}, ${spec?.requirements.length} requirements, ${path}`;
  });
  return [title, ...(specs.length === 0 ? ['- none'] : specs)];
}

function taskLines(context: DispatchContext): string[] {
  const list = tasksIn(context);
  if (!list) return ['Tasks: none yet.'];
  const done = list.tasks.filter(({ status }) => status === 'completed').length;
  return [
    `Tasks (${paths.tasksPath(context.run)}): ${done} of ${list.tasks.length} completed.`,
    ...list.tasks.map(({ id, status, action, file, title }) =>
      `- ${id} ${status}: ${action} ${file ?? ''} ${title}`.replaceAll(/ +/g, ' '),
    ),
  ];
}

function reviewLines({ files, run }: DispatchContext): string[] {
  const path = paths.reviewPath(run);
  const text = files.read(path);
  if (text === undefined) return ['Last review: none.'];
  const { verdict, iteration, issues } = readCodeReview(text, path);
  return [
    `Last review (${path}): ${verdict}, iteration ${iteration}, findings: ${issues.length}.`,
    ...issues.map(({ severity, title, location }) => `- ${severity}: ${title} (${location})`),
  ];
}

function checkLines({ snapshot }: DispatchContext): string[] {
  const runs = data.checks.of(snapshot).results;
  const lines = runs.map(({ name, status, log }) => `- ${name}: ${status}${log === null ? '' : `, output in ${log}`}`);
  return runs.length === 0 ? ['Checks: none ran.'] : ['Checks:', ...lines];
}

function capped(text: string, source: string): string {
  if (text.length <= answerCharsMax) return text;
  return `${text.slice(0, answerCharsMax)}\n… cut after ${answerCharsMax} characters; the rest is in ${source}.`;
}
