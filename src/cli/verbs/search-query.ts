/** Preparation of `--search` before the request: bookmarks and validation. */
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { searchFields } from '../../model/derive/search.ts';
import { isSearchable, type Operation } from '../../model/index.ts';
import { parseSearch, SearchError, type SearchQuery } from '../../search/index.ts';
import { findNoun } from '../args/catalog.ts';
import { formatPlain } from '../output/cells.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { getDisplayWidth } from '../text/display-width.ts';
import { type Collection, getCollection, listCollections, listModelNouns } from './collections.ts';
import { type Finder, findOperation } from './references.ts';

/** Returns the search type of an operation: a key of `searchFields`, or a type without fields. */
export function getSearchType({ path, type }: Pick<Operation, 'path' | 'type'>): string {
  // Directory entries have different fields.
  const ofDirectory = `directory_${type}`;
  return path.startsWith('/domains/') && Object.hasOwn(searchFields, ofDirectory)
    ? ofDirectory
    : type;
}

/** Lists the nouns with searchable lists. */
export function listSearchableNouns(): readonly string[] {
  return listModelNouns().filter((noun) => findSearchType(noun) !== undefined);
}

/** Returns the search type of a noun; undefined if its lists are not searchable. */
export function findSearchType(noun: string): string | undefined {
  const types = listCollections(noun).flatMap(({ path }) => {
    const list = findOperation(path, 'list');
    return list && isSearchable(list) ? [getSearchType(list)] : [];
  });
  return types.find((type) => Object.hasOwn(searchFields, type));
}

/** Description of a search for messages. */
export interface SearchDescription {
  readonly noun: string;
  readonly type: string;
  /** Origin of the query: `--search`, `the bookmark up`. */
  readonly origin: string;
  /** Flag that skips the validation. */
  readonly bypass?: string;
}

/**
 * Parses a search like the service. Throws `UsageError` with the position of the mistake. Returns
 * undefined if the fields of the type are unknown.
 */
export function parseCheckedSearch(
  text: string,
  searched: SearchDescription,
): SearchQuery | undefined {
  if (!Object.hasOwn(searchFields, searched.type)) return undefined;
  try {
    return parseSearch(text, searched.type);
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    throw createSearchError(text, error, searched);
  }
}

function createSearchError(
  text: string,
  error: SearchError,
  searched: SearchDescription,
): UsageError {
  const { noun, origin, bypass } = searched;
  const { problem, position, expected } = error;
  const wrong = getWordAt(text, position);
  // `expected` contains fields, values or descriptions.
  const near = /^\w/.test(wrong) ? findCloseMatches(wrong, expected) : [];
  const few = expected.length <= maxHintChoices ? expected.join(', ') : '';
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : few === ''
        ? `vmctl search-help ${noun}`
        : `expected: ${few}`;
  const more = bypass === undefined ? '' : `; ${bypass} skips the validation`;
  return new UsageError(
    `${origin}: ${problem} (character ${position + 1})\n${formatWithCaret(text, position)}`,
    {
      code: 'bad_search',
      hint: `${hint}${more}`,
      ...(near.length > 0
        ? { next: near.map((word) => replaceWord(text, position, wrong, word)) }
        : {}),
      cause: error,
    },
  );
}

/** Maximum number of choices in a hint; more are omitted. */
const maxHintChoices = 8;

/** Number of characters of a long search before and after the mistake. */
const contextLength = 50;

/** Formats the search with a caret below the character at a position. */
function formatWithCaret(text: string, position: number): string {
  const line = text.replaceAll(/\s/g, ' ');
  const cut = position > contextLength + 3;
  const before = `${cut ? '...' : ''}${line.slice(cut ? position - contextLength : 0, position)}`;
  const rest = line.slice(position);
  const after = rest.length > contextLength ? `${rest.slice(0, contextLength)}...` : rest;
  return `  ${before}${after}\n  ${' '.repeat(getDisplayWidth(before))}^`;
}

function getWordAt(text: string, position: number): string {
  return /^"?([^\s"=<>!]*)/.exec(text.slice(position))?.[1] ?? '';
}

/** Returns the search with the wrong word replaced. */
function replaceWord(text: string, position: number, wrong: string, word: string): string {
  const start = text[position] === '"' ? position + 1 : position;
  return `${text.slice(0, start)}${word}${text.slice(start + wrong.length)}`;
}

/**
 * Returns the query for `--search`: validated, or that of the named bookmark. Throws `UsageError`
 * before any request except that for the bookmark.
 * @param finder finds bookmarks; without it the text is not a bookmark
 */
export async function prepareSearch(
  text: string,
  { path, noun }: Pick<Collection, 'path' | 'noun'>,
  { searchCheck }: { readonly searchCheck?: unknown },
  finder?: Finder,
): Promise<string> {
  if (text.trim() === '') {
    throw new UsageError('--search is empty', {
      code: 'empty_search',
      hint: 'quote the query, and check that the variable in it is set; without --search the list is complete',
    });
  }
  const isNamed = finder !== undefined && isBookmark(text);
  const search = isNamed ? await readBookmark(finder, text, noun) : text;
  const list = findOperation(path, 'list');
  if (!list || searchCheck === false) return search;
  const origin = isNamed ? `--search ${text}` : '--search';
  parseCheckedSearch(search, {
    noun,
    type: getSearchType(list),
    origin,
    bypass: '--no-search-check',
  });
  return search;
}

/** Kinds in bookmarks that are not nouns. */
const bookmarkKinds: Readonly<Record<string, string>> = {
  storage: 'storagedomains',
  storages: 'storagedomains',
  pool: 'vmpools',
  pools: 'vmpools',
  volume: 'glustervolumes',
  volumes: 'glustervolumes',
};

/** Whether a search is the name of a bookmark: `@up`. */
export function isBookmark(text: string): boolean {
  return text.startsWith('@');
}

/**
 * Reads the query of a bookmark for objects of a noun: `@up`. Throws if the bookmark does not exist
 * or is for another noun.
 */
async function readBookmark(finder: Finder, text: string, noun: string): Promise<string> {
  const name = text.slice(1);
  if (name.trim() === '') {
    throw new UsageError(`--search ${text}: bookmark name missing`, {
      hint: 'use --search @NAME; vmctl bookmarks list shows the names',
    });
  }
  const { item } = await finder.find(`bookmarks/${name}`, getCollection('/bookmarks'));
  const value = formatPlain(item?.value).trim();
  if (value === '') throw new NotFoundError(`bookmark ${name} has no query`);
  const [, word = '', search = value] = /^([A-Za-z]+)\s*:\s*(.*)$/s.exec(value) ?? [];
  if (word === '') return search;
  const kind = bookmarkKinds[word.toLowerCase()] ?? findNoun(word)?.name ?? word;
  if (kind === noun) return search;
  throw new UsageError(`--search ${text}: the bookmark is for ${kind}, not ${noun}: ${value}`, {
    code: 'bad_search',
    hint: findNoun(kind)
      ? `vmctl ${kind} list --search ${/^@[\w.-]+$/.test(text) ? text : `'${text}'`}`
      : 'vmctl bookmarks list',
  });
}
