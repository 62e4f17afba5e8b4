/** Identifiers of objects: ids, names, and the words of a command that mean them. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { valueAt } from '../output/cells.ts';
import { kindOf } from './collections.ts';

/** The attributes by which objects of a type are known; the first is what lists show. */
export function nameAttributesOf(type: string): readonly string[] {
  return typeOptions[type]?.knownBy ?? ['name'];
}

/** The link that has to be followed to see those attributes. */
export function nameFollowOf(type: string): string | undefined {
  return typeOptions[type]?.knownThrough;
}

/** Whether lists of a type are long enough to search instead, always by `name`. */
export function isSearchedByName(type: string): boolean {
  return typeOptions[type]?.searchedByName === true;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a word can only be an id. */
export function isUuid(word: string): boolean {
  return uuid.test(word);
}

/** Takes `vms/web01` apart; a word without a kind is a name or an id of the expected kind. */
export function bareWord(word: string, noun: string): string {
  if (word.trim() === '') {
    throw new UsageError(`${noun}: the name is empty`, {
      hint: 'quote the name, and check that the variable in it is set',
    });
  }
  const at = word.indexOf('/');
  if (at < 0) return word;
  const kind = kindOf(word.slice(0, at));
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

/** What tells objects of the same name apart: `data_center` of networks, and its id. */
export interface Scope {
  readonly attribute: string;
  readonly id: string;
}

/** Some services put this behind the profile with which a user signs in: `jane@internal-authz`. */
const directorySuffix = '-authz';

/** Whether a word is the id of an object, or one of these names of it. */
export function isMatch(item: ApiObject, word: string, names: readonly string[]): boolean {
  return (
    item['id'] === word ||
    names.some((name) => {
      const value = valueAt(item, name);
      return value === word || (name === 'user_name' && value === `${word}${directorySuffix}`);
    })
  );
}

/** Whether an object may be in the scope: what does not tell may. */
export function isWithin(item: ApiObject, scope: Scope | undefined): boolean {
  const id = scope && valueAt(item, `${scope.attribute}.id`);
  return id === undefined || id === scope?.id;
}

/** Words with a meaning of their own in searches. */
const searchKeyword = /^(and|or|page|sortby|asc|desc|null)$/i;

/** A search for the exact name; `undefined` if the search language has no form for it. */
export function searchFor(word: string, names: readonly string[]): string | undefined {
  if (/["*\\';]/.test(word)) return undefined;
  const field = names[0] === 'alias' ? 'alias' : 'name';
  const plain = /^[\w.-]+$/.test(word) && !searchKeyword.test(word);
  return `${field}=${plain ? word : `"${word}"`}`;
}
