/** The arguments of the tools by which roles report. */

import { described, withDefault } from '../../schema/compound.ts';
import { items, map } from '../../schema/lenient.ts';
import { flag, text, verbatim } from '../../schema/simple.ts';
import { evidence, finalFinding, issueSchema } from '../../documents/review-issues.ts';

export const toolArguments = {
  write_document: {
    schema: map({ content: verbatim('the whole document, as Markdown') }),
    example: { content: '# Spec\n\n## Requirements\n\n- R1: A slug has at most 60 characters.\n' },
  },
  report_work: {
    schema: map({ summary: text('what you made or changed, in a few sentences') }),
    example: { summary: 'Wrote spec.md with five requirements and their criteria.' },
  },
  file_review: {
    schema: map({
      approved: flag(),
      summary: text('your overall assessment in one or two sentences'),
      issues: withDefault(items(issueSchema, 'a list of issues'), []),
    }),
    example: {
      approved: false,
      summary: 'One requirement cannot be tested as it stands.',
      issues: [
        {
          severity: 'blocker',
          description: 'R2 says "fast" and gives no limit.',
          location: 'spec.md, section Requirements',
          cites: 'E2',
        },
      ],
    },
  },
  file_final_review: {
    schema: map({
      approved: flag(),
      summary: text('your overall assessment in one or two sentences'),
      findings: withDefault(items(finalFinding, 'a list of findings'), []),
      evidence: described(
        withDefault(items(evidence, 'a list of {requirement, place}'), []),
        'for every requirement that is implemented: where, as file:line',
      ),
    }),
    example: {
      approved: false,
      summary: 'R3 is not implemented.',
      findings: [
        { category: 'missing', requirement: 'R3', place: 'src/slug.ts:12', description: 'Long slugs are not cut.' },
      ],
      evidence: [{ requirement: 'R1', place: 'src/slug.ts:4' }],
    },
  },
};
