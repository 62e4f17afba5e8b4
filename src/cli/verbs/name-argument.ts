/** Name of a new object as an argument: `tags create evening` for `--name evening`. */
import { UsageError } from '../../client/errors.ts';
import { naming } from '../../model/derive/naming.ts';
import type { Verb } from './derive-verbs.ts';
import type { VerbFlags } from './flags.ts';
import type { GivenFlags } from './resolve-collection.ts';
import { getVerbOptions } from './verb-names.ts';

/** Key of the flag that the argument replaces. */
const nameKey = 'name';

/** Whether a verb creates a named object and has no other argument. */
export function takesName(verb: Verb, { flags }: Pick<VerbFlags, 'flags'>): boolean {
  const { argument, takesBricks } = getVerbOptions(verb);
  return (
    verb.kind === 'add' &&
    verb.name === 'create' &&
    argument === undefined &&
    !takesBricks &&
    verb.candidates.every(
      ({ owner, collection }) => owner === undefined && naming[collection.type] !== undefined,
    ) &&
    flags.some((one) => one.key === nameKey && one.section === 'body')
  );
}

/** Adds the name from the argument to the flags. Throws `UsageError` if `--name` differs. */
export function addName(given: GivenFlags, [word]: readonly string[]): GivenFlags {
  if (word === undefined) return given;
  if (word === '-') {
    throw new UsageError('- is not a name; names of new objects are not read from stdin', {
      hint: 'use an argument or --name; -f - reads attributes from stdin',
    });
  }
  const other = given.get(nameKey)?.at(-1);
  if (other !== undefined && other !== word) {
    throw new UsageError(`two names given: ${word} and --name ${other}`, {
      hint: 'use one of them',
    });
  }
  return new Map([...given, [nameKey, [word]]]);
}
