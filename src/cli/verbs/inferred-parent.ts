/**
 * A child whose parent is not named: where it can only belong to one kind of object, all of these are
 * asked for it. Of two that have one of this name none is chosen.
 */
import { AmbiguousError, UsageError } from '../../client/errors.ts';
import type { Cli } from '../session/command-context.ts';
import { collectionAt } from './collections.ts';
import type { Verb } from './derive-verbs.ts';
import type { VerbFlags } from './flags.ts';
import { Finder, operationNamed } from './references.ts';
import { type Chosen, chooseRoute, type Given, type On } from './resolve-collection.ts';

/** So many parents are asked; with more it is quicker to name one. */
const most = 50;

/** What somebody gave to say where. */
export interface Asked {
  readonly given: Given;
  readonly on: On | undefined;
  readonly withObject: boolean;
  /** The first object, if it is named. */
  readonly word: string | undefined;
}

/** The place that the flags mean; where they do not say it, the one that the object is at. */
export async function choosePlace(
  cli: Cli,
  verb: Verb,
  verbFlags: VerbFlags,
  { given, on, withObject, word }: Asked,
): Promise<Chosen> {
  try {
    return chooseRoute(verb, verbFlags, given, on, withObject);
  } catch (error) {
    const isMissing = error instanceof UsageError && error.code === 'missing_parent';
    if (!isMissing || on || !withObject || word === undefined) throw error;
    const more = await withParent(cli, verb, verbFlags, given, word);
    if (!more) throw error;
    return chooseRoute(verb, verbFlags, more, on, withObject);
  }
}

/** The flags with the parent of the object added; nothing where it cannot be told. */
async function withParent(
  cli: Cli,
  verb: Verb,
  { meanings, flags }: VerbFlags,
  given: Given,
  word: string,
): Promise<Given | undefined> {
  const places = [...meanings].filter(
    ([{ takesObject, parents, owner }, meaning]) =>
      takesObject &&
      !owner &&
      parents.length === 1 &&
      !given.has([...meaning.parents.keys()][0] ?? ''),
  );
  const [place] = places;
  if (!place || places.length > 1) return undefined;
  const [{ collection }, meaning] = place;
  const [[key, parent] = []] = meaning.parents;
  const home = parent && collectionAt(parent.collection);
  const list = home && operationNamed(home.path, 'list');
  if (key === undefined || !home || !list || home.parents.length > 0) return undefined;
  const client = await cli.client();
  const finder = new Finder(client);
  const query = list.query.includes('max') ? { max: most + 1 } : {};
  const owners = await client.list({ operation: list, query });
  if (owners.length > most) return undefined;
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
    throw new AmbiguousError(`${verb.noun}/${word} is there more than once:\n${lines.join('\n')}`, {
      hint: `say whose with --${flag}`,
    });
  }
  cli.note(`${verb.noun}/${word} of ${home.noun}/${nameOf(only)}`);
  return new Map([...given, [key, [String(only['id'])]]]);
}
