/** Table columns for values inside objects. */
import { listAttributes, parseKind } from '../../model/index.ts';

export interface Column {
  readonly name: string;
  /** Path of the value in the object. */
  readonly path: readonly string[];
  readonly sql: 'TEXT COLLATE NOCASE' | 'TEXT' | 'INTEGER' | 'REAL';
}

/** Name of the column for the value at a path. */
export function columnName(path: readonly string[]): string {
  return path.join('_');
}

/** The column of a path inside the object; undefined if it crosses a reference or list. */
export function ownColumn(type: string, path: readonly string[]): Column | undefined {
  let at = type;
  for (const [index, word] of path.entries()) {
    const last = index === path.length - 1;
    const attribute = listAttributes(at)[word];
    if (word === 'id' && last) {
      // The id of a VLAN is a number.
      const { form, of } = attribute ? parseKind(attribute.kind) : {};
      const isNumber = form === 'scalar' && of !== undefined && sqlType(of) === 'INTEGER';
      return { name: columnName(path), path, sql: isNumber ? 'INTEGER' : 'TEXT' };
    }
    if (!attribute) return undefined;
    const { form, of, list } = parseKind(attribute.kind);
    if (list) return undefined;
    if (last && (form === 'scalar' || form === 'enum')) {
      return { name: columnName(path), path, sql: form === 'enum' ? 'TEXT' : sqlType(of) };
    }
    if (form === 'ref' && path.length === index + 2 && path[index + 1] === 'id') {
      return { name: columnName(path), path, sql: 'TEXT' };
    }
    if (form !== 'struct') return undefined;
    at = of;
  }
  return undefined;
}

function sqlType(scalar: string): Column['sql'] {
  switch (scalar) {
    case 'int':
    case 'long':
    case 'bool':
      return 'INTEGER';
    case 'decimal':
      return 'REAL';
    case 'date':
      return 'TEXT';
    default:
      return 'TEXT COLLATE NOCASE';
  }
}
