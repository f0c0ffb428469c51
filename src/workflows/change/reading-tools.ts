/** What every role may look up. These write nothing. */

import { readCodeReview } from '../../documents/review.ts';
import { nearest } from '../../schema/nearest.ts';
import { defineTool } from '../tool-definition.ts';
import type { DispatchContext, FileView, ToolAnswer } from '../workflow.ts';
import { documents } from './documents.ts';
import { specAt, specsIn, tasksIn } from './read-documents.ts';
import * as paths from './paths.ts';
import { data } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';
import { roleNames } from './surface.ts';
import { validationReport } from './validate.ts';

const answerCharsMax = 200_000;

const artifactNames = Object.entries(documents).map(([name, { many }]) => (many ? `${name}:<id>` : name));

export const readArtifact = defineTool(toolArguments.read_artifact, {
  description: `Reads a document of the change: ${artifactNames.join(', ')}.`,
  roles: roleNames,
  run({ name }, context) {
    const path = artifactPath(name, context.run);
    if (path === undefined) {
      const near = nearest(
        name,
        artifactNames.filter((known) => !known.includes(':')),
      );
      return {
        error: `There is no artifact "${name}"; expected ${near === undefined ? '' : `"${near}", or `}one of ${artifactNames.join(', ')}.`,
      };
    }
    const text = context.files.read(path);
    if (text !== undefined) return { text: capped(text, path) };
    return { error: `There is no ${path}. There are: ${existing(context).join(', ') || 'no artifacts yet'}.` };
  },
});

function artifactPath(name: string, run: string): string | undefined {
  const [kind = '', spec] = name.split(':', 2).map((part) => part.trim());
  const { path, many = false } = (Object.hasOwn(documents, kind) && documents[kind]) || {};
  if (!path || many !== (spec !== undefined)) return undefined;
  if (spec === undefined) return path(run);
  return paths.isId(spec) ? `${path(run)}/${spec}.md` : undefined;
}

function existing({ files, run }: DispatchContext): string[] {
  return Object.entries(documents).flatMap(([name, { path, many }]) =>
    many
      ? specsIn(files, path(run)).map(({ id }) => `${name}:${id}`)
      : files.read(path(run)) === undefined
        ? []
        : [name],
  );
}

export const listSpecs = defineTool(toolArguments.list_specs, {
  description: 'Lists the specs of this change and the main specs of the project, with their paths.',
  roles: roleNames,
  run: (_, { files, run }) => ({
    text: [
      ...specLines('This change:', files, paths.specsFolder(run)),
      ...specLines('Main specs:', files, paths.mainSpecsFolder),
    ].join('\n'),
  }),
});

function specLines(title: string, files: FileView, folder: string): string[] {
  const specs = specsIn(files, folder).map(({ id, path }) => {
    const spec = specAt(files, path);
    return `- ${id}: ${spec?.title}, ${spec?.requirements.length} requirements, ${path}`;
  });
  return [title, ...(specs.length === 0 ? ['- none'] : specs)];
}

export const readAllRequirements = defineTool(toolArguments.read_all_requirements, {
  description: 'Reads every requirement and acceptance scenario of this change.',
  roles: roleNames,
  run(_, { files, run }) {
    const folder = paths.specsFolder(run);
    const specs = specsIn(files, folder).map(({ id, path }) => {
      const { requirements = [], scenarios = [] } = specAt(files, path) ?? {};
      return [
        `# ${id} (${path})`,
        ...requirements.map((requirement) => `## ${id}:${requirement.id}: ${requirement.title}\n\n${requirement.text}`),
        ...scenarios.filter(({ within }) => within === null).map(({ name, text }) => `## Scenario: ${name}\n\n${text}`),
      ].join('\n\n');
    });
    return { text: specs.length === 0 ? 'This change has no specs yet.' : capped(specs.join('\n\n'), folder) };
  },
});

export const listChangedFiles = defineTool(toolArguments.list_changed_files, {
  description: 'Lists the files this change altered in the work tree, new ones included.',
  roles: roleNames,
  run(_, { snapshot }): ToolAnswer {
    const files = data.changedFiles.of(snapshot);
    if (files === null)
      return { text: 'Not known yet: the list is made before a review. Use git status and git diff.' };
    return { text: files.length === 0 ? 'No file was changed.' : capped(files.join('\n'), 'git status') };
  },
});

export const readImplementationSummary = defineTool(toolArguments.read_implementation_summary, {
  description: 'Reads where the implementation stands: tasks with status, the last review, the local checks.',
  roles: roleNames,
  run(_, context) {
    return { text: [...taskLines(context), ...reviewLines(context), ...checkLines(context)].join('\n') };
  },
});

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
    `Last review (${path}): ${verdict}, iteration ${iteration}, ${issues.length} issues.`,
    ...issues.map(({ severity, title, location }) => `- ${severity}: ${title} (${location})`),
  ];
}

function checkLines({ snapshot }: DispatchContext): string[] {
  const runs = data.checks.of(snapshot).results;
  if (runs.length === 0) return ['Checks: none ran.'];
  return [
    'Checks:',
    ...runs.map(({ name, status, log }) => `- ${name}: ${status}${log === null ? '' : `, output in ${log}`}`),
  ];
}

export const validateChange = defineTool(toolArguments.validate_change, {
  description: 'Checks proposal, specs and tasks for mistakes of form. High findings block the plan.',
  roles: roleNames,
  run: (_, { files, run }) => ({ text: capped(validationReport(files, run), paths.changeFolder(run)) }),
});

function capped(text: string, source: string): string {
  if (text.length <= answerCharsMax) return text;
  return `${text.slice(0, answerCharsMax)}\n… cut after ${answerCharsMax} characters; the rest is in ${source}.`;
}
