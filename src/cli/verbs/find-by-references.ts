/**
 * Objects without names, found by the flags that made them: `permissions revoke --role R --user U
 * --object vms/web01`.
 */
import type { ApiObject, Client } from '../../client/client.ts';
import { AmbiguousError, NotFoundError, UsageError } from '../../client/errors.ts';
import { listAttributes } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Collection, collectionAt } from './collections.ts';
import type { Verb } from './derive-verbs.ts';
import { type Finder, type Ids, operationNamed } from './references.ts';
import { type Given, type On, parseOn } from './resolve-collection.ts';
import { verbOptions } from './verb-names.ts';

/** References that an object has to have, as words by attribute, and where it is looked for. */
export interface References {
  readonly words: ReadonlyMap<string, string>;
  /** The flags that are left, which say in which collection. */
  readonly places: Given;
  readonly on: On | undefined;
}

interface VerbInput {
  readonly given: Given;
  readonly on: On | undefined;
  readonly options: Options;
  readonly words: readonly string[];
  /** Whether the objects are named one by one, not by a pattern or all of them. */
  readonly isNamed: boolean;
}

/**
 * The references by which the object of a verb is to be found; nothing where the verb does not find any
 * so, or an argument names its object. Throws where the flags do not say enough to mean one object.
 */
export function referencesOf(verb: Verb, input: VerbInput): References | undefined {
  const { foundBy } = verbOptions(verb);
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
  const on = placeOf(name, input);
  const found = new Map<string, string>();
  const places = new Map(given);
  for (const attribute of foundBy) {
    const text = options[attribute];
    if (typeof text !== 'string') continue;
    found.set(attribute, text);
    places.delete(attribute);
  }
  if (!found.has(essential)) throw missing(name, [essential]);
  const isWhose = others.some((attribute) => found.has(attribute));
  const isOfOther = on !== undefined && others.some((one) => `${one}s` === on.noun);
  if (!isWhose && !isOfOther) throw missing(name, others);
  return { words: found, places, on };
}

/** What `--object` or `--on` names. */
function placeOf(name: string, { on, options }: VerbInput): On | undefined {
  const text = options['object'];
  if (typeof text !== 'string') return on;
  if (!on) return parseOn(text, '--object');
  throw new UsageError(`${name}: --on and --object have the same meaning`, {
    hint: 'use one of them',
  });
}

function missing(name: string, attributes: readonly string[]): UsageError {
  const flags = attributes.map((attribute) => `--${attribute} REF`);
  return new UsageError(`${name}: no object given`, {
    hint: `use ${flags.join(' or ')}, or its id`,
  });
}

/** Where the object is looked for, and by what. */
interface Lookup {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly finder: Finder;
  readonly collection: Collection;
  readonly ids: Ids;
  readonly options: Options;
}

/**
 * The id of the one object of a collection that has all of the references; none where there is no such
 * object and `--if-needed` allows that. Throws where there is none, or several.
 */
export async function findByReferences(
  { cli, client, finder, collection, ids, options }: Lookup,
  { words }: References,
): Promise<readonly string[]> {
  const { path, noun } = collection;
  const wanted = new Map<string, string>();
  for (const [attribute, word] of words) {
    const reference = await finder.reference(word, attribute);
    if ('id' in reference) wanted.set(attribute, reference.id);
  }
  const operation = operationNamed(path, 'list');
  const items = operation ? await client.list({ operation, ids, what: `list ${noun}` }) : [];
  const matches = items.filter(
    (item) =>
      [...wanted].every(([attribute, id]) => idAt(item, attribute) === id) &&
      isAbout(item, collection, ids, words),
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
 * Whether an object is about what owns the collection: services list there what is inherited from
 * above, too, which is not meant.
 */
function isAbout(
  item: ApiObject,
  { parents, type }: Collection,
  ids: Ids,
  words: ReadonlyMap<string, string>,
): boolean {
  const parent = parents.at(-1);
  if (!parent) return true;
  const owner = collectionAt(parent.collection).type;
  const id = idAt(item, owner);
  if (id !== undefined) return id === ids[parent.placeholder];
  return Object.keys(listAttributes(type)).every(
    (attribute) => words.has(attribute) || idAt(item, attribute) === undefined,
  );
}

function idAt(item: ApiObject, attribute: string): unknown {
  return (item[attribute] as ApiObject | undefined)?.['id'];
}
