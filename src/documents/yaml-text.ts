/** A string as a YAML scalar on one line: plain where every reader takes it for a string, else double-quoted. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !text.endsWith(' ') ? text : JSON.stringify(text);
}

/** A flow list of strings on one line. */
export function yamlList(items: readonly string[]): string {
  return `[${items.map((item) => (/^[\w./-]+$/.test(item) ? yamlText(item) : JSON.stringify(item))).join(', ')}]`;
}

/** Starts with a letter, so it is no number or date; without `: `, ` #` and the indicators. */
const PLAIN = /^[A-Za-z_][\w ./()-]*$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
