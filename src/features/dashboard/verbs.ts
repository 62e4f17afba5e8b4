/** What can be done with an object by a key: verbs that need nothing but its name. */

import { handMadeVerbs } from '../../cli/args/catalog.ts';
import { type Verb, verbsOf } from '../../cli/verbs/derive-verbs.ts';
import { purposeOf } from '../../cli/verbs/purpose.ts';
import { isReferenceVerb, verbOptions } from '../../cli/verbs/verb-names.ts';
import { isHarmful } from '../../client/harm.ts';
import { requiredByAction } from '../../model/derive/required.ts';

/** A verb as the dashboard offers it. */
export interface OfferedVerb {
  readonly name: string;
  readonly purpose: string;
  /** It stops work or loses data: somebody has to confirm it. */
  readonly isHarmful: boolean;
  /** It takes the terminal for itself. */
  readonly takesTerminal: boolean;
  /** It takes no more than one object. */
  readonly isSingle: boolean;
  /** The key that stands for it. */
  readonly key?: string;
}

/** Keys for what is done most; the first of the words that a noun has as a verb. */
const shortcuts: readonly (readonly [key: string, verbs: readonly string[]])[] = [
  ['s', ['start', 'activate', 'resume']],
  ['x', ['stop', 'deactivate', 'pause']],
  ['h', ['shutdown']],
  ['b', ['reboot']],
  ['c', ['console']],
  ['t', ['ssh']],
  ['d', ['delete']],
];

/** Verbs beside those of the model; the value says whether they take the terminal. */
const handMade: ReadonlyMap<string, boolean> = new Map([
  ['console', false],
  ['ssh', true],
]);

/** The verbs for objects of a noun, those with keys first. */
export function offeredVerbs(noun: string): readonly OfferedVerb[] {
  const derived = verbsOf(noun)
    .filter(needsOnlyName)
    .map((verb) => ({
      name: verb.name,
      purpose: purposeOf(verb),
      isHarmful: verb.candidates.some(({ operation }) => isHarmful(operation)),
      takesTerminal: false,
      isSingle: false,
    }));
  const own = handMadeVerbs(noun).flatMap(({ name, summary }) => {
    const takesTerminal = handMade.get(name);
    if (takesTerminal === undefined) return [];
    return [{ name, purpose: summary, isHarmful: false, takesTerminal, isSingle: true }];
  });
  const all = [...derived, ...own];
  const keyed = shortcuts.flatMap(([key, names]) => {
    const found = names.flatMap((name) => all.find((one) => one.name === name) ?? [])[0];
    return found ? [{ ...found, key }] : [];
  });
  return [...keyed, ...all.filter(({ name }) => !keyed.some((one) => one.name === name))];
}

function needsOnlyName(verb: Verb): boolean {
  if (verb.kind !== 'action' && verb.kind !== 'remove') return false;
  const { argument, takesBricks } = verbOptions(verb);
  if (argument || takesBricks || isReferenceVerb(verb) || verb.membership) return false;
  return verb.candidates.every(
    ({ takesObject, owner, operation: { type, name } }) =>
      takesObject && !owner && (requiredByAction[type]?.[name] ?? []).length === 0,
  );
}
