/** What a user without a role of an administrator sees: a condition on each list. */
import { attributesOf, parseKind } from '../../model/index.ts';
import { containers, subjects, ways } from '../../model/permits.ts';
import { services } from '../../model/services/index.ts';
import type { RuleContext } from '../rules/context.ts';
import type { SqlCondition } from '../store/conditions.ts';
import type { SqlValue } from '../store/driver.ts';
import { columnName, columnsOf, type KindName, linkListsOf, typeOfKind } from '../store/kinds.ts';
import { table } from '../store/schema.ts';
import { groupsOf, isSystemWide, permissionObjects, permissionsOf } from './permissions.ts';

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

/** Types whose objects keep the permissions on them below themselves. */
const keepers = new Set(
  Object.entries(services)
    .filter(([path]) => services[`${path}/permissions`] !== undefined)
    .map(([, { type }]) => type)
    .filter((type) => !(permissionObjects as readonly string[]).includes(type)),
);

/**
 * The condition that an object of the kind is visible to the caller; undefined where everything
 * is. An object is visible through a permission on itself, through one on what contains it (with a
 * role that shows what is inside), with what it is about, and as the way to something visible
 * (unless `whole` says that all that is in it must be visible as well).
 */
export function visibleCondition(
  ctx: RuleContext,
  shown: KindName,
  whole = false,
): SqlCondition | undefined {
  const kind = typeOfKind(shown);
  if (publicKinds.has(kind) || seesEverything(ctx)) return undefined;
  const sight = new Sight(ctx);
  return sight.condition(whole ? sight.whole(kind) : sight.any(kind));
}

/** A role that shows what is inside, on the whole system. */
function seesEverything({ tx, caller }: RuleContext): boolean {
  return permissionsOf(tx, caller).some((permission) => {
    const role = tx.get('role', permission.role?.id ?? '') as { views_children?: boolean };
    return isSystemWide(permission) && role?.views_children === true;
  });
}

/**
 * Sets of ids as common table expressions, for one caller. Each is declared after those that it is
 * made of.
 */
class Sight {
  readonly #sets = new Map<string, string>();
  readonly #values: readonly SqlValue[];

  constructor({ tx, caller }: RuleContext) {
    const groups = groupsOf(tx, caller);
    this.#values = [caller.userId, ...groups];
    this.#sets.set('me', 'me(id) AS (SELECT ?)');
    this.#sets.set(
      'held',
      `held AS (SELECT p.*, coalesce(json_extract(r.doc, '$.views_children'), 0) AS shows
        FROM ${table('permission')} p LEFT JOIN ${table('role')} r ON r.id = p.role_id
        WHERE p.user_id IN (SELECT id FROM me) OR p.group_id IN (${groups.map(() => '?').join(', ')}))`,
    );
  }

  /** The condition that an object is in a set. */
  condition(set: string): SqlCondition {
    const sets = [...this.#sets.values()].join(',\n');
    return { sql: `id IN (WITH ${sets}\nSELECT id FROM ${set})`, values: this.#values };
  }

  /** Whatever way leads to the object. */
  any(kind: KindName): string {
    return this.#set(`any_${kind}`, () => [from(this.whole(kind)), ...this.#onTheWay(kind)]);
  }

  /** The object and what is in it. */
  whole(kind: KindName): string {
    return this.#set(`whole_${kind}`, () => [
      ...this.#granted(kind, ''),
      ...this.#contained(kind),
      ...(subjects[kind] ?? []).flatMap((path) =>
        this.#referring(kind, path, (target) => this.whole(target)),
      ),
      ...(kind === 'permission' ? ['SELECT id FROM held'] : []),
      ...(kind === 'job'
        ? [`SELECT id FROM ${table('job')} WHERE owner_id IN (SELECT id FROM me)`]
        : []),
    ]);
  }

  /** Objects that show what is in them. */
  #shows(kind: KindName): string {
    return this.#set(`shows_${kind}`, () => [
      ...this.#granted(kind, ' AND shows'),
      ...this.#contained(kind),
    ]);
  }

  #set(name: string, build: () => readonly string[]): string {
    if (!this.#sets.has(name)) {
      const selects = build();
      const all = selects.length > 0 ? selects.join(' UNION ') : 'SELECT NULL WHERE 0';
      this.#sets.set(name, `${name}(id) AS (${all})`);
    }
    return name;
  }

  /** Objects that a permission is on. */
  #granted(kind: KindName, further: string): string[] {
    if (keepers.has(kind)) {
      const path = `collection || '/' || id || '/permissions'`;
      return [
        `SELECT id FROM ${table(kind)} WHERE ${path} IN (SELECT collection FROM held WHERE 1${further})`,
      ];
    }
    if (!(permissionObjects as readonly string[]).includes(kind)) return [];
    const column = `[${columnName([kind, 'id'])}]`;
    return [`SELECT ${column} FROM held WHERE ${column} IS NOT NULL${further}`];
  }

  /** Objects in what a permission is on. */
  #contained(kind: KindName): string[] {
    const paths = (containers[kind] ?? []).flatMap((path) =>
      this.#referring(kind, path, (target) => this.#shows(target)),
    );
    return kind === 'disk' ? [...paths, this.#attached()] : paths;
  }

  /** A disk is seen with the machines that it is attached to. */
  #attached(): string {
    return `SELECT disk_id FROM ${table('disk_attachment')} WHERE vm_id IN (${from(this.whole('vm'))})`;
  }

  /** Objects that something visible refers to. */
  #onTheWay(kind: KindName): string[] {
    return (ways[kind] ?? []).map((name) => {
      const child = name as KindName;
      const seen = this.#set(`seen_${child}`, () => [
        ...this.#granted(child, ''),
        ...this.#onTheWay(child),
        ...(child === 'disk' ? [this.#attached()] : []),
      ]);
      const list = linkListsOf(child).find((one) => targetOf(child, one) === kind);
      return list
        ? `SELECT target FROM reference WHERE kind = '${child}' AND attribute = '${list}' AND id IN (${from(seen)})`
        : `SELECT [${kind}_id] FROM ${table(child)} WHERE id IN (${from(seen)})`;
    });
  }

  /** Objects whose reference leads into a set. */
  #referring(kind: KindName, path: string, set: (target: KindName) => string): string[] {
    const [attribute = '', ...rest] = path.split('.');
    const target = targetOf(kind, attribute);
    if (!target) return [];
    const among =
      rest.length > 0 ? this.#referring(target, rest.join('.'), set) : [from(set(target))];
    return among.flatMap((inner) => {
      if (linkListsOf(kind).includes(attribute)) {
        return [
          `SELECT id FROM reference WHERE kind = '${kind}' AND attribute = '${attribute}' AND target IN (${inner})`,
        ];
      }
      const column = columnName([attribute, 'id']);
      const known = columnsOf(kind).some((one) => one.name === column);
      return known ? [`SELECT id FROM ${table(kind)} WHERE [${column}] IN (${inner})`] : [];
    });
  }
}

function from(set: string): string {
  return `SELECT id FROM ${set}`;
}

/** The kind that an attribute refers to. */
function targetOf(kind: KindName, attribute: string): KindName | undefined {
  const declared = attributesOf(typeOfKind(kind))[attribute];
  return declared && (parseKind(declared.kind).of as KindName);
}
