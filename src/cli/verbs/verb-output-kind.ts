/** Kind of output of the model's verbs, by operation, arguments and flags. */
import { stateAttribute } from '../../client/wait-for-condition.ts';
import { makesByType } from '../../model/derive/makes.ts';
import { parseKind } from '../../model/index.ts';
import type { Kind } from '../../model/notation/attributes.ts';
import type { Command, Options } from '../args/command.ts';
import type { OutputKind } from '../session/output-kind.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { findActionParameter } from './fields.ts';
import { listOutputParameters } from './outcomes.ts';
import { getVerbOptions, isReferenceVerb } from './verb-names.ts';

/**
 * Returns the kind of output of a verb.
 * @param implied option values that an alias of the verb implies: `events tail`
 */
export function getVerbOutputKind(verb: Verb, implied: Options): NonNullable<Command['prints']> {
  switch (verb.kind) {
    case 'list':
      return (_, options) => ({ ...options, ...implied })['tail'] === true ? 'stream' : 'objects';
    case 'get':
      return (positionals, { glob }) =>
        isSingleObject(getObjectArguments(verb, positionals)) && glob !== true
          ? 'object'
          : 'objects';
    case 'wait':
      return (words, options) => (mayChangeSeveral(verb, words, options) ? 'outcomes' : 'outcome');
    default:
      return (words, options) => getChangeOutputKind(verb, words, options);
  }
}

/** Whether the arguments name exactly one object; `-` stands for those on stdin. */
export function isSingleObject(positionals: readonly unknown[]): boolean {
  const words = positionals.flat().filter((word) => word !== undefined);
  return words.length === 1 && words[0] !== '-';
}

function getChangeOutputKind(
  verb: Verb,
  positionals: readonly unknown[],
  options: Options,
): OutputKind {
  const isMany = mayChangeSeveral(verb, positionals, options);
  const [answer] = verb.candidates.flatMap(listOutputKinds);
  if (answer !== undefined) return getResponseOutputKind(answer);
  if (verb.candidates.every((candidate) => !isObjectShown(verb, candidate, options))) {
    return isMany ? 'outcomes' : 'outcome';
  }
  return isMany ? 'objects' : 'row';
}

/** Whether the verb may change several objects. */
function mayChangeSeveral(verb: Verb, positionals: readonly unknown[], options: Options): boolean {
  const { all, glob, on, count } = options;
  const isOnMany = Array.isArray(on) && on.length > 1;
  if (all === true || glob === true || isOnMany || Number(count ?? 1) > 1) return true;
  const words = getObjectArguments(verb, positionals);
  const namesObjects = verb.kind !== 'add' || isReferenceVerb(verb);
  return namesObjects && words.length > 0 && !isSingleObject(words);
}

/** Returns the arguments that name objects of the verb, between an owner and a value. */
function getObjectArguments(
  { candidates }: Verb,
  positionals: readonly unknown[],
): readonly unknown[] {
  const hasOwner = candidates.some(({ owner }) => owner !== undefined);
  return [positionals[hasOwner ? 1 : 0]].flat().filter((word) => word !== undefined);
}

/** Whether a table shows the object after the change. */
function isObjectShown(
  verb: Verb,
  { operation, collection, takesObject }: Candidate,
  options: Options,
): boolean {
  // Responses contain only the identity of a member, or the bricks of the request.
  if (verb.kind === 'add') return !verb.membership && getVerbOptions(verb).takesBricks !== true;
  if (verb.kind === 'update') return true;
  if (verb.kind === 'remove' || !takesObject) return false;
  if (makesByType[operation.type]?.[operation.name]) return true;
  const isWaiting = options['wait'] !== false && options['async'] !== true;
  const hasState = stateAttribute(collection.type) !== undefined || options['for'] !== undefined;
  return isWaiting && hasState;
}

/** Lists the kinds of the response parameters of an action. */
function listOutputKinds({ operation }: Candidate): readonly Kind[] {
  return listOutputParameters(operation).flatMap((name) => findActionParameter(name)?.kind ?? []);
}

/** Returns the kind of output of a response; plain values are text for people. */
function getResponseOutputKind(kind: Kind): OutputKind {
  const { form, list } = parseKind(kind);
  if (list) return 'objects';
  return form === 'scalar' || form === 'enum' ? 'outcome' : 'object';
}
