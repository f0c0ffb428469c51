import { parse, TomlError } from 'smol-toml';
import { DocumentError } from './document-error.ts';

export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [first = ''] = cause.message.split('\n');
    const problem = first.replace(/^Invalid TOML document: /, '');
    throw new DocumentError({ file, line: cause.line }, problem, 'valid TOML', { cause });
  }
}
