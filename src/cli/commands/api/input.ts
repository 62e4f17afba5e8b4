/** Bodies of `vmctl api --input`: files that are checked before they are sent. */
import { UsageError } from '../../../client/errors.ts';
import { findSyntaxError } from '../../../wire/body-syntax.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { readInput } from '../../verbs/documents.ts';

export interface RequestBody {
  readonly text: string;
  readonly contentType: string;
}

/** The content type of a text: XML if it begins with a tag, JSON otherwise. */
export function mediaOf(text: string): string {
  return text.trimStart().startsWith('<') ? 'application/xml' : 'application/json';
}

/**
 * The text of a file and its content type, which is `given` if the user wrote a header. Throws
 * `FILE:LINE:COLUMN: problem` if it is not well formed in that type; other types than JSON and XML are not
 * checked.
 */
export async function bodyFrom(
  cli: CommandContext,
  path: string,
  given: string | undefined,
): Promise<RequestBody> {
  const text = await readInput(cli, path, '--input');
  const contentType = given ?? mediaOf(text);
  const error = findSyntaxError(contentType, text);
  if (!error) return { text, contentType };
  throw new UsageError(`${path === '-' ? 'stdin' : path}:${error.message}`, {
    code: 'bad_document',
    hint: "correct it, or send it unchecked as another type: -H 'Content-Type: text/plain'",
    cause: error,
  });
}
