/** JSON texts in files of users: parsed strictly, with the position of every mistake. */
import { jsonPlace, type SourcePlace } from '../source-place.ts';
import { bodyText, WireError } from './body.ts';
import { parseJson, parseJsonDocument } from './json-parser.ts';

/** The object in a file, and the place of its root, which has the positions of all members. */
export interface ParsedFile {
  readonly value: Readonly<Record<string, unknown>>;
  readonly place: SourcePlace;
}

/** A file that holds no usable JSON. The message begins with `FILE:LINE:COLUMN: `. */
export class JsonFileError extends Error {}

/**
 * The object in a text, or UTF-8 bytes, with one JSON document; `file` stands for the file in messages. Throws a
 * `JsonFileError` for syntax errors, members that are given twice, names of parts of a prototype,
 * nesting beyond 64 levels, characters outside XML 1.0, and any value that is no object.
 */
export function parseJsonFile(content: string | Uint8Array, file: string): ParsedFile {
  let text = '';
  let value: unknown;
  try {
    text = bodyText(content);
    value = parseJsonDocument(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new JsonFileError(`${file}:${error.message}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const place = jsonPlace(file, text);
    return { value: value as Readonly<Record<string, unknown>>, place };
  }
  throw new JsonFileError(`${file}:1:1: expected one object`);
}

/** `FILE:LINE:COLUMN: problem` for a line of a file that `JSON.parse` refuses. */
export function problemOfLine(text: string, file: string, line: number): string {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `${file}:${line}:${error.where.slice(error.where.indexOf(':') + 1)}: ${error.problem}`;
  }
  return `${file}:${line}:1: not JSON`;
}
