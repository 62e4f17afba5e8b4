/** Columns of tables: those that a type has by itself, and how `--columns` says others. */
import { typeOptions } from '../../model/derive/commands.ts';
import { isIdentified, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';

export interface Column {
  /** Head of the column, and its name in csv. */
  readonly title: string;
  /** Attribute paths; the values of more than one are multiplied. */
  readonly paths: readonly string[];
}

/** Members of a reference that are looked up where an answer has only its id. */
export const nameMembers = ['name', 'alias', 'user_name'] as const;

const defaultLimit = 6;

/** Reads one column of `--columns`: `title=path`, `path`, `path*path`. */
export function columnOf(text: string): Column {
  const at = text.indexOf('=');
  const paths = text.slice(at + 1).split('*');
  const path = paths[0] ?? '';
  return { title: at > 0 ? text.slice(0, at) : path.replace(/(.)\.name$/, '$1'), paths };
}

/** The columns that a table of this type has by itself. */
export function defaultColumns(type: string): readonly Column[] {
  const declared = typeOptions[type]?.columns ?? ruleColumns(type);
  return declared.map((one) => (typeof one === 'string' ? columnOf(one) : one));
}

/** The columns that `-o wide` shows beside them. */
export function wideColumns(type: string): readonly Column[] {
  return (typeOptions[type]?.wideColumns ?? []).map((one) =>
    typeof one === 'string' ? columnOf(one) : one,
  );
}

/** What has to be followed for the columns that a table of this type has by itself. */
export function defaultFollow(type: string): string | undefined {
  return typeOptions[type]?.follow;
}

/** For every other type: its name, its state, the first plain attributes it has, its id. */
function ruleColumns(type: string): readonly string[] {
  const attributes = Object.entries(listAttributes(type));
  const identified = isIdentified(type);
  const plain = attributes
    .filter(([name, attribute]) => isTelling(name, attribute))
    .map(([name, attribute]) => (parseKind(attribute.kind).form === 'ref' ? `${name}.name` : name));
  const first = identified ? ['name'] : [];
  const status = attributes.some(([name]) => name === 'status') ? ['status'] : [];
  const rest = plain.filter((name) => name !== 'status').slice(0, defaultLimit - first.length);
  return [...first, ...status, ...rest, ...(identified ? ['id'] : [])];
}

function isTelling(name: string, attribute: Attribute): boolean {
  if (attribute.writeOnly || ['name', 'comment', 'password'].includes(name)) return false;
  const { form, list, of } = parseKind(attribute.kind);
  return !list && (form === 'ref' || form === 'enum' || (form === 'scalar' && of !== ''));
}
