/** Output of the verbs of the model: it depends on the operation, its arguments and its flags. */
import { stateAttribute } from '../../client/poll.ts';
import { makesByType } from '../../model/derive/makes.ts';
import { parseKind } from '../../model/index.ts';
import type { Kind } from '../../model/notation/attributes.ts';
import type { Command, Options } from '../args/command.ts';
import type { Printed } from '../session/printed.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { parameterOf } from './fields.ts';
import { answeredParameters } from './outcomes.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';

/**
 * Output of a verb with given arguments and flags.
 * @param implied values of flags that another name of the verb stands for: `events tail`
 */
export function printsOf(verb: Verb, implied: Options): NonNullable<Command['prints']> {
  switch (verb.kind) {
    case 'list':
      return (_, options) => ({ ...options, ...implied })['tail'] === true ? 'stream' : 'objects';
    case 'get':
      return (positionals, { glob }) =>
        isOne(objectsIn(verb, positionals)) && glob !== true ? 'object' : 'objects';
    case 'wait':
      return (words, options) => (isBulk(verb, words, options) ? 'outcomes' : 'outcome');
    default:
      return (words, options) => printedByChange(verb, words, options);
  }
}

/** Whether the arguments name one object: `-` stands for those on stdin. */
export function isOne(positionals: readonly unknown[]): boolean {
  const words = positionals.flat().filter((word) => word !== undefined);
  return words.length === 1 && words[0] !== '-';
}

function printedByChange(verb: Verb, positionals: readonly unknown[], options: Options): Printed {
  const isMany = isBulk(verb, positionals, options);
  const [answer] = verb.candidates.flatMap(answersOf);
  if (answer !== undefined) return printedAnswer(answer);
  if (verb.candidates.every((candidate) => !showsObject(verb, candidate, options))) {
    return isMany ? 'outcomes' : 'outcome';
  }
  return isMany ? 'objects' : 'row';
}

/** Whether the verb may change several objects. */
function isBulk(verb: Verb, positionals: readonly unknown[], options: Options): boolean {
  const { all, glob, on, count } = options;
  const isOnMany = Array.isArray(on) && on.length > 1;
  if (all === true || glob === true || isOnMany || Number(count ?? 1) > 1) return true;
  const words = objectsIn(verb, positionals);
  const namesObjects = verb.kind !== 'add' || isReferenceVerb(verb);
  return namesObjects && words.length > 0 && !isOne(words);
}

/** The arguments that name the objects of the verb: before them may be their owner, after them a value. */
function objectsIn({ candidates }: Verb, positionals: readonly unknown[]): readonly unknown[] {
  const hasOwner = candidates.some(({ owner }) => owner !== undefined);
  return [positionals[hasOwner ? 1 : 0]].flat().filter((word) => word !== undefined);
}

/** Whether a table shows the object after the change. */
function showsObject(
  verb: Verb,
  { operation, collection, takesObject }: Candidate,
  options: Options,
): boolean {
  // Services answer only which member it is, or the bricks of the request.
  if (verb.kind === 'add') return !verb.membership && verbOptions(verb).takesBricks !== true;
  if (verb.kind === 'update') return true;
  if (verb.kind === 'remove' || !takesObject) return false;
  if (makesByType[operation.type]?.[operation.name]) return true;
  const isWaiting = options['wait'] !== false && options['async'] !== true;
  const hasState = stateAttribute(collection.type) !== undefined || options['for'] !== undefined;
  return isWaiting && hasState;
}

/** Kinds of the parameters that the answer of an action has. */
function answersOf({ operation }: Candidate): readonly Kind[] {
  return answeredParameters(operation).flatMap((name) => parameterOf(name)?.kind ?? []);
}

/** Output of an answer: plain values are text for people. */
function printedAnswer(kind: Kind): Printed {
  const { form, list } = parseKind(kind);
  if (list) return 'objects';
  return form === 'scalar' || form === 'enum' ? 'outcome' : 'object';
}
