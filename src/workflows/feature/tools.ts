/** The reports of all roles. */

import { defineTools } from '../tool-definition.ts';
import { toolArguments } from './tool-arguments.ts';
import { idsIn, isPlace, requirementIds } from '../../documents/review-issues.ts';
import { countsFor } from './phase-artifacts.ts';
import { data } from './run-data.ts';
import { artifactPath, folderOf } from './phases.ts';

const once = { once: true } as const;

export const tools = defineTools(toolArguments, {
  write_document: {
    description: 'Files the whole document. Once per dispatch; it is final.',
    roles: ['executor'],
    report: once,
    run({ content }, { run, snapshot, step }) {
      if (step !== 'produce') return { error: 'This step is about code: call report_work.' };
      const path = artifactPath(run, data.target.of(snapshot));
      return { text: `Filed as ${path}. You are done.`, writes: [{ path, content: withEnd(content) }] };
    },
  },
  report_work: {
    description: 'Reports what you made. Once per dispatch; it is final.',
    roles: ['executor'],
    report: once,
    run: () => ({ text: 'Filed. You are done.' }),
  },
  file_review: {
    description: 'Files your review. Once per dispatch; it is final.',
    roles: ['reviewer'],
    report: once,
    run: ({ issues }) => ({
      text: `Filed with ${issues.length === 1 ? 'one issue' : `${issues.length} issues`}. You are done.`,
    }),
  },
  file_final_review: {
    description: 'Files your comparison with the spec. Once per dispatch; it is final.',
    roles: ['auditor'],
    report: once,
    run({ findings, evidence }, { files, run, snapshot }) {
      const places = [...evidence, ...findings].map(({ place }) => place ?? 'a finding without one');
      const unfound = places.filter((place) => !isPlace(place, (path) => files.read(path)));
      if (unfound.length > 0)
        return {
          error: `There is no such place: ${unfound.join(', ')}. Name it as file:line; of what is missing, the line of the spec.`,
        };
      if (findings.some(countsFor(files, run, snapshot))) return { text: 'Filed with findings. You are done.' };
      const documents = evidence.filter(({ place }) => place.replace(/^\.\//, '').startsWith(`${folderOf(run)}/`));
      if (documents.length > 0)
        return {
          error: `A document of the feature is no evidence: ${documents.map(({ place }) => place).join(', ')}.`,
        };
      const ids = requirementIds(files.read(artifactPath(run, 'specify')) ?? '');
      const unshown = ids.filter((id) => !evidence.some(({ requirement }) => idsIn(requirement).includes(id)));
      if (unshown.length > 0)
        return {
          error: `Without findings, give evidence (file:line) for every requirement; missing: ${unshown.join(', ')}.`,
        };
      if (evidence.length === 0)
        return { error: 'Without findings, give evidence (file:line) for what is implemented.' };
      return { text: 'Filed, approved. You are done.' };
    },
  },
});

function withEnd(text: string): string {
  return text.trim() === '' || text.endsWith('\n') ? text : `${text}\n`;
}
