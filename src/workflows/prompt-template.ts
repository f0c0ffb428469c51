/**
 * Fills `{{name}}` in a prompt, in one pass: what a value contains is never read as a placeholder.
 * Throws when template and values do not name the same things, so that no prompt goes out with a hole in it.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  const text = template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    used.add(name);
    return value;
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`the prompt has no place for ${unused.join(', ')}`);
  return `${text.trim()}\n`;
}
