/** `--search` before it is sent: bookmarks are looked up, and what does not parse is refused. */
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { searchFields } from '../../model/derive/search.ts';
import { isSearchable, type Operation } from '../../model/index.ts';
import { parseSearch, SearchError, type SearchQuery } from '../../search/index.ts';
import { nounOf } from '../args/catalog.ts';
import { plainText } from '../output/cells.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { displayWidth } from '../text/display-width.ts';
import { type Collection, collectionAt, collectionsOf, modelNouns } from './collections.ts';
import { type Finder, operationNamed } from './references.ts';

/** What is searched by an operation: a key of `searchFields`, or one that has no fields. */
export function searchTypeOf({ path, type }: Pick<Operation, 'path' | 'type'>): string {
  // Entries of a directory have fields of their own.
  const ofDirectory = `directory_${type}`;
  return path.startsWith('/domains/') && Object.hasOwn(searchFields, ofDirectory)
    ? ofDirectory
    : type;
}

/** The nouns whose lists can be searched. */
export function searchableNouns(): readonly string[] {
  return modelNouns().filter((noun) => searchedOf(noun) !== undefined);
}

/** What a search for objects of a noun is about; nothing where their lists cannot be searched. */
export function searchedOf(noun: string): string | undefined {
  const types = collectionsOf(noun).flatMap(({ path }) => {
    const list = operationNamed(path, 'list');
    return list && isSearchable(list) ? [searchTypeOf(list)] : [];
  });
  return types.find((type) => Object.hasOwn(searchFields, type));
}

/** What a search is about, for messages. */
export interface Searched {
  readonly noun: string;
  /** A key of `searchFields`. */
  readonly type: string;
  /** Where the text is from: `--search`, `the bookmark up`. */
  readonly origin: string;
  /** How it can be sent all the same. */
  readonly wayOut?: string;
}

/**
 * Parses a search as the service will. Throws a `UsageError` that points at the slip; where nothing is
 * known of what is searched there is nothing to parse by.
 */
export function checkedSearch(text: string, searched: Searched): SearchQuery | undefined {
  if (!Object.hasOwn(searchFields, searched.type)) return undefined;
  try {
    return parseSearch(text, searched.type);
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    throw refusal(text, error, searched);
  }
}

function refusal(text: string, error: SearchError, searched: Searched): UsageError {
  const { noun, origin, wayOut } = searched;
  const { problem, position, expected } = error;
  const wrong = wordAt(text, position);
  // What is expected may be a field or a value, or a description of what could stand there.
  const near = /^\w/.test(wrong) ? closeMatches(wrong, expected) : [];
  const few = expected.length <= fewChoices ? expected.join(', ') : '';
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : few === ''
        ? `vmctl search-help ${noun}`
        : `expected: ${few}`;
  const more = wayOut === undefined ? '' : `; ${wayOut} skips the validation`;
  return new UsageError(
    `${origin}: ${problem} (character ${position + 1})\n${pointed(text, position)}`,
    {
      code: 'bad_search',
      hint: `${hint}${more}`,
      ...(near.length > 0
        ? { next: near.map((word) => replaced(text, position, wrong, word)) }
        : {}),
      cause: error,
    },
  );
}

/** So many choices are named, of more none. */
const fewChoices = 8;

/** So much of a long search is shown in front of the slip, and behind it. */
const context = 50;

/** The search with a caret below the character at a position. */
function pointed(text: string, position: number): string {
  const line = text.replaceAll(/\s/g, ' ');
  const cut = position > context + 3;
  const before = `${cut ? '...' : ''}${line.slice(cut ? position - context : 0, position)}`;
  const rest = line.slice(position);
  const after = rest.length > context ? `${rest.slice(0, context)}...` : rest;
  return `  ${before}${after}\n  ${' '.repeat(displayWidth(before))}^`;
}

function wordAt(text: string, position: number): string {
  return /^"?([^\s"=<>!]*)/.exec(text.slice(position))?.[1] ?? '';
}

/** The whole search with another word in place of the wrong one. */
function replaced(text: string, position: number, wrong: string, word: string): string {
  const start = text[position] === '"' ? position + 1 : position;
  return `${text.slice(0, start)}${word}${text.slice(start + wrong.length)}`;
}

/**
 * The search to send for what somebody gave with `--search`: as it is once it is found to parse, or what
 * the bookmark keeps that it names. Throws before anything is sent but the question for the bookmark.
 * @param finder finds bookmarks; without it the text is none
 */
export async function preparedSearch(
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
  const search = isNamed ? await searchOfBookmark(finder, text, noun) : text;
  const list = operationNamed(path, 'list');
  if (!list || searchCheck === false) return search;
  const origin = isNamed ? `--search ${text}` : '--search';
  checkedSearch(search, {
    noun,
    type: searchTypeOf(list),
    origin,
    wayOut: '--no-search-check',
  });
  return search;
}

/** Kinds as bookmarks have them in front, where they are no noun. */
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
 * The search that a bookmark keeps for objects of a noun: `@up`. Throws where there is no such bookmark,
 * and where it is about others.
 */
async function searchOfBookmark(finder: Finder, text: string, noun: string): Promise<string> {
  const name = text.slice(1);
  if (name.trim() === '') {
    throw new UsageError(`--search ${text}: bookmark name missing`, {
      hint: 'use --search @NAME; vmctl bookmarks list shows the names',
    });
  }
  const { item } = await finder.find(`bookmarks/${name}`, collectionAt('/bookmarks'));
  const value = plainText(item?.['value']).trim();
  if (value === '') throw new NotFoundError(`bookmark ${name} has no query`);
  const [, word = '', search = value] = /^([A-Za-z]+)\s*:\s*(.*)$/s.exec(value) ?? [];
  if (word === '') return search;
  const kind = bookmarkKinds[word.toLowerCase()] ?? nounOf(word)?.name ?? word;
  if (kind === noun) return search;
  throw new UsageError(`--search ${text}: the bookmark is for ${kind}, not ${noun}: ${value}`, {
    code: 'bad_search',
    hint: nounOf(kind)
      ? `vmctl ${kind} list --search ${/^@[\w.-]+$/.test(text) ? text : `'${text}'`}`
      : 'vmctl bookmarks list',
  });
}
