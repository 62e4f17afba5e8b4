/** Strict parser of JSON in users' files, with the position of every error. */
import { isRecord } from '../records.ts';
import { jsonPlace, type SourcePlace } from '../source-place.ts';
import { bodyText, WireError } from './body.ts';
import { parseJson, parseJsonDocument } from './json-parser.ts';

/**
 * Parsed object, and the source position of its root, which resolves the positions of all members.
 */
export interface ParsedFile {
  readonly value: Readonly<Record<string, unknown>>;
  readonly place: SourcePlace;
}

/** File without usable JSON. The message begins with `FILE:LINE:COLUMN: `. */
export class JsonFileError extends Error {}

/**
 * Parses a text, or UTF-8 bytes, with one JSON object. `file` is the name for messages. Throws a
 * `JsonFileError` for syntax errors, duplicate members, `__proto__` and similar names, more than 64
 * levels, characters outside XML 1.0, and values other than objects.
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
  if (!isRecord(value)) throw new JsonFileError(`${file}:1:1: expected one object`);
  return { value, place: jsonPlace(file, text) };
}

/** Formats `FILE:LINE:COLUMN: problem` for a line that `JSON.parse` refuses. */
export function describeLineProblem(text: string, file: string, line: number): string {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `${file}:${line}:${error.where.slice(error.where.indexOf(':') + 1)}: ${error.problem}`;
  }
  return `${file}:${line}:1: not JSON`;
}
