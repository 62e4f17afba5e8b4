/**
 * Visibility for users without an administrator role: conditions on the objects of each kind,
 * derived from the permissions of the user. Each has two forms: the set of visible objects, whose
 * cost depends on the number of visible objects, and a test of one object, whose cost is constant.
 */

import { about, containedIn, reachedFrom } from '../../model/derive/permits.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { compose, joined, type SqlCondition } from './conditions.ts';
import { getKindType, type KindName, listLinkAttributes, requireKind } from './kinds.ts';
import { columnName } from './own-column.ts';
import {
  createHolderCondition,
  isPermissionObject,
  pathPrefix,
  permissionKeepers,
} from './permission-index.ts';
import { table } from './schema.ts';
import { isHeld, listNonEmpty, selectIds } from './temporary-tables.ts';
import type { Transaction } from './transaction.ts';
import {
  anyOf,
  createReferringSet,
  findTargetKind,
  isAtTop,
  isPart,
  isPublic,
  listOwnerPrefixes,
  nameable,
  namedByEvents,
  onObjectsOfType,
  testEachRow,
  type VisibilityReason,
} from './visible-kinds.ts';

/** Results for a user that are valid while permissions and their objects are unchanged. */
export class VisibilityCache {
  /** By type: the holders of permissions on objects of it. */
  granted: ReadonlyMap<string, readonly string[]> | undefined;
  /** Ids of objects that are visible only as ancestors of visible ones, as JSON, by kind. */
  readonly onTheWay = new Map<KindName, string>();
}

/** Roles that make the contents of their object visible. */
const showing = `SELECT id FROM ${table('role')} WHERE CAST(json_extract(doc, '$.views_children') AS BOOLEAN)`;

/** Visibility of one caller in one state of the store. */
export class Visibility {
  readonly #tx: Transaction;
  readonly #me: SqlCondition;
  readonly #held: SqlCondition;
  /** By type: the holders of the caller with a permission on an object of it. */
  readonly #granted: ReadonlyMap<string, readonly string[]>;
  readonly #cache: VisibilityCache;
  readonly #reasons = new Map<KindName, readonly VisibilityReason[]>();
  readonly #conditions = new Map<string, SqlCondition>();

  /**
   * `holders` are the ids of the user and of the groups of the user. `stored` contains cached
   * results that are still valid.
   */
  constructor(
    tx: Transaction,
    user: string,
    holders: readonly string[],
    stored = new VisibilityCache(),
  ) {
    this.#tx = tx;
    this.#me = { sql: '?', values: [user] };
    this.#held = { sql: createHolderCondition(holders.length), values: holders };
    this.#cache = stored;
    stored.granted ??= findGranted(tx, holders);
    this.#granted = stored.granted;
  }

  /** Whether all objects are visible: by a system-wide role that makes contents visible. */
  get isWhole(): boolean {
    return isHeld(this.#tx, compose`${this.#held} AND path = '' AND role_id IN (${showing})`);
  }

  /**
   * The condition that an object of a kind is visible; undefined if all are. An object is visible
   * through a permission on itself, through one on an ancestor (with a role that makes contents
   * visible), through its subject, and as an ancestor of a visible object. With `inside`, its
   * contents must be visible too.
   */
  ofOne(shown: KindName, inside = false): SqlCondition | undefined {
    if (isPart(shown)) return this.#once(`part ${shown}`, () => this.#part(shown));
    return isPublic(shown) ? undefined : this.#test(shown, inside);
  }

  #once(key: string, make: () => SqlCondition): SqlCondition {
    const known = this.#conditions.get(key);
    if (known) return known;
    const made = make();
    this.#conditions.set(key, made);
    return made;
  }

  #test(kind: KindName, inside: boolean): SqlCondition {
    return this.#once(`test ${kind} ${inside}`, () => {
      const reasons = this.#reasonsFor(kind).map(({ test }) => test);
      const leads = inside ? [] : this.#leads(kind);
      const own = anyOf([...reasons, ...leads]);
      return kind === 'event' ? compose`${own} AND ${this.#allNamed('event', false)}` : own;
    });
  }

  /** Selects the ids of objects that are visible with their contents. */
  #set(kind: KindName): SqlCondition {
    const sets = this.#reasonsFor(kind).map(({ set }) => set);
    return joined(sets, ' UNION ALL ', 'SELECT NULL AS id WHERE FALSE');
  }

  #reasonsFor(kind: KindName): readonly VisibilityReason[] {
    let reasons = this.#reasons.get(kind);
    if (!reasons) {
      reasons = [
        ...this.#grantedReasons(kind),
        ...this.#containedReasons(kind),
        ...(kind === 'disk' ? [this.#attached()] : []),
        ...(about[kind] ?? []).flatMap((path) => this.#subjectReasons(kind, path)),
        ...(kind === 'permission' ? [this.#own()] : []),
        ...(kind === 'job' ? [this.#ownJobs()] : []),
      ];
      this.#reasons.set(kind, reasons);
    }
    return reasons;
  }

  /** Objects with a permission on them. */
  #grantedReasons(kind: KindName, further = ''): VisibilityReason[] {
    const named = isPermissionObject(kind);
    if (!named && !permissionKeepers.has(kind)) return [];
    const holders = this.#granted.get(kind) ?? [];
    if (isAtTop(kind) && holders.length === 0) return [];
    const held = isAtTop(kind)
      ? { sql: createHolderCondition(holders.length), values: holders }
      : this.#held;
    const path = named
      ? `'${pathPrefix(kind)}' || ${table(kind)}.id`
      : `${table(kind)}.collection || '/' || ${table(kind)}.id`;
    const test = compose`EXISTS (SELECT 1 FROM held WHERE ${held} AND path = ${path}${further})`;
    if (!isAtTop(kind)) return [testEachRow(kind, test)];
    const id = `substr(path, ${String(pathPrefix(kind).length + 1)})`;
    const set = compose`SELECT ${id} AS id FROM held WHERE ${held} AND ${onObjectsOfType(kind)}${further}`;
    return [{ set, test }];
  }

  /** Objects inside an object with a permission. */
  #containedReasons(kind: KindName): VisibilityReason[] {
    return (containedIn[kind] ?? []).flatMap((path) => this.#showing(kind, path.split('.')));
  }

  /** Objects whose path of references leads to an object with visible contents. */
  #showing(kind: KindName, [attribute = '', ...rest]: readonly string[]): VisibilityReason[] {
    const target = findTargetKind(kind, attribute);
    if (!target) return [];
    const reasons =
      rest.length > 0
        ? this.#showing(target, rest)
        : [
            ...this.#grantedReasons(target, ` AND role_id IN (${showing})`),
            ...this.#containedReasons(target),
          ];
    return reasons.flatMap(({ set }) => {
      const test = createReferringSet(kind, attribute, set);
      return test ? [testEachRow(kind, test)] : [];
    });
  }

  /** A disk is visible if a VM with the disk attached is visible. */
  #attached(): VisibilityReason {
    const attachments = table('disk_attachment');
    const both = compose`${attachments} a CROSS JOIN ${this.#seen('vm', true)} s ON s.id = a.vm_id`;
    return {
      set: compose`SELECT disk_id AS id FROM ${attachments} WHERE vm_id IN (${this.#set('vm')})`,
      test: compose`EXISTS (SELECT 1 FROM ${both} WHERE a.disk_id = ${table('disk')}.id)`,
    };
  }

  /** Objects whose subject is visible with its contents. */
  #subjectReasons(kind: KindName, attribute: string): VisibilityReason[] {
    const target = findTargetKind(kind, attribute);
    const set = target && createReferringSet(kind, attribute, this.#set(target));
    if (!target || !set) return [];
    const select = compose`SELECT id FROM ${table(kind)} WHERE ${set}`;
    if (!listLinkAttributes(kind).includes(attribute)) {
      const column = `${table(kind)}."${columnName([attribute, 'id'])}"`;
      return [{ set: select, test: this.#refers(target, column, true) }];
    }
    const both = compose`reference r CROSS JOIN ${this.#seen(target, true)} s ON s.id = r.target`;
    const test = compose`EXISTS (SELECT 1 FROM ${both} WHERE r.kind = '${kind}' AND r.id = ${table(kind)}.id AND r.attribute = '${attribute}')`;
    return [{ set: select, test }];
  }

  /** Permissions of the caller. */
  #own(): VisibilityReason {
    const set = compose`SELECT id FROM held WHERE ${this.#held}`;
    return { set, test: compose`${table('permission')}.id IN (${set})` };
  }

  /** Jobs of the caller, unless they name an existing invisible object. */
  #ownJobs(): VisibilityReason {
    return testEachRow('job', compose`owner_id = ${this.#me} AND ${this.#allNamed('job', true)}`);
  }

  /** Objects below an object are visible if all contents of the object are visible. */
  #part(kind: KindName): SqlCondition {
    const views = getKindType(kind) !== kind && !isPublic(kind);
    const base = views ? [this.#refers(getKindType(kind), `${table(kind)}.id`, false)] : [];
    const above = listOwnerPrefixes(kind).map(({ prefix, type }) => {
      const rest = `(substr(${table(kind)}.collection, ${String(prefix.length + 1)}) || '/')`;
      const owner = this.#refers(type, `substr(${rest}, 1, instr(${rest}, '/') - 1)`, !views);
      return compose`(${table(kind)}.collection LIKE '${prefix}%' AND ${owner})`;
    });
    const own = this.#reasonsFor(kind).map(({ test }) => test);
    return joined([...base, anyOf([...above, ...own])], ' AND ', 'TRUE');
  }

  /**
   * The name of a table with the visible objects of a kind. As a common table expression, it avoids
   * deep nesting, and SQLite evaluates it for single ids.
   */
  #seen(kind: KindName, inside: boolean): SqlCondition {
    const visible = this.ofOne(kind, inside);
    if (!visible) return { sql: table(kind), values: [] };
    const name = `${inside ? 'inside' : 'seen'}_${kind}`;
    const select = compose`SELECT id FROM ${table(kind)} WHERE ${visible}`;
    return { sql: name, values: [], tables: [{ name, select }] };
  }

  /** Whether a column refers to a visible object. */
  #refers(kind: KindName, column: string, inside: boolean): SqlCondition {
    return compose`EXISTS (SELECT 1 FROM ${this.#seen(kind, inside)} s WHERE s.id = ${column})`;
  }

  /**
   * Whether all objects that a record names are visible. With `gone`, deleted objects count as
   * visible.
   */
  #allNamed(kind: 'event' | 'job', gone: boolean): SqlCondition {
    const of = table(kind);
    const shown = (kind === 'event' ? namedByEvents : []).map(
      (name) => `SELECT '${name}' AS kind, ${of}."${name}_id" AS id UNION ALL `,
    );
    const stored = `SELECT json_extract(value, '$.kind') AS kind, json_extract(value, '$.id') AS id FROM json_each(${of}.doc, '$.names')`;
    const cases = nameable.map((name) => {
      const absent = gone ? ` OR NOT EXISTS (SELECT 1 FROM ${table(name)} WHERE id = n.id)` : '';
      return compose`WHEN '${name}' THEN ${this.#refers(name, 'n.id', false)}${absent}`;
    });
    const all = `SELECT 1 FROM (${shown.join('')}${stored}) n WHERE n.id IS NOT NULL`;
    return compose`NOT EXISTS (${all} AND NOT CASE n.kind ${joined(cases, ' ', '')} ELSE FALSE END)`;
  }

  /**
   * The condition that an object is an ancestor of a visible one; empty if no object of its kind
   * is.
   */
  #leads(kind: KindName): SqlCondition[] {
    if (!reachedFrom[kind]) return [];
    let ids = this.#cache.onTheWay.get(kind);
    if (ids === undefined) {
      ids = selectIds(
        this.#tx,
        joined(this.#wayTo(kind), ' UNION ALL ', 'SELECT NULL AS id WHERE FALSE'),
      );
      this.#cache.onTheWay.set(kind, ids);
    }
    return ids === '[]'
      ? []
      : [{ sql: `${table(kind)}.id IN (SELECT value FROM json_each(?))`, values: [ids] }];
  }

  /** Objects that a visible object refers to. */
  #wayTo(kind: KindName): SqlCondition[] {
    return (reachedFrom[kind] ?? []).flatMap((name) => {
      const child = requireKind(name);
      const sets = [
        ...this.#grantedReasons(child).map(({ set }) => set),
        ...this.#leads(child).map((lead) => idsWhere(child, lead)),
        ...(child === 'disk' ? [this.#attached().set] : []),
      ];
      if (sets.length === 0) return [];
      const seen = joined(sets, ' UNION ALL ', '');
      const list = listLinkAttributes(child).find((one) => findTargetKind(child, one) === kind);
      return [
        list
          ? compose`SELECT target AS id FROM reference WHERE kind = '${child}' AND attribute = '${list}' AND id IN (${seen})`
          : compose`SELECT "${kind}_id" AS id FROM ${table(child)} WHERE id IN (${seen})`,
      ];
    });
  }
}

function idsWhere(kind: KindName, condition: SqlCondition): SqlCondition {
  return compose`SELECT id FROM ${table(kind)} WHERE ${condition}`;
}

/** By type: the holders with a permission on an object of it. */
function findGranted(tx: Transaction, holders: readonly string[]): Map<string, string[]> {
  const types = [...permissionObjects, ...permissionKeepers].filter(isAtTop);
  const requested = types.flatMap((type) =>
    holders.map((holder, index) => {
      const held: SqlCondition = { sql: createHolderCondition(1), values: [holder] };
      const grants = compose`SELECT 1 FROM held WHERE ${held} AND ${onObjectsOfType(type)}`;
      return [`${type} ${index}`, grants] as const;
    }),
  );
  const found = listNonEmpty(tx, new Map(requested));
  return new Map(
    types.map((type) => [type, holders.filter((_, index) => found.has(`${type} ${index}`))]),
  );
}
