/** Reader of definitions, YAML or JSON, from a file or standard input. */

import { getErrorMessage } from '../../caught-errors.ts';
import { defineFlag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { readInput } from '../../cli/verbs/documents.ts';
import { UsageError } from '../../client/errors.ts';
import { type PlacedDefinition, readDefinition } from '../../definitions/document.ts';
import { parseYaml } from '../../definitions/yaml-text.ts';
import { refuseObject } from './single-object.ts';

/** Reads and validates a definition. Throws a `UsageError` with the position of the error. */
export async function loadDefinition(cli: CommandContext, path: string): Promise<PlacedDefinition> {
  const text = await readInput(cli, path, path);
  const name = path === '-' ? 'stdin' : path;
  try {
    const { value, place } = await parseYaml(text, name);
    refuseObject(cli, value, path);
    return readDefinition(value, place);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw definitionError(getErrorMessage(error), error);
  }
}

/** Error about a definition, with the message of the validation. */
export function definitionError(message: string, cause?: unknown): UsageError {
  return new UsageError(message, {
    code: 'bad_definition',
    hint: 'see vmctl help definitions',
    cause,
  });
}

/** Alternative to the argument, as in other tools. */
export const fileFlag = defineFlag('-f, --file <file>', 'definition file; same as the argument');

/** File from the argument or the flag. Throws a `UsageError` if none or both are given. */
export function requireFile(
  argument: string | undefined,
  { file }: { readonly file?: string | undefined },
): string {
  const named = argument ?? file;
  if (named !== undefined && (argument === undefined || file === undefined)) return named;
  throw new UsageError(named === undefined ? 'definition missing' : 'two definitions given', {
    hint: 'use one file, or - for stdin',
  });
}
