/** What a removal has to look at: kinds with objects below a path, and lists that name an object. */
import type { Statement } from './driver.ts';
import { isKind, type KindName, kindNamed, storedKinds } from './kinds.ts';
import { table } from './schema.ts';

type Prepare = (sql: string) => Statement;

let below: string | undefined;

/** Kinds that have objects below a path: of very many kinds few have any. */
export function kindsBelow(prepare: Prepare, path: string): KindName[] {
  below ??= `WITH bounds (low, high) AS (SELECT CAST(? AS TEXT), CAST(? AS TEXT)) ${storedKinds()
    .map(
      (kind) =>
        `SELECT '${kind}' AS kind FROM bounds WHERE EXISTS (SELECT 1 FROM ${table(kind)} WHERE collection >= low AND collection < high)`,
    )
    .join(' UNION ALL ')}`;
  const rows = prepare(below).all(`${path}/`, `${path}0`);
  return rows.map(({ kind }) => kindNamed(String(kind)));
}

/** A list attribute of a kind. */
export interface ListAttribute {
  readonly kind: KindName;
  readonly attribute: string;
}

/** List attributes that name an object, in one object of their kind at least. */
export function listsNaming(prepare: Prepare, target: string): ListAttribute[] {
  return prepare('SELECT DISTINCT kind, attribute FROM reference WHERE target = ?')
    .all(target)
    .flatMap(({ kind, attribute }) => {
      const name = String(kind);
      // Of a kind that this version does not know nothing can be changed.
      return isKind(name) ? [{ kind: name, attribute: String(attribute) }] : [];
    });
}
