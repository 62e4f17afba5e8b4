/** What a user without a role of an administrator sees: a condition on each list. */
import { containers } from '../../model/permits.ts';
import type { RuleContext } from '../rules/context.ts';
import type { StoredObject } from '../store/document.ts';
import type { SqlValue } from '../store/driver.ts';
import { columnName, columnsOf, type KindName, linkListsOf, typeOfKind } from '../store/kinds.ts';
import { table } from '../store/schema.ts';
import type { SqlCondition } from '../store/transaction.ts';
import { isSystemWide, permissionObjects, permissionsOf } from './permissions.ts';

/** Kinds that tell nothing of a site: everybody may see them. */
const publicKinds = new Set<string>([
  'cluster_level',
  'domain',
  'icon',
  'mac_pool',
  'network_filter',
  'operating_system_info',
  'permit',
  'role',
  'tag',
  'bookmark',
  'user',
  'group',
  'scheduling_policy',
  'scheduling_policy_unit',
  'instance_type',
]);

interface Granted {
  /** Ids by kind that a permission names directly, whatever its role. */
  readonly direct: ReadonlyMap<string, readonly string[]>;
  /** The same for roles that also show what is inside. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  /** A role that shows what is inside, on the whole system. */
  readonly everything: boolean;
}

/**
 * The condition that an object of the kind is visible to the caller; undefined where everything
 * is. An object is visible through a permission on itself, through one on what contains it (with
 * a role that shows what is inside), and as the container of something visible.
 */
export function visibleCondition(ctx: RuleContext, shown: KindName): SqlCondition | undefined {
  const kind = typeOfKind(shown);
  if (publicKinds.has(kind)) return undefined;
  const granted = grantedTo(ctx);
  if (granted.everything) return undefined;
  const values: SqlValue[] = [];
  const parts = [
    ...downwards(kind, granted, values, granted.direct),
    ...fromBelow(kind, granted, values),
  ];
  return { sql: parts.length > 0 ? parts.join(' OR ') : '0', values };
}

/** Conditions by permissions on what the object contains. */
function fromBelow(kind: KindName, granted: Granted, values: SqlValue[]): string[] {
  const parts: string[] = [];
  for (const [name, attributes] of Object.entries(containers)) {
    const child = name as KindName;
    if (!attributes.includes(kind) || !hasColumn(child, kind)) continue;
    const own = inIds('id', granted.direct.get(child), values);
    const inner = [...own, ...fromBelow(child, granted, values)];
    if (inner.length === 0) continue;
    parts.push(`id IN (SELECT [${kind}_id] FROM ${table(child)} WHERE ${inner.join(' OR ')})`);
  }
  return parts;
}

/** Conditions by permissions on the object itself and on what contains it. */
function downwards(
  kind: KindName,
  granted: Granted,
  values: SqlValue[],
  own: ReadonlyMap<string, readonly string[]>,
): string[] {
  const parts = [...inIds('id', own.get(kind), values)];
  for (const attribute of containers[kind] ?? []) {
    const container = attribute.replace(/s$/, '') as KindName;
    if (linkListsOf(kind).includes(attribute)) {
      values.push(kind, attribute);
      const inner = downwards(container, granted, values, granted.inside);
      parts.push(
        `id IN (SELECT r.id FROM reference r WHERE r.kind = ? AND r.attribute = ? AND r.target IN (SELECT id FROM ${table(container)} WHERE ${inner.join(' OR ') || '0'}))`,
      );
    } else if (hasColumn(kind, attribute)) {
      const inner = downwards(container, granted, values, granted.inside);
      if (inner.length === 0) continue;
      parts.push(
        `[${columnName([attribute, 'id'])}] IN (SELECT id FROM ${table(container)} WHERE ${inner.join(' OR ')})`,
      );
    }
  }
  return parts;
}

function hasColumn(kind: KindName, attribute: string): boolean {
  return columnsOf(kind).some(({ name }) => name === columnName([attribute, 'id']));
}

function inIds(column: string, ids: readonly string[] | undefined, values: SqlValue[]): string[] {
  if (!ids || ids.length === 0) return [];
  values.push(...ids);
  return [`${column} IN (${ids.map(() => '?').join(', ')})`];
}

function grantedTo({ tx, caller }: RuleContext): Granted {
  const direct = new Map<string, string[]>();
  const inside = new Map<string, string[]>();
  let everything = false;
  for (const permission of permissionsOf(tx, caller)) {
    const role = permission.role?.id ?? '';
    const shows = (tx.get('role', role) as StoredObject | undefined)?.['views_children'] === true;
    if (isSystemWide(permission)) {
      everything ||= shows;
      continue;
    }
    for (const name of permissionObjects) {
      const id = permission[name]?.id;
      if (!id) continue;
      direct.set(name, [...(direct.get(name) ?? []), id]);
      if (shows) inside.set(name, [...(inside.get(name) ?? []), id]);
    }
  }
  return { direct, inside, everything };
}
