/** Definitions read from a file or stdin, as YAML or JSON. */

import { flag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { readInput } from '../../cli/verbs/documents.ts';
import { UsageError } from '../../client/errors.ts';
import { type PlacedDefinition, readDefinition } from '../../definitions/document.ts';
import { parseYaml } from '../../definitions/yaml-text.ts';

/** Reads and checks it. Throws a `UsageError` that names the place of what is wrong. */
export async function definitionFrom(cli: CommandContext, path: string): Promise<PlacedDefinition> {
  const text = await readInput(cli, path, path);
  const name = path === '-' ? 'stdin' : path;
  try {
    const { value, place } = await parseYaml(text, name);
    return readDefinition(value, place);
  } catch (error) {
    throw badDefinition((error as Error).message, error);
  }
}

/** What is wrong with a definition, in the words of whoever found it. */
export function badDefinition(message: string, cause?: unknown): UsageError {
  return new UsageError(message, {
    code: 'bad_definition',
    hint: 'see vmctl help definitions',
    cause,
  });
}

/** The definition, as other tools take it. */
export const fileFlag = flag('-f, --file <file>', 'definition file; same as the argument');

/** The file that is named one way or the other. Throws a `UsageError` for none, and for two. */
export function fileOf(
  argument: string | undefined,
  { file }: { readonly file?: string | undefined },
): string {
  const named = argument ?? file;
  if (named !== undefined && (argument === undefined || file === undefined)) return named;
  throw new UsageError(named === undefined ? 'definition missing' : 'two definitions given', {
    hint: 'use one file, or - for stdin',
  });
}
