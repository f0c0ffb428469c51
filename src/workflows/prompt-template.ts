export const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills `{{name}}` in a prompt, in one pass: what a value contains is never read as a placeholder.
 * Throws where a name has no value, so that no prompt goes out with a hole in it.
 */
export function fillTemplate(template: string, valueOf: (name: string) => string | undefined): string {
  const text = template.replaceAll(placeholder, (_, name: string) => {
    const value = valueOf(name);
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
  return `${text.trim()}\n`;
}
