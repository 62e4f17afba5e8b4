/** Default columns of types, and the parser of column texts. */
import { typeOptions } from '../../model/derive/commands.ts';
import { isIdentified, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';

export interface Column {
  /** Title of the column, also in csv. */
  readonly title: string;
  /** Attribute paths; the values of more than one are multiplied. */
  readonly paths: readonly string[];
}

/** Name attributes of a reference. The tool looks them up if a response contains only the id. */
export const nameMembers = ['name', 'alias', 'user_name'] as const;

const defaultLimit = 6;

/** Parses one column of `--columns`: `title=path`, `path`, `path*path`. */
export function parseColumn(text: string): Column {
  const at = text.indexOf('=');
  const paths = text.slice(at + 1).split('*');
  const path = paths[0] ?? '';
  return { title: at > 0 ? text.slice(0, at) : path.replace(/(.)\.name$/, '$1'), paths };
}

/** Returns the default columns of a type. */
export function defaultColumns(type: string): readonly Column[] {
  const declared = typeOptions[type]?.columns ?? deriveColumns(type);
  return declared.map((one) => (typeof one === 'string' ? parseColumn(one) : one));
}

/** Returns the additional columns of `-o wide`. */
export function wideColumns(type: string): readonly Column[] {
  return (typeOptions[type]?.wideColumns ?? []).map((one) =>
    typeof one === 'string' ? parseColumn(one) : one,
  );
}

/** Paths of short names, for the types that have them. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  created: ['creation_time'],
  dc: ['data_center.name'],
  desc: ['description'],
  ip: ['reported_devices.ips.address', 'ip.address', 'address'],
  mem: ['memory'],
  size: ['provisioned_size', 'available'],
  started: ['start_time'],
};

/** Lists the short names of columns that a type has. */
export function listShortNames(type: string): readonly string[] {
  return Object.keys(shortNames).filter((name) => findShortName(name, type));
}

/** Finds a column by a short name: `ip`. */
export function findShortName(name: string, type = ''): Column | undefined {
  if (!isType(type) || !Object.hasOwn(shortNames, name)) return undefined;
  const attributes = listAttributes(type);
  const path = shortNames[name]?.find((one) =>
    Object.hasOwn(attributes, one.split('.', 1)[0] ?? ''),
  );
  return path === undefined ? undefined : { title: name, paths: [path] };
}

/** Returns the link to follow for the default columns of a type. */
export function defaultFollow(type: string): string | undefined {
  return typeOptions[type]?.follow;
}

/** Derives columns for a type without declared columns: name, state, first plain attributes, id. */
function deriveColumns(type: string): readonly string[] {
  const attributes = Object.entries(listAttributes(type));
  const identified = isIdentified(type);
  const plain = attributes
    .filter(([name, attribute]) => isInformative(name, attribute))
    .map(([name, attribute]) => (parseKind(attribute.kind).form === 'ref' ? `${name}.name` : name));
  const first = identified ? ['name'] : [];
  const status = attributes.some(([name]) => name === 'status') ? ['status'] : [];
  const rest = plain.filter((name) => name !== 'status').slice(0, defaultLimit - first.length);
  return [...first, ...status, ...rest, ...(identified ? ['id'] : [])];
}

function isInformative(name: string, attribute: Attribute): boolean {
  if (attribute.writeOnly || ['name', 'comment', 'password'].includes(name)) return false;
  const { form, list } = parseKind(attribute.kind);
  return !list && (form === 'ref' || form === 'enum' || form === 'scalar');
}
