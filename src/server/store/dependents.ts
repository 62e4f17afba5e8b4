/** Dependents of a removed object: kinds with objects below a path, and lists that refer to it. */
import type { Statement } from './driver.ts';
import { isKind, type KindName, requireKind, storedKinds } from './kinds.ts';
import { table } from './schema.ts';

type Prepare = (sql: string) => Statement;

let below: string | undefined;

/** Kinds with objects below a path. Usually a few of many kinds. */
export function kindsBelow(prepare: Prepare, path: string): KindName[] {
  below ??= `WITH bounds (low, high) AS (SELECT CAST(? AS TEXT), CAST(? AS TEXT)) ${storedKinds()
    .map(
      (kind) =>
        `SELECT '${kind}' AS kind FROM bounds WHERE EXISTS (SELECT 1 FROM ${table(kind)} WHERE collection >= low AND collection < high)`,
    )
    .join(' UNION ALL ')}`;
  const rows = prepare(below).all(`${path}/`, `${path}0`);
  return rows.map(({ kind }) => requireKind(String(kind)));
}

/** A list attribute of a kind. */
export interface ListAttribute {
  readonly kind: KindName;
  readonly attribute: string;
}

/** List attributes with a reference to an object in at least one object of their kind. */
export function listsNaming(prepare: Prepare, target: string): ListAttribute[] {
  return prepare('SELECT DISTINCT kind, attribute FROM reference WHERE target = ?')
    .all(target)
    .flatMap(({ kind, attribute }) => {
      const name = String(kind);
      // Kinds unknown to this version cannot be changed.
      return isKind(name) ? [{ kind: name, attribute: String(attribute) }] : [];
    });
}
