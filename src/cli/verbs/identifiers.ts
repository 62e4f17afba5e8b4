/** Identifiers of objects: ids, names, and words that refer to them. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { getValue } from '../output/cells.ts';
import { findKind } from './collections.ts';

/** Returns the name attributes of a type; lists show the first. */
export function getNameAttributes(type: string): readonly string[] {
  return typeOptions[type]?.knownBy ?? ['name'];
}

/** Returns the link to follow for the name attributes. */
export function getNameLink(type: string): string | undefined {
  return typeOptions[type]?.knownThrough;
}

/** Whether lists of a type are long, so that lookups search by `name` instead. */
export function isSearchedByName(type: string): boolean {
  return typeOptions[type]?.searchedByName === true;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a word can only be an id. */
export function isUuid(word: string): boolean {
  return uuid.test(word);
}

/**
 * Removes the kind of a reference: `vms/web01`. A word without a kind is a name or an id. Throws
 * `UsageError` for another kind or an empty name.
 */
export function parseReference(word: string, noun: string): string {
  if (word.trim() === '') {
    throw new UsageError(`${noun}: the name is empty`, {
      hint: 'quote the name, and check that the variable in it is set',
    });
  }
  const at = word.indexOf('/');
  if (at < 0) return word;
  const kind = findKind(word.slice(0, at));
  if (kind === undefined) return word;
  const rest = word.slice(at + 1);
  if (kind !== noun) {
    throw new UsageError(`${word} is of kind ${kind}; expected ${noun}`, {
      hint: `use ${noun}/${rest}, if that is its name`,
    });
  }
  if (rest === '') throw new UsageError(`${word}: the name is empty`);
  return rest;
}

/** Parent that distinguishes objects of the same name, such as the `data_center` of networks. */
export interface LookupScope {
  readonly attribute: string;
  readonly id: string;
}

/** Suffix that some services add to the profile of a user: `jane@internal-authz`. */
const directorySuffix = '-authz';

/** Whether a word is the id or one of the names of an object. */
export function isMatch(item: ApiObject, word: string, names: readonly string[]): boolean {
  return (
    item['id'] === word ||
    names.some((name) => {
      const value = getValue(item, name);
      return value === word || (name === 'user_name' && value === `${word}${directorySuffix}`);
    })
  );
}

/** Whether an object may be in the scope. Objects without the attribute may. */
export function isWithin(item: ApiObject, scope: LookupScope | undefined): boolean {
  const id = scope && getValue(item, `${scope.attribute}.id`);
  return id === undefined || id === scope?.id;
}

/** Keywords of the search language. */
const searchKeyword = /^(and|or|page|sortby|asc|desc|null)$/i;

/** Whether the search language can express a text without wildcards. */
export function isSearchText(text: string): boolean {
  return !/["*\\';]/.test(text);
}

/** Creates a search for the exact name; undefined if the search language cannot express it. */
export function createNameSearch(word: string, names: readonly string[]): string | undefined {
  if (!isSearchText(word)) return undefined;
  const field = names[0] === 'alias' ? 'alias' : 'name';
  const plain = /^[\w.-]+$/.test(word) && !searchKeyword.test(word);
  return `${field}=${plain ? word : `"${word}"`}`;
}
