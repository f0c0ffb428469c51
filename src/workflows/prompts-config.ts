/** `[prompts]`: house rules for all roles, and by workflow and role what is added or replaced; see prompt-parts.ts. */

import { replaceableSection } from '../documents/prompt-parts.ts';
import { described, orNull, record, section } from '../schema/compound.ts';
import { inside, leaf, refuse, schema, wrong, type Infer } from '../schema/schema.ts';
import { text } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';

const heading = leaf('a section about the work, such as "What to do" or "Look for"', (value) =>
  typeof value === 'string' && replaceableSection.test(value) ? value : undefined,
);
const houseRules = described(orNull(text()), 'a text or a file, added to every prompt');
const byWorkflow = record(
  record(
    section({
      append: described(orNull(text()), 'a text or a file, added to the prompts of this role'),
      replace: described(record(text(), { key: heading }), 'heading = a text or a file, instead of a section'),
    }),
  ),
);

export const prompts = {
  ...schema<{ readonly houseRules?: string; readonly workflows?: Infer<typeof byWorkflow> }>(
    (value = {}, at) => {
      if (!isRecord(value)) return refuse(at, value, 'a table');
      const { house_rules: rules, ...rest } = value;
      const read = houseRules.read(rules, inside(at, 'house_rules'));
      const workflows = byWorkflow.read(rest, at);
      if (read === wrong || workflows === wrong) return wrong;
      const isEmpty = Object.keys(workflows).length === 0;
      return { ...(read !== null && { houseRules: read }), ...(!isEmpty && { workflows }) };
    },
    () => ({ ...byWorkflow.json(), properties: { house_rules: houseRules.json() } }),
  ),
  required: false,
};
