/** Selection of table columns: `--columns`, checked against the model, preferences or defaults. */
import { UsageError } from '../../client/errors.ts';
import { isType, listAttributes, listLinkNames, parseKind } from '../../model/index.ts';
import { linksForList } from '../../model/list-links.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import {
  type Column,
  defaultColumns,
  defaultFollow,
  findShortName,
  nameMembers,
  parseColumn,
  wideColumns,
} from './columns.ts';
import type { ViewMetadata } from './view.ts';

/** Type or columns of the objects. */
type Shape = Pick<ViewMetadata, 'type' | 'columns' | 'hasContexts'>;

/** Path of the column for the context, if a command runs in several contexts. */
export const contextColumn = 'context';

/** Adds the column for the context if the command runs in several contexts. */
export function addContextColumn<F extends Shape>(cli: CommandContext, frame: F): F {
  return cli.origin === undefined ? frame : { ...frame, hasContexts: true };
}

/** Returns the selected columns, or the default columns of the type. */
export function selectColumns(cli: CommandContext, frame: ViewMetadata): readonly Column[] {
  const shape = addContextColumn(cli, frame);
  return findChosenColumns(cli, shape) ?? listDefaultColumns(shape, isWide(cli));
}

/** Whether tables have the additional columns of `-o wide`. */
function isWide(cli: CommandContext): boolean {
  return cli.setting('output')?.value === 'wide';
}

function listDefaultColumns(frame: Shape, wide = false): readonly Column[] {
  const own = frame.columns?.map(parseColumn) ?? defaultColumns(frame.type ?? '');
  const defaults = frame.hasContexts ? [parseColumn(contextColumn), ...own] : own;
  if (!wide) return defaults;
  const all = frame.columns ? defaults : [...defaults, ...wideColumns(frame.type ?? '')];
  return all.some(({ paths }) => paths[0] === 'id') ? all : [...all, parseColumn('id')];
}

/**
 * Returns the columns of `--columns`, or the preferred columns for lists of the noun; undefined
 * without both.
 */
export function findChosenColumns(
  cli: CommandContext,
  given: ViewMetadata,
): readonly Column[] | undefined {
  const frame = addContextColumn(cli, given);
  const flag = cli.setting('columns')?.value;
  const preferred = findPreferredColumns(cli, frame);
  if (flag === undefined) return preferred;
  return parseColumns(
    flag,
    frame,
    '--columns',
    preferred ?? listDefaultColumns(frame, isWide(cli)),
  );
}

function findPreferredColumns(
  cli: CommandContext,
  frame: ViewMetadata,
): readonly Column[] | undefined {
  const preferred = frame.single ? undefined : cli.findPreference(frame.noun, 'columns');
  if (preferred === undefined) return undefined;
  // One noun may have several types, such as the NICs of VMs and hosts. Columns of other types are
  // skipped.
  if (/^\s*[+-]/.test(preferred.value)) {
    return changeKnownColumns(preferred.value, frame, isWide(cli));
  }
  const known = preferred.value.split(',').flatMap((text) => {
    try {
      return parseColumns(text, frame, 'columns');
    } catch {
      return [];
    }
  });
  return known.length > 0 ? known : undefined;
}

/** Applies `+PATH,-PATH` of a preference, without columns that this type does not have. */
function changeKnownColumns(text: string, frame: Shape, wide: boolean): readonly Column[] {
  let columns = listDefaultColumns(frame, wide);
  for (const word of text.split(',')) {
    try {
      columns = parseColumns(word, frame, 'columns', columns);
    } catch {
      // Another type of the noun has the column.
    }
  }
  return columns;
}

/**
 * Parses a list of columns; `+PATH` and `-PATH` change `base`. Throws `UsageError` for columns that
 * the type does not have.
 */
export function parseColumns(
  text: string,
  frame: Shape,
  flag: string,
  base = listDefaultColumns(frame),
): readonly Column[] {
  const words = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const bare = words.find((one) => one === '+' || one === '-');
  if (bare !== undefined) {
    throw new UsageError(`${flag} ${text}: no column after ${bare}`, {
      hint: `write the name of a column after the sign: ${flag} ${bare}name`,
    });
  }
  const signed = words.filter((one) => /^[+-]/.test(one));
  if (signed.length > 0 && signed.length < words.length) {
    throw new UsageError(`${flag} ${text}: some columns have a sign and others have none`, {
      hint: `use ${words.map((one) => (/^[+-]/.test(one) ? one : `+${one}`)).join(',')}`,
    });
  }
  const columns =
    signed.length > 0
      ? changeColumns(base, words, frame, flag)
      : words.map((one) => findColumn(one, frame));
  if (columns.length === 0) throw new UsageError(`${flag}: no column given`);
  const paths = columns.flatMap((column) => column.paths);
  for (const path of paths) checkPath(path, frame, flag);
  return columns;
}

/** Adds columns with a plus sign, and removes those with a minus sign. */
function changeColumns(
  base: readonly Column[],
  words: readonly string[],
  frame: Shape,
  flag: string,
): readonly Column[] {
  let columns = base;
  for (const word of words) {
    const column = findColumn(word.slice(1), frame);
    const others = columns.filter((one) => !isSameColumn(one, column));
    if (word.startsWith('+'))
      columns = others.length < columns.length ? columns : [...columns, column];
    else if (others.length < columns.length) columns = others;
    else {
      throw new UsageError(`${flag} ${word}: the list has no such column`, {
        hint: `it has ${columns.map(({ title }) => title).join(', ')}`,
      });
    }
  }
  return columns;
}

function isSameColumn(a: Column, b: Column): boolean {
  return a.title === b.title || a.paths.join('*') === b.paths.join('*');
}

/** Finds a column by its path, or by its title in any case (`CPUS`), or by a short name. */
export function findColumn(text: string, frame: Shape): Column {
  const { type, columns } = frame;
  if (isContextColumn(text, frame)) return parseColumn(contextColumn);
  if (hasPath(text, type)) return parseColumn(text);
  const word = text.toLowerCase();
  const printed = [
    ...(columns?.map(parseColumn) ?? defaultColumns(type ?? '')),
    ...wideColumns(type ?? ''),
  ];
  const titled = printed.find(({ title }) => title.toLowerCase() === word);
  if (titled) return titled;
  const short = findShortName(word, type);
  if (short) return short;
  return parseColumn(hasPath(word, type) ? word : text);
}

/** Whether a path is that of the column for the context. */
export function isContextColumn(path: string, { hasContexts }: Shape): boolean {
  return hasContexts === true && path.toLowerCase() === contextColumn;
}

function hasPath(text: string, type: string | undefined): boolean {
  if (type === undefined || !isType(type)) return false;
  const [root = ''] = text.split('.');
  return ['id', 'href'].includes(root) || Object.hasOwn(listAttributes(type), root);
}

/**
 * Returns the links to follow for columns of objects at a path of the model:
 * `disk_attachments.disk`. Columns with only the name or the id of a referenced object need no
 * link. Throws `UsageError` for a list that objects at this path do not have.
 */
export function listFollowedLinks(
  columns: readonly Column[],
  type: string,
  place: string,
): readonly string[] {
  const links = columns.flatMap(({ paths }) =>
    paths.flatMap((path) => findFollowedLinks(path, type, place)),
  );
  const unique = [...new Set(links)];
  return unique.filter((one) => !unique.some((other) => other.startsWith(`${one}.`)));
}

function findFollowedLinks(path: string, type: string, place: string): readonly string[] {
  const followed: string[] = [];
  let at = type;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    const kind = isType(at) ? listAttributes(at)[word]?.kind : undefined;
    const { form, of } = kind ? parseKind(kind) : { form: 'scalar', of: '' };
    const rest = words.slice(index + 1);
    if (form === 'links') {
      const links = index === 0 ? linksForList(place, at, word) : getNestedLink(at, word);
      if (links === 'elsewhere') throw createMissingListError(path, word, at);
      // An inline list contains the ids. Some services compute it only for followed links.
      if (links === 'inline' && rest.length === 0 && defaultFollow(at) !== word) break;
      followed.push(links === 'inline' ? word : links);
    } else {
      const isNamed = rest.length === 1 && isShownWithoutFollowing(rest[0] ?? '', index);
      if (form !== 'ref' || rest.length === 0 || isNamed) break;
      followed.push(word);
    }
    at = of;
  }
  return followed.length > 0 ? [followed.join('.')] : [];
}

/** Returns the link of a list in a followed object. */
function getNestedLink(type: string, attribute: string): string {
  return listLinkNames(type).has(attribute.replaceAll('_', '')) ? attribute : 'inline';
}

function createMissingListError(path: string, word: string, type: string): UsageError {
  return new UsageError(`--columns ${path}: this list of ${type} objects has no ${word}`, {
    code: 'unknown_attribute',
    hint: `vmctl explain ${type}`,
  });
}

/** A reference contains its id. The lookup of names covers direct references of the object. */
function isShownWithoutFollowing(member: string, depth: number): boolean {
  return (
    ['id', 'href'].includes(member) || (depth === 0 && nameMembers.some((name) => name === member))
  );
}

/** Checks an attribute path against the model at all levels. Throws `UsageError`. */
export function checkPath(path: string, frame: Shape, flag = '--columns'): void {
  if (isContextColumn(path, frame)) return;
  let at = frame.type;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    if (at === undefined || !isType(at)) return;
    const attributes = listAttributes(at);
    const kind = attributes[word]?.kind;
    if (kind === undefined && !['id', 'href'].includes(word)) {
      throw createUnknownAttributeError(flag, path, words.slice(0, index), word, at);
    }
    const { form, of } = kind ? parseKind(kind) : { form: 'scalar', of: 'string' };
    const isPlain = form === 'scalar' || form === 'enum';
    const next = words[index + 1];
    if (isPlain && next !== undefined) {
      const place = words.slice(0, index + 1).join('.');
      throw new UsageError(`${flag} ${path}: ${place} has no member ${next}`, {
        code: 'unknown_attribute',
        hint: flag === '--sort' ? `--sort ${place}` : `use ${flag} ${place}`,
      });
    }
    at = isPlain ? undefined : of;
  }
}

function createUnknownAttributeError(
  flag: string,
  path: string,
  before: readonly string[],
  word: string,
  type: string,
): UsageError {
  const known = ['id', 'href', ...Object.keys(listAttributes(type))];
  const near = findCloseMatches(word, known);
  const full = (name: string) => [...before, name].join('.');
  const owner = type.replaceAll('_', ' ');
  const place = before.length > 0 ? `${before.join('.')} (${owner})` : owner;
  return new UsageError(`${flag} ${path}: ${place} has no ${word}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0 ? `did you mean ${near.map(full).join(' or ')}?` : `vmctl explain ${type}`,
  });
}
