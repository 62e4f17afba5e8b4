/** Verbs that the dashboard offers: verbs without arguments other than the object. */

import { listHandMadeVerbs } from '../../cli/args/catalog.ts';
import { findAdditionalDeletions } from '../../cli/verbs/additional-deletions.ts';
import { listVerbs, type Verb } from '../../cli/verbs/derive-verbs.ts';
import { formatPurpose } from '../../cli/verbs/purpose.ts';
import { getVerbOptions, isReferenceVerb } from '../../cli/verbs/verb-names.ts';
import { isHarmful } from '../../client/harm.ts';
import { requiredByAction } from '../../model/derive/required.ts';

/** A verb as the dashboard offers it. */
export interface OfferedVerb {
  readonly name: string;
  readonly purpose: string;
  /** Whether the verb stops work or deletes data, and needs confirmation. */
  readonly isHarmful: boolean;
  /** Data that the verb deletes in addition to the object, as a predicate. */
  readonly alsoDeletes?: string | undefined;
  /** Whether the verb needs the terminal. */
  readonly takesTerminal: boolean;
  /** Whether the verb accepts only one object. */
  readonly isSingle: boolean;
  /** Key for the verb. */
  readonly key?: string;
}

/** Keys of frequent verbs. A key applies to the first listed verb that the noun has. */
const shortcuts: readonly (readonly [key: string, verbs: readonly string[]])[] = [
  ['s', ['start', 'activate', 'resume']],
  ['x', ['stop', 'deactivate', 'pause']],
  ['h', ['shutdown']],
  ['b', ['reboot']],
  ['c', ['console']],
  ['t', ['ssh']],
  ['d', ['delete']],
];

/** Offered verbs that are not derived from the model; the value is `takesTerminal`. */
const handWrittenVerbs: ReadonlyMap<string, boolean> = new Map([
  ['console', false],
  ['ssh', true],
]);

/** Verbs for objects of a noun, those with keys first. */
export function listOfferedVerbs(noun: string): readonly OfferedVerb[] {
  const derived = listVerbs(noun)
    .filter(takesOnlyName)
    .map((verb) => ({
      name: verb.name,
      purpose: formatPurpose(verb),
      isHarmful: verb.candidates.some(({ operation }) => isHarmful(operation)),
      alsoDeletes: findAdditionalDeletions(verb),
      takesTerminal: false,
      isSingle: false,
    }));
  const own = listHandMadeVerbs(noun).flatMap(({ name, summary }) => {
    const takesTerminal = handWrittenVerbs.get(name);
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

function takesOnlyName(verb: Verb): boolean {
  if (verb.kind !== 'action' && verb.kind !== 'remove') return false;
  const { argument, takesBricks } = getVerbOptions(verb);
  if (argument || takesBricks || isReferenceVerb(verb) || verb.membership) return false;
  return verb.candidates.every(
    ({ takesObject, owner, operation: { type, name } }) =>
      takesObject && !owner && (requiredByAction[type]?.[name] ?? []).length === 0,
  );
}
