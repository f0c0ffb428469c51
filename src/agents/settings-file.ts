import { readFileSync } from 'node:fs';
import { inner } from './json-line.ts';

/** A vendor's settings: JSON in which people may leave comments and last commas; empty where there is none to be read. */
export function readSettingsFile(file: string): Readonly<Record<string, unknown>> {
  try {
    const text = readFileSync(file, 'utf8').replace(outsideQuotes, (_, quoted?: string) => quoted ?? '');
    return inner(JSON.parse(text.replace(lastComma, (_, quoted?: string, end?: string) => quoted ?? end ?? '')));
  } catch {
    return {};
  }
}

const outsideQuotes = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const lastComma = /("(?:\\.|[^"\\])*")|,(\s*[}\]])/g;
