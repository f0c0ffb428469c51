import type { Tags } from 'yaml';
import { DocumentError } from './document-error.ts';
import { parseSimpleYaml, type YamlOptions } from './simple-yaml.ts';
import { yaml } from './yaml-package.ts';

/**
 * Any YAML 1.2 document as plain values (core schema: dates stay strings).
 * `where.line` is the line of the file on which `text` starts, so that errors name the file's own line.
 */
export function parseYaml(
  text: string,
  where: { readonly file: string; readonly line: number },
  options: YamlOptions = {},
): unknown {
  const simple = parseSimpleYaml(text, options);
  return simple === undefined ? parseFullYaml(text, where, options) : simple;
}

function parseFullYaml(
  text: string,
  where: { readonly file: string; readonly line: number },
  options: YamlOptions,
): unknown {
  const lines = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, {
    schema: 'core',
    customTags: options.numbersAsText ? withoutNumbers : null,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) {
    const line = where.line + Math.max(lines.linePos(error.pos[0]).line, 1) - 1;
    throw new DocumentError({ file: where.file, line }, describe(error.message), 'valid YAML', { cause: error });
  }
  try {
    return document.toJS();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new DocumentError(where, describe(problem), 'valid YAML', { cause });
  }
}

const NUMBER_TAGS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

/** A schema without numbers reads `1.10` as the text it is. */
function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !NUMBER_TAGS.has(tag.tag));
}

function describe(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/[.:]$/, '');
}
