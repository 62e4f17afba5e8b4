/**
 * Resolution of the collection of a verb: the only one in which every flag has a meaning, or which
 * has the named object.
 */
import { AmbiguousError, UsageError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findKind, getCollection } from './collections.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import type { Meanings, ModelFlag, VerbFlags } from './flags.ts';
import { Finder, findOperation } from './references.ts';

/** Typed values of flags, by key. */
export type GivenFlags = ReadonlyMap<string, readonly string[]>;

export interface ResolvedCollection {
  readonly candidate: Candidate;
  readonly meanings: Meanings;
  /** The words for the parents, by placeholder. */
  readonly parentWords: ReadonlyMap<string, string>;
}

/** Innermost parent with its kind, from `--on KIND/REF`. */
export interface ParentReference {
  readonly noun: string;
  readonly word: string;
}

/** Parses kind and object of `--on` and `--object`. */
export function parseOn(text: string, flag = '--on'): ParentReference {
  const at = text.indexOf('/');
  const noun = at < 0 ? undefined : findKind(text.slice(0, at));
  const word = text.slice(at + 1);
  if (noun === undefined || word === '') {
    throw new UsageError(`${flag} ${text}: not a kind and an object`, {
      hint: `write ${flag} vms/web01`,
    });
  }
  return { noun, word };
}

/**
 * Selects the matching collection. Throws `UsageError` with the missing flags if none or several
 * match.
 */
function selectCandidate(
  verb: Verb,
  { flags, meanings }: VerbFlags,
  { given, on, withObject, word }: LocationRequest,
): ResolvedCollection {
  const inner = (candidate: Candidate) => candidate.parents.at(-1);
  const possible = [...meanings].filter(
    ([candidate]) =>
      (candidate.takesObject === withObject || verb.isStatistics === true) &&
      (on === undefined || inner(candidate)?.noun === on.noun),
  );
  if (possible.length === 0) throw createNoCollectionError(verb, on, withObject);
  const fitting = possible.filter(([, meaning]) =>
    listParentKeys(meaning, on).every((key) => given.has(key)),
  );
  if (fitting.length === 0) throw createMissingParentError(verb, flags, possible, word);
  const matching = fitting.filter(([, meaning]) =>
    [...given.keys()].every(
      (key) =>
        listParentKeys(meaning, on).includes(key) ||
        meaning.fields.has(key) ||
        meaning.queries.has(key),
    ),
  );
  if (matching.length === 0) throw createInvalidFlagError(verb, flags, given, fitting);
  matching.sort(([a], [b]) => a.parents.length - b.parents.length);
  const [best, next] = matching;
  if (!best) throw new Error('A usable place went missing.');
  if (next && next[0].parents.length === best[0].parents.length) {
    throw createMissingParentError(verb, flags, matching, word);
  }
  const [candidate, meaning] = best;
  return {
    candidate,
    meanings: meaning,
    parentWords: collectParentWords(candidate, meaning, given, on),
  };
}

/** Returns the keys of the parents that need a flag. */
function listParentKeys(meaning: Meanings, on: ParentReference | undefined): readonly string[] {
  const keys = [...meaning.parents.keys()];
  return on ? keys.slice(0, -1) : keys;
}

function collectParentWords(
  candidate: Candidate,
  meaning: Meanings,
  given: GivenFlags,
  on: ParentReference | undefined,
): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const [key, parent] of meaning.parents) {
    const isInnermost = parent === candidate.parents.at(-1);
    const word = on && isInnermost ? on.word : given.get(key)?.at(-1);
    if (word !== undefined) result.set(parent.placeholder, word);
  }
  return result;
}

function formatFlag(flags: readonly ModelFlag[], key: string): string {
  return `--${flags.find((one) => one.key === key)?.names[0] ?? key}`;
}

function formatFlagWithValue(flags: readonly ModelFlag[], key: string): string {
  const value = flags.find((one) => one.key === key)?.value;
  return value === undefined ? formatFlag(flags, key) : `${formatFlag(flags, key)} ${value}`;
}

function createNoCollectionError(
  verb: Verb,
  on: ParentReference | undefined,
  withObject: boolean,
): UsageError {
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

function createMissingParentError(
  verb: Verb,
  flags: readonly ModelFlag[],
  candidates: Candidates,
  word: string | undefined,
): UsageError {
  const flagSets = candidates.map(([, meaning]) =>
    [...meaning.parents.keys()].map((key) => formatFlagWithValue(flags, key)).join(' '),
  );
  const object = word === undefined ? [] : [shellQuote(word)];
  const unique = [...new Set(flagSets)].filter(Boolean).sort((a, b) => a.length - b.length);
  const shown = unique.slice(0, 8);
  const choices = [
    ...shown.map((way) => way.replaceAll(/ REF(?= |$)/g, '').replaceAll(' --', ' with --')),
    ...(unique.length > shown.length ? ['--on KIND/NAME'] : []),
  ];
  return new UsageError(
    `${verb.noun} ${verb.name} needs a parent: ${formatAlternatives(choices)}`,
    {
      code: 'missing_parent',
      hint: ['vmctl', verb.noun, verb.name, ...object, unique[0] ?? '--on KIND/NAME'].join(' '),
    },
  );
}

/** Formats alternatives: `a`, `a or b`, `a, b or c`. */
function formatAlternatives(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function createInvalidFlagError(
  verb: Verb,
  flags: readonly ModelFlag[],
  given: GivenFlags,
  candidates: Candidates,
): UsageError {
  const [, meaning] = candidates[0] ?? [];
  const unusedKey = [...given.keys()].find(
    (key) => !meaning?.parents.has(key) && !meaning?.fields.has(key) && !meaning?.queries.has(key),
  );
  const rest = [...given.keys()]
    .filter((key) => key !== unusedKey)
    .map((key) => formatFlag(flags, key));
  const together = rest.length > 0 ? ` together with ${rest.join(', ')}` : '';
  return new UsageError(
    `${verb.noun} ${verb.name}: ${formatFlag(flags, unusedKey ?? '')} is not valid${together}`,
    { hint: `vmctl ${verb.noun} ${verb.name} --help` },
  );
}

/** Maximum number of parents to search for an object; with more, the user has to name one. */
const maxParents = 50;

/** Given flags and arguments that select a collection. */
export interface LocationRequest {
  readonly given: GivenFlags;
  readonly on: ParentReference | undefined;
  readonly withObject: boolean;
  /** First object, if named. */
  readonly word: string | undefined;
}

/** Resolves the collection from the flags, or else from the parent of the named object. */
export async function resolveCollection(
  cli: CommandContext,
  verb: Verb,
  verbFlags: VerbFlags,
  request: LocationRequest,
): Promise<ResolvedCollection> {
  const { given, on, withObject, word } = request;
  try {
    return selectCandidate(verb, verbFlags, request);
  } catch (error) {
    const isMissing = error instanceof UsageError && error.code === 'missing_parent';
    if (!isMissing || on || !withObject || word === undefined) throw error;
    const more = await addParent(cli, verb, verbFlags, given, word);
    if (!more) throw error;
    return selectCandidate(verb, verbFlags, { ...request, given: more });
  }
}

/** Adds the parent of the object to the flags; undefined if it is unknown. */
async function addParent(
  cli: CommandContext,
  verb: Verb,
  { meanings, flags }: VerbFlags,
  given: GivenFlags,
  word: string,
): Promise<GivenFlags | undefined> {
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
  const home = parent && getCollection(parent.collection);
  const list = home && findOperation(home.path, 'list');
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
        return (await finder.findIfExists(word, collection, ids)) ? owner : undefined;
      }),
    )
  ).filter((owner) => owner !== undefined);
  const [only, ...others] = found;
  if (!only) return undefined;
  const flag = flags.find((one) => one.key === key)?.names[0] ?? key;
  const formatOwner = (owner: (typeof found)[number]) => String(owner['name'] ?? owner['id']);
  if (others.length > 0) {
    const lines = found.map((owner) => `  --${flag} ${formatOwner(owner)}`);
    throw new AmbiguousError(`${verb.noun}/${word} matches several objects:\n${lines.join('\n')}`, {
      hint: `add the parent with --${flag}`,
    });
  }
  cli.note(`${verb.noun}/${word} of ${home.noun}/${formatOwner(only)}`);
  return new Map([...given, [key, [String(only['id'])]]]);
}
