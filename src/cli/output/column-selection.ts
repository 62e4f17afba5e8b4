/** Columns of a table: those of `--columns`, checked against the model, or the defaults. */
import { UsageError } from '../../client/errors.ts';
import { isType, listAttributes, listLinkNames, parseKind } from '../../model/index.ts';
import { linksForList } from '../../model/list-links.ts';
import type { CommandContext } from '../session/command-context.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import {
  type Column,
  columnOf,
  defaultColumns,
  defaultFollow,
  nameMembers,
  wideColumns,
} from './columns.ts';
import type { Frame } from './view.ts';

/** What tells the columns that objects have. */
type Shape = Pick<Frame, 'type' | 'columns'>;

/** The columns that were asked for, or those that the type has by itself. */
export function columnsOf(cli: CommandContext, frame: Frame, wide = false): readonly Column[] {
  const chosen = chosenColumns(cli, frame);
  if (chosen) return chosen;
  const defaults = frame.columns?.map(columnOf) ?? defaultColumns(frame.type ?? '');
  if (!wide) return defaults;
  const all = frame.columns ? defaults : [...defaults, ...wideColumns(frame.type ?? '')];
  return all.some(({ paths }) => paths[0] === 'id') ? all : [...all, columnOf('id')];
}

/** The columns of `--columns`, or those that are preferred for lists of the noun. */
export function chosenColumns(cli: CommandContext, frame: Frame): readonly Column[] | undefined {
  const flag = cli.setting('columns')?.value;
  if (flag !== undefined) return parsedColumns(flag, frame, '--columns');
  const preferred = frame.single ? undefined : cli.preference(frame.noun, 'columns');
  if (preferred === undefined) return undefined;
  // Not all that have the same noun are of the same type: interfaces of machines and of hosts.
  const known = preferred.value.split(',').flatMap((text) => {
    try {
      return parsedColumns(text, frame, 'columns');
    } catch {
      return [];
    }
  });
  return known.length > 0 ? known : undefined;
}

/** The columns that a text names. Throws `UsageError` for what objects of the type do not have. */
export function parsedColumns(text: string, frame: Shape, flag: string): readonly Column[] {
  const columns = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => namedColumn(one, frame));
  if (columns.length === 0) throw new UsageError(`${flag}: no column given`);
  for (const { paths } of columns) for (const path of paths) checkPath(path, frame.type, flag);
  return columns;
}

/** A column by its path, or by the heading that tables print for it, in any case: `CPUS`. */
export function namedColumn(text: string, { type, columns }: Shape): Column {
  if (hasPath(text, type)) return columnOf(text);
  const word = text.toLowerCase();
  const printed = [
    ...(columns?.map(columnOf) ?? defaultColumns(type ?? '')),
    ...wideColumns(type ?? ''),
  ];
  const titled = printed.find(({ title }) => title.toLowerCase() === word);
  if (titled) return titled;
  return columnOf(hasPath(word, type) ? word : text);
}

function hasPath(text: string, type: string | undefined): boolean {
  if (type === undefined || !isType(type)) return false;
  const [root = ''] = text.split('.');
  return ['id', 'href'].includes(root) || Object.hasOwn(listAttributes(type), root);
}

/**
 * The links to follow for columns of objects at a path of the model: `disk_attachments.disk`. Columns
 * that show only the name or the id of a referenced object need none. Throws `UsageError` for a list
 * that objects at this path do not have.
 */
export function linksOf(
  columns: readonly Column[],
  type: string,
  place: string,
): readonly string[] {
  const links = columns.flatMap(({ paths }) => paths.flatMap((path) => linkOf(path, type, place)));
  const unique = [...new Set(links)];
  return unique.filter((one) => !unique.some((other) => other.startsWith(`${one}.`)));
}

function linkOf(path: string, type: string, place: string): readonly string[] {
  const followed: string[] = [];
  let at = type;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    const kind = isType(at) ? listAttributes(at)[word]?.kind : undefined;
    const { form, of } = kind ? parseKind(kind) : { form: 'scalar', of: '' };
    const rest = words.slice(index + 1);
    if (form === 'links') {
      const links = index === 0 ? linksForList(place, at, word) : deeperLinks(at, word);
      if (links === 'elsewhere') throw notHere(path, word, at);
      // An inline list has the ids; only some services compute it when it is followed.
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

/** The link of a list in an object that is followed itself. */
function deeperLinks(type: string, attribute: string): string {
  return listLinkNames(type).has(attribute.replaceAll('_', '')) ? attribute : 'inline';
}

function notHere(path: string, word: string, type: string): UsageError {
  return new UsageError(`--columns ${path}: this list of ${type} objects has no ${word}`, {
    code: 'unknown_attribute',
    hint: `vmctl explain ${type}`,
  });
}

/** References have their id; the name of what the object itself refers to is looked up. */
function isShownWithoutFollowing(member: string, depth: number): boolean {
  return (
    ['id', 'href'].includes(member) || (depth === 0 && nameMembers.some((name) => name === member))
  );
}

/** A path that the type does not have can only be a mistake, at whatever level. */
export function checkPath(path: string, type: string | undefined, flag = '--columns'): void {
  let at = type;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    if (at === undefined || !isType(at)) return;
    const attributes = listAttributes(at);
    const kind = attributes[word]?.kind;
    if (kind === undefined && !['id', 'href'].includes(word)) {
      throw noAttribute(flag, path, words.slice(0, index), word, at);
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

function noAttribute(
  flag: string,
  path: string,
  before: readonly string[],
  word: string,
  type: string,
): UsageError {
  const known = ['id', 'href', ...Object.keys(listAttributes(type))];
  const near = closeMatches(word, known);
  const full = (name: string) => [...before, name].join('.');
  const owner = type.replaceAll('_', ' ');
  const place = before.length > 0 ? `${before.join('.')} (${owner})` : owner;
  return new UsageError(`${flag} ${path}: ${place} has no ${word}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0 ? `did you mean ${near.map(full).join(' or ')}?` : `vmctl explain ${type}`,
  });
}
