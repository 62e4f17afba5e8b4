/** JSON texts in files of users: parsed strictly, with the position of every mistake. */
import { WireError } from './body.ts';
import { parseJson } from './json-parser.ts';

/** A file that holds no usable JSON. The message begins with `FILE:LINE:COLUMN: `. */
export class JsonFileError extends Error {}

/**
 * The object in a text with one JSON document; `file` stands for the file in messages. Throws a
 * `JsonFileError` for syntax errors, members that are given twice, names of parts of a prototype,
 * nesting beyond 64 levels, and any value that is no object.
 */
export function parseJsonFile(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new JsonFileError(`${file}:${error.message}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new JsonFileError(`${file}:1:1: expected one object`);
}
