/** Hints for commands that got a single object of the API instead of a definition. */

import { findNoun } from '../../cli/args/catalog.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { formatCommandLine } from '../../cli/session/command-line.ts';
import { findVerb } from '../../cli/verbs/derive-verbs.ts';
import { UsageError } from '../../client/errors.ts';
import { isRecord } from '../../records.ts';

/**
 * Throws a `UsageError` if a document is an object, or a list of objects, as `vmctl NOUN get`
 * prints them.
 */
export function refuseObject(cli: CommandContext, document: unknown, file: string): void {
  const isList = Array.isArray(document);
  const object: unknown = isList ? document[0] : document;
  if (!isRecord(object) || typeof object['href'] !== 'string') return;
  const segments = object['href'].split('/');
  const noun = findNoun(segments.at(-2) ?? '')?.name;
  if (noun === undefined) return;
  const name = String(object['name'] ?? object['id'] ?? '');
  const isChangeable = segments.at(-3) === 'api' && findVerb(noun, 'update') !== undefined;
  const line = (...words: string[]) => formatCommandLine(cli, [noun, ...words]);
  const source = file === '-' ? 'stdin' : file;
  throw new UsageError(
    isList
      ? `${source} contains a list of ${noun}, not a definition`
      : `${source} contains the object ${noun}/${name}, not a definition`,
    {
      code: 'bad_definition',
      hint:
        isList || !isChangeable
          ? 'vmctl export prints definitions; vmctl NOUN update changes one object'
          : `to change it: ${line('update', name, '-f', file === '-' ? 'FILE' : file)}, or ${line('edit', name)}`,
    },
  );
}

/** Hint for `vmctl export vms/web01` and `vmctl export vms web01`; undefined for other words. */
export function findExportHint(
  cli: CommandContext,
  words: readonly string[],
  index: number,
): string | undefined {
  const word = words[index] ?? '';
  const slash = word.indexOf('/');
  const [kind, name] =
    slash < 0 ? [words[index - 1] ?? '', word] : [word.slice(0, slash), word.slice(slash + 1)];
  const noun = findNoun(kind);
  if (noun?.api !== true || name === '' || findNoun(name)) return undefined;
  const line = (...more: string[]) => formatCommandLine(cli, [noun.name, ...more]);
  const change = findVerb(noun.name, 'update') ? `; to change it: ${line('edit', name)}` : '';
  return `to print one object: ${line('get', name, '-o', 'yaml')}${change}`;
}
