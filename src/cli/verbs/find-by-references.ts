/**
 * Lookup of unnamed objects by their references: `permissions revoke --role R --user U --object
 * vms/web01`.
 */

import type { ApiObject, Client } from '../../client/client.ts';
import { AmbiguousError, NotFoundError, UsageError } from '../../client/errors.ts';
import { listAttributes } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import type { CommandContext } from '../session/command-context.ts';
import { getReferenceId } from '../text/objects.ts';
import { type Collection, getCollection } from './collections.ts';
import type { Verb } from './derive-verbs.ts';
import { type Finder, findOperation, type Ids } from './references.ts';
import { type GivenFlags, type ParentReference, parseOn } from './resolve-collection.ts';
import { getVerbOptions } from './verb-names.ts';

/** References of the requested object as words by attribute, and its collection. */
export interface References {
  readonly words: ReadonlyMap<string, string>;
  /** Other flags, which select the collection. */
  readonly places: GivenFlags;
  readonly on: ParentReference | undefined;
}

interface VerbInput {
  readonly given: GivenFlags;
  readonly on: ParentReference | undefined;
  readonly options: Options;
  readonly words: readonly string[];
  /** Whether the command names single objects instead of a pattern or all. */
  readonly isNamed: boolean;
}

/**
 * Collects the references that identify the object of a verb; undefined if the verb has no such
 * flags, or an argument names the object. Throws `UsageError` if the flags are insufficient.
 */
export function collectReferences(verb: Verb, input: VerbInput): References | undefined {
  const { foundBy } = getVerbOptions(verb);
  const [essential = '', ...others] = foundBy ?? [];
  const { given, options, words, isNamed } = input;
  const isAsked = options[essential] !== undefined || options['object'] !== undefined;
  if (!foundBy || !isAsked) return undefined;
  const name = `${verb.noun} ${verb.name}`;
  if (words.length > 0 || !isNamed) {
    const other = isNamed ? words.join(' ') : options['all'] === true ? '--all' : '--glob';
    throw new UsageError(`${name}: ${other} and --${essential} exclude each other`, {
      hint: 'use its id, or the flags that identify it',
    });
  }
  const on = parseParent(name, input);
  const found = new Map<string, string>();
  const places = new Map(given);
  for (const attribute of foundBy) {
    const text = options[attribute];
    if (typeof text !== 'string') continue;
    found.set(attribute, text);
    places.delete(attribute);
  }
  if (!found.has(essential)) throw createMissingError(name, [essential]);
  const isWhose = others.some((attribute) => found.has(attribute));
  const isOfOther = on !== undefined && others.some((one) => `${one}s` === on.noun);
  if (!isWhose && !isOfOther) throw createMissingError(name, others);
  return { words: found, places, on };
}

/** Parses `--object` or `--on`. */
function parseParent(name: string, { on, options }: VerbInput): ParentReference | undefined {
  const text = options['object'];
  if (typeof text !== 'string') return on;
  if (!on) return parseOn(text, '--object');
  throw new UsageError(`${name}: --on and --object have the same meaning`, {
    hint: 'use one of them',
  });
}

function createMissingError(name: string, attributes: readonly string[]): UsageError {
  const flags = attributes.map((attribute) => `--${attribute} REF`);
  return new UsageError(`${name}: no object given`, {
    hint: `use ${flags.join(' or ')}, or its id`,
  });
}

/** Context of a lookup. */
interface Lookup {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly finder: Finder;
  readonly collection: Collection;
  readonly ids: Ids;
  readonly options: Options;
}

/**
 * Finds the object of a collection with all references. Returns its id, or an empty list if it does
 * not exist and `--if-needed` is set. Throws if none or several match.
 */
export async function findByReferences(
  { cli, client, finder, collection, ids, options }: Lookup,
  { words }: References,
): Promise<readonly string[]> {
  const { path, noun } = collection;
  const wanted = new Map<string, string>();
  for (const [attribute, word] of words) {
    const reference = await finder.createReference(word, attribute);
    if ('id' in reference) wanted.set(attribute, reference.id);
  }
  const operation = findOperation(path, 'list');
  const items = operation ? await client.list({ operation, ids, what: `list ${noun}` }) : [];
  const matches = items.filter(
    (item) =>
      [...wanted].every(([attribute, id]) => getReferenceId(item, attribute) === id) &&
      belongsToParent(item, collection, ids, words),
  );
  const [first, ...others] = matches;
  const description = [...words].map(([attribute, word]) => `--${attribute} ${word}`).join(' ');
  if (!first && options['ifNeeded'] === true) {
    cli.note(`no ${noun} with ${description}; nothing to do`);
    return [];
  }
  if (!first) {
    throw new NotFoundError(`no ${noun} with ${description}`, {
      hint: `vmctl ${noun} list, with the same parent`,
    });
  }
  if (others.length === 0) return [String(first['id'])];
  throw new AmbiguousError(`${matches.length} ${noun} have ${description}`, {
    hint: 'use the id',
    next: matches.map((item) => `${noun}/${String(item['id'])}`),
  });
}

/**
 * Whether an object belongs to the parent of the collection. Services also list inherited objects
 * there, which are not meant.
 */
function belongsToParent(
  item: ApiObject,
  { parents, type }: Collection,
  ids: Ids,
  words: ReadonlyMap<string, string>,
): boolean {
  const parent = parents.at(-1);
  if (!parent) return true;
  const owner = getCollection(parent.collection).type;
  const id = getReferenceId(item, owner);
  if (id !== undefined) return id === ids[parent.placeholder];
  return Object.keys(listAttributes(type)).every(
    (attribute) => words.has(attribute) || getReferenceId(item, attribute) === undefined,
  );
}
