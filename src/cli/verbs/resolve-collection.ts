/** Which of the places of a verb is meant: the one that can use every flag that was given. */
import { UsageError } from '../../client/errors.ts';
import { kindOf } from './collections.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import type { Flag, Meanings, VerbFlags } from './flags.ts';

/** Values of flags, by key, as they were typed. */
export type Given = ReadonlyMap<string, readonly string[]>;

export interface Chosen {
  readonly candidate: Candidate;
  readonly meanings: Meanings;
  /** The words for the parents, by placeholder. */
  readonly parentWords: ReadonlyMap<string, string>;
}

/** `--on KIND/REF`: names the innermost parent together with its kind. */
export interface On {
  readonly noun: string;
  readonly word: string;
}

/** Reads the kind and the object in `--on` and `--object`. */
export function parseOn(text: string, flag = '--on'): On {
  const at = text.indexOf('/');
  const noun = at < 0 ? undefined : kindOf(text.slice(0, at));
  const word = text.slice(at + 1);
  if (noun === undefined || word === '') {
    throw new UsageError(`${flag} ${text}: not a kind and an object`, {
      hint: `write ${flag} vms/web01`,
    });
  }
  return { noun, word };
}

/** Chooses the place. Throws when none or more than one fits, and says what is missing. */
export function chooseRoute(
  verb: Verb,
  { flags, meanings }: VerbFlags,
  given: Given,
  on: On | undefined,
  withObject: boolean,
): Chosen {
  const inner = (candidate: Candidate) => candidate.parents.at(-1);
  const possible = [...meanings].filter(
    ([candidate]) =>
      (candidate.takesObject === withObject || verb.isStatistics === true) &&
      (on === undefined || inner(candidate)?.noun === on.noun),
  );
  if (possible.length === 0) throw noPlace(verb, on, withObject);
  const fitting = possible.filter(([, meaning]) =>
    parentKeys(meaning, on).every((key) => given.has(key)),
  );
  if (fitting.length === 0) throw missingParents(verb, flags, possible);
  const usable = fitting.filter(([, meaning]) =>
    [...given.keys()].every(
      (key) =>
        parentKeys(meaning, on).includes(key) ||
        meaning.fields.has(key) ||
        meaning.queries.has(key),
    ),
  );
  if (usable.length === 0) throw uselessFlag(verb, flags, given, fitting);
  usable.sort(([a], [b]) => a.parents.length - b.parents.length);
  const [best, next] = usable;
  if (!best) throw new Error('A usable place went missing.');
  if (next && next[0].parents.length === best[0].parents.length) {
    throw missingParents(verb, flags, usable);
  }
  const [candidate, meaning] = best;
  return { candidate, meanings: meaning, parentWords: words(candidate, meaning, given, on) };
}

/** The keys of the parents that flags have to name. */
function parentKeys(meaning: Meanings, on: On | undefined): readonly string[] {
  const keys = [...meaning.parents.keys()];
  return on ? keys.slice(0, -1) : keys;
}

function words(
  candidate: Candidate,
  meaning: Meanings,
  given: Given,
  on: On | undefined,
): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const [key, parent] of meaning.parents) {
    const isInnermost = parent === candidate.parents.at(-1);
    const word = on && isInnermost ? on.word : given.get(key)?.at(-1);
    if (word !== undefined) result.set(parent.placeholder, word);
  }
  return result;
}

function flagText(flags: readonly Flag[], key: string): string {
  const flag = flags.find((one) => one.key === key);
  const name = `--${flag?.names[0] ?? key}`;
  return flag?.value === undefined ? name : `${name} ${flag.value}`;
}

function noPlace(verb: Verb, on: On | undefined, withObject: boolean): UsageError {
  if (on) {
    return new UsageError(`${verb.noun} ${verb.name}: not possible --on ${on.noun}`, {
      hint: `vmctl ${verb.noun} ${verb.name} --help lists what is`,
    });
  }
  return new UsageError(
    withObject
      ? `${verb.noun} ${verb.name} takes no object`
      : `${verb.noun} ${verb.name}: which one?`,
    { hint: `name it; vmctl ${verb.noun} ${verb.name} --help tells more` },
  );
}

type Places = readonly (readonly [Candidate, Meanings])[];

function missingParents(verb: Verb, flags: readonly Flag[], places: Places): UsageError {
  const ways = places.map(([, meaning]) =>
    [...meaning.parents.keys()].map((key) => flagText(flags, key)).join(' '),
  );
  const unique = [...new Set(ways)].sort((a, b) => a.length - b.length);
  const shown = unique.slice(0, 8).map((way) => (way === '' ? '(no flag)' : way));
  const more = unique.length > shown.length ? ', or --on KIND/REF' : '';
  return new UsageError(`${verb.noun} ${verb.name}: it is not said of which object`, {
    code: 'missing_parent',
    hint: `give ${shown.join(', or ')}${more}`,
  });
}

function uselessFlag(verb: Verb, flags: readonly Flag[], given: Given, places: Places): UsageError {
  const [, meaning] = places[0] ?? [];
  const odd = [...given.keys()].find(
    (key) => !meaning?.parents.has(key) && !meaning?.fields.has(key) && !meaning?.queries.has(key),
  );
  const rest = [...given.keys()].filter((key) => key !== odd).map((key) => flagText(flags, key));
  const together = rest.length > 0 ? ` together with ${rest.join(', ')}` : '';
  return new UsageError(
    `${verb.noun} ${verb.name}: ${flagText(flags, odd ?? '')} is not possible${together}`,
    { hint: `vmctl ${verb.noun} ${verb.name} --help lists what goes together` },
  );
}
