/**
 * The collection that a verb is about: the one in which every given flag has a meaning, or the
 * only one that has the named object.
 */
import { AmbiguousError, UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { collectionAt, kindOf } from './collections.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import type { Meanings, ModelFlag, VerbFlags } from './flags.ts';
import { Finder, operationNamed } from './references.ts';

/** Values of flags, by key, as they were typed. */
export type Given = ReadonlyMap<string, readonly string[]>;

export interface ResolvedCollection {
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
function matchCandidate(
  verb: Verb,
  { flags, meanings }: VerbFlags,
  given: Given,
  on: On | undefined,
  withObject: boolean,
): ResolvedCollection {
  const inner = (candidate: Candidate) => candidate.parents.at(-1);
  const possible = [...meanings].filter(
    ([candidate]) =>
      (candidate.takesObject === withObject || verb.isStatistics === true) &&
      (on === undefined || inner(candidate)?.noun === on.noun),
  );
  if (possible.length === 0) throw noSuchCollection(verb, on, withObject);
  const fitting = possible.filter(([, meaning]) =>
    parentKeys(meaning, on).every((key) => given.has(key)),
  );
  if (fitting.length === 0) throw missingParents(verb, flags, possible);
  const matching = fitting.filter(([, meaning]) =>
    [...given.keys()].every(
      (key) =>
        parentKeys(meaning, on).includes(key) ||
        meaning.fields.has(key) ||
        meaning.queries.has(key),
    ),
  );
  if (matching.length === 0) throw inapplicableFlag(verb, flags, given, fitting);
  matching.sort(([a], [b]) => a.parents.length - b.parents.length);
  const [best, next] = matching;
  if (!best) throw new Error('A usable place went missing.');
  if (next && next[0].parents.length === best[0].parents.length) {
    throw missingParents(verb, flags, matching);
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

function nameOf(flags: readonly ModelFlag[], key: string): string {
  return `--${flags.find((one) => one.key === key)?.names[0] ?? key}`;
}

function flagText(flags: readonly ModelFlag[], key: string): string {
  const value = flags.find((one) => one.key === key)?.value;
  return value === undefined ? nameOf(flags, key) : `${nameOf(flags, key)} ${value}`;
}

function noSuchCollection(verb: Verb, on: On | undefined, withObject: boolean): UsageError {
  if (on) {
    return new UsageError(`${verb.noun} ${verb.name}: --on ${on.noun} is not possible`, {
      hint: `vmctl ${verb.noun} ${verb.name} --help`,
    });
  }
  return new UsageError(
    withObject
      ? `${verb.noun} ${verb.name} takes no object`
      : `${verb.noun} ${verb.name}: no object given`,
    { hint: `vmctl ${verb.noun} ${verb.name} --help` },
  );
}

type Candidates = readonly (readonly [Candidate, Meanings])[];

function missingParents(
  verb: Verb,
  flags: readonly ModelFlag[],
  candidates: Candidates,
): UsageError {
  const ways = candidates.map(([, meaning]) =>
    [...meaning.parents.keys()].map((key) => flagText(flags, key)).join(' '),
  );
  const unique = [...new Set(ways)].filter(Boolean).sort((a, b) => a.length - b.length);
  const shown = unique.slice(0, 8);
  const choices = [
    ...shown.map((way) => way.replaceAll(/ REF(?= |$)/g, '').replaceAll(' --', ' with --')),
    ...(unique.length > shown.length ? ['--on KIND/NAME'] : []),
  ];
  return new UsageError(`${verb.noun} ${verb.name} needs a parent: ${alternatives(choices)}`, {
    code: 'missing_parent',
    hint: `vmctl ${verb.noun} ${verb.name} ${unique[0] ?? '--on KIND/NAME'}`,
  });
}

/** `a`, `a or b`, `a, b or c`. */
function alternatives(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function inapplicableFlag(
  verb: Verb,
  flags: readonly ModelFlag[],
  given: Given,
  candidates: Candidates,
): UsageError {
  const [, meaning] = candidates[0] ?? [];
  const unusedKey = [...given.keys()].find(
    (key) => !meaning?.parents.has(key) && !meaning?.fields.has(key) && !meaning?.queries.has(key),
  );
  const rest = [...given.keys()]
    .filter((key) => key !== unusedKey)
    .map((key) => nameOf(flags, key));
  const together = rest.length > 0 ? ` together with ${rest.join(', ')}` : '';
  return new UsageError(
    `${verb.noun} ${verb.name}: ${nameOf(flags, unusedKey ?? '')} is not valid${together}`,
    { hint: `vmctl ${verb.noun} ${verb.name} --help` },
  );
}

/** So many parents are asked; with more it is quicker to name one. */
const maxParents = 50;

/** What somebody gave to say where. */
export interface LocationRequest {
  readonly given: Given;
  readonly on: On | undefined;
  readonly withObject: boolean;
  /** The first object, if it is named. */
  readonly word: string | undefined;
}

/** The place that the flags mean; where they do not say it, the one that the object is at. */
export async function resolveCollection(
  cli: CommandContext,
  verb: Verb,
  verbFlags: VerbFlags,
  { given, on, withObject, word }: LocationRequest,
): Promise<ResolvedCollection> {
  try {
    return matchCandidate(verb, verbFlags, given, on, withObject);
  } catch (error) {
    const isMissing = error instanceof UsageError && error.code === 'missing_parent';
    if (!isMissing || on || !withObject || word === undefined) throw error;
    const more = await withParent(cli, verb, verbFlags, given, word);
    if (!more) throw error;
    return matchCandidate(verb, verbFlags, more, on, withObject);
  }
}

/** The flags with the parent of the object added; nothing where it cannot be told. */
async function withParent(
  cli: CommandContext,
  verb: Verb,
  { meanings, flags }: VerbFlags,
  given: Given,
  word: string,
): Promise<Given | undefined> {
  const candidates = [...meanings].filter(
    ([{ takesObject, parents, owner }, meaning]) =>
      takesObject &&
      !owner &&
      parents.length === 1 &&
      !given.has([...meaning.parents.keys()][0] ?? ''),
  );
  const [candidate] = candidates;
  if (!candidate || candidates.length > 1) return undefined;
  const [{ collection }, meaning] = candidate;
  const [[key, parent] = []] = meaning.parents;
  const home = parent && collectionAt(parent.collection);
  const list = home && operationNamed(home.path, 'list');
  if (key === undefined || !home || !list || home.parents.length > 0) return undefined;
  const client = await cli.client();
  const finder = new Finder(client);
  const query = list.query.includes('max') ? { max: maxParents + 1 } : {};
  const owners = await client.list({ operation: list, query });
  if (owners.length > maxParents) return undefined;
  const found = (
    await Promise.all(
      owners.map(async (owner) => {
        const ids = { [parent.placeholder]: String(owner['id']) };
        return (await finder.look(word, collection, ids)) ? owner : undefined;
      }),
    )
  ).filter((owner) => owner !== undefined);
  const [only, ...others] = found;
  if (!only) return undefined;
  const flag = flags.find((one) => one.key === key)?.names[0] ?? key;
  const nameOf = (owner: (typeof found)[number]) => String(owner['name'] ?? owner['id']);
  if (others.length > 0) {
    const lines = found.map((owner) => `  --${flag} ${nameOf(owner)}`);
    throw new AmbiguousError(`${verb.noun}/${word} matches several objects:\n${lines.join('\n')}`, {
      hint: `add the parent with --${flag}`,
    });
  }
  cli.note(`${verb.noun}/${word} of ${home.noun}/${nameOf(only)}`);
  return new Map([...given, [key, [String(only['id'])]]]);
}
