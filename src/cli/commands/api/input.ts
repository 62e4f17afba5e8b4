/** Request bodies of `vmctl api --input`, checked before the request. */
import { UsageError } from '../../../client/errors.ts';
import { findSyntaxError } from '../../../wire/body-syntax.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { readInput } from '../../verbs/documents.ts';

export interface RequestBody {
  readonly text: string;
  readonly contentType: string;
}

/** Returns the content type of a text: XML if it begins with a tag, JSON otherwise. */
export function detectContentType(text: string): string {
  return text.trimStart().startsWith('<') ? 'application/xml' : 'application/json';
}

/**
 * Reads a file and its content type, which is `given` if a header sets it. Throws `UsageError` with
 * the position of a syntax error in JSON or XML; other types are not checked.
 */
export async function readBody(
  cli: CommandContext,
  path: string,
  given: string | undefined,
): Promise<RequestBody> {
  const text = await readInput(cli, path, '--input');
  const contentType = given ?? detectContentType(text);
  const error = findSyntaxError(contentType, text);
  if (!error) return { text, contentType };
  throw new UsageError(`${path === '-' ? 'stdin' : path}:${error.message}`, {
    code: 'bad_document',
    hint: "correct it, or send it unchecked as another type: -H 'Content-Type: text/plain'",
    cause: error,
  });
}
