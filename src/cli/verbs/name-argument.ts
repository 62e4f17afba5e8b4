/** The name of what `create` makes as an argument: `tags create evening` for `--name evening`. */
import { UsageError } from '../../client/errors.ts';
import { naming } from '../../model/derive/naming.ts';
import type { Verb } from './derive-verbs.ts';
import type { VerbFlags } from './flags.ts';
import type { Given } from './resolve-collection.ts';
import { verbOptions } from './verb-names.ts';

/** The key of the flag that the argument stands for. */
const key = 'name';

/** Whether a verb makes something for whose names there are rules, and has no other argument. */
export function takesName(verb: Verb, { flags }: Pick<VerbFlags, 'flags'>): boolean {
  const { argument, takesBricks } = verbOptions(verb);
  return (
    verb.kind === 'add' &&
    verb.name === 'create' &&
    argument === undefined &&
    !takesBricks &&
    verb.candidates.every(
      ({ owner, collection }) => owner === undefined && naming[collection.type] !== undefined,
    ) &&
    flags.some((one) => one.key === key && one.section === 'body')
  );
}

/**
 * The flags of the model with the name that an argument gave. Throws `UsageError` where `--name` says
 * another one.
 */
export function withName(given: Given, [word]: readonly string[]): Given {
  if (word === undefined) return given;
  if (word === '-') {
    throw new UsageError('- is not a name; names of new objects are not read from stdin', {
      hint: 'use an argument or --name; -f - reads attributes from stdin',
    });
  }
  const other = given.get(key)?.at(-1);
  if (other !== undefined && other !== word) {
    throw new UsageError(`two names given: ${word} and --name ${other}`, {
      hint: 'use one of them',
    });
  }
  return new Map([...given, [key, [word]]]);
}
