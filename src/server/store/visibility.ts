/**
 * What a user without a role of an administrator sees: conditions on the objects of each kind, made
 * of the permissions that the user holds. Each comes in two forms: as the set of what is visible,
 * which costs as much as the user sees, and as a test of one object, which costs the same for all.
 */

import { about, containedIn, reachedFrom } from '../../model/derive/permits.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { compose, joined, type SqlCondition } from './conditions.ts';
import { type KindName, kindNamed, linkListsOf, typeOfKind } from './kinds.ts';
import { columnName } from './own-column.ts';
import { heldBy, isPermissionObject, pathPrefix, permissionKeepers } from './permission-index.ts';
import { table } from './schema.ts';
import { idsOf, isHeld, whichHold } from './staged.ts';
import type { Transaction } from './transaction.ts';
import {
  anyOf,
  isAtTop,
  isPart,
  isPublic,
  nameable,
  namedByEvents,
  ofRow,
  ownersOf,
  type Reason,
  referring,
  targetOf,
  within,
} from './visible-kinds.ts';

/** What stays the same for a user while the permissions and their objects do. */
export class VisibilityCache {
  /** By type: the holders of permissions on objects of it. */
  granted: ReadonlyMap<string, readonly string[]> | undefined;
  /** Ids of objects that only lead to something visible, as JSON, by kind. */
  readonly onTheWay = new Map<KindName, string>();
}

/** Roles that show what is inside of their object. */
const showing = `SELECT id FROM ${table('role')} WHERE CAST(json_extract(doc, '$.views_children') AS BOOLEAN)`;

/** What one caller sees, as of one state of the store. */
export class Visibility {
  readonly #tx: Transaction;
  readonly #me: SqlCondition;
  readonly #held: SqlCondition;
  /** By type: those of the caller's holders that have a permission on an object of it. */
  readonly #granted: ReadonlyMap<string, readonly string[]>;
  readonly #cache: VisibilityCache;
  readonly #reasons = new Map<KindName, readonly Reason[]>();
  readonly #conditions = new Map<string, SqlCondition>();

  /**
   * `holders` are the ids of the user and of the groups that the user is in; `stored` has what was
   * worked out before and still holds.
   */
  constructor(
    tx: Transaction,
    user: string,
    holders: readonly string[],
    stored = new VisibilityCache(),
  ) {
    this.#tx = tx;
    this.#me = { sql: '?', values: [user] };
    this.#held = { sql: heldBy(holders.length), values: holders };
    this.#cache = stored;
    stored.granted ??= grantedTo(tx, holders);
    this.#granted = stored.granted;
  }

  /** Whether everything is visible: by a role on the whole system that shows what is inside. */
  get isWhole(): boolean {
    return isHeld(this.#tx, compose`${this.#held} AND path = '' AND role_id IN (${showing})`);
  }

  /**
   * The condition that an object of a kind is visible; undefined where all are. It is visible through
   * a permission on itself, through one on what contains it (with a role that shows what is inside),
   * with what it is about, and as the way to something visible (unless `inside` says that what is in
   * it must be visible as well).
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

  /** Selects the ids of what is visible with what is in it. */
  #set(kind: KindName): SqlCondition {
    const sets = this.#reasonsFor(kind).map(({ set }) => set);
    return joined(sets, ' UNION ALL ', 'SELECT NULL AS id WHERE FALSE');
  }

  #reasonsFor(kind: KindName): readonly Reason[] {
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

  /** Objects that a permission is on. */
  #grantedReasons(kind: KindName, further = ''): Reason[] {
    const named = isPermissionObject(kind);
    if (!named && !permissionKeepers.has(kind)) return [];
    const holders = this.#granted.get(kind) ?? [];
    if (isAtTop(kind) && holders.length === 0) return [];
    const held = isAtTop(kind) ? { sql: heldBy(holders.length), values: holders } : this.#held;
    const path = named
      ? `'${pathPrefix(kind)}' || ${table(kind)}.id`
      : `${table(kind)}.collection || '/' || ${table(kind)}.id`;
    const test = compose`EXISTS (SELECT 1 FROM held WHERE ${held} AND path = ${path}${further})`;
    if (!isAtTop(kind)) return [ofRow(kind, test)];
    const id = `substr(path, ${String(pathPrefix(kind).length + 1)})`;
    const set = compose`SELECT ${id} AS id FROM held WHERE ${held} AND ${within(kind)}${further}`;
    return [{ set, test }];
  }

  /** Objects in what a permission is on. */
  #containedReasons(kind: KindName): Reason[] {
    return (containedIn[kind] ?? []).flatMap((path) => this.#showing(kind, path.split('.')));
  }

  /** Those whose path of references leads to an object that shows what is in it. */
  #showing(kind: KindName, [attribute = '', ...rest]: readonly string[]): Reason[] {
    const target = targetOf(kind, attribute);
    if (!target) return [];
    const reasons =
      rest.length > 0
        ? this.#showing(target, rest)
        : [
            ...this.#grantedReasons(target, ` AND role_id IN (${showing})`),
            ...this.#containedReasons(target),
          ];
    return reasons.flatMap(({ set }) => {
      const test = referring(kind, attribute, set);
      return test ? [ofRow(kind, test)] : [];
    });
  }

  /** A disk is seen with the machines that it is attached to. */
  #attached(): Reason {
    const attachments = table('disk_attachment');
    const both = compose`${attachments} a CROSS JOIN ${this.#seen('vm', true)} s ON s.id = a.vm_id`;
    return {
      set: compose`SELECT disk_id AS id FROM ${attachments} WHERE vm_id IN (${this.#set('vm')})`,
      test: compose`EXISTS (SELECT 1 FROM ${both} WHERE a.disk_id = ${table('disk')}.id)`,
    };
  }

  /** Objects that are about something that is visible with what is in it. */
  #subjectReasons(kind: KindName, attribute: string): Reason[] {
    const target = targetOf(kind, attribute);
    const set = target && referring(kind, attribute, this.#set(target));
    if (!target || !set) return [];
    const select = compose`SELECT id FROM ${table(kind)} WHERE ${set}`;
    if (!linkListsOf(kind).includes(attribute)) {
      const column = `${table(kind)}."${columnName([attribute, 'id'])}"`;
      return [{ set: select, test: this.#refers(target, column, true) }];
    }
    const both = compose`reference r CROSS JOIN ${this.#seen(target, true)} s ON s.id = r.target`;
    const test = compose`EXISTS (SELECT 1 FROM ${both} WHERE r.kind = '${kind}' AND r.id = ${table(kind)}.id AND r.attribute = '${attribute}')`;
    return [{ set: select, test }];
  }

  /** Permissions that the caller holds. */
  #own(): Reason {
    const set = compose`SELECT id FROM held WHERE ${this.#held}`;
    return { set, test: compose`${table('permission')}.id IN (${set})` };
  }

  /** What the caller has begun, unless it tells of something that is there and not visible. */
  #ownJobs(): Reason {
    return ofRow('job', compose`owner_id = ${this.#me} AND ${this.#allNamed('job', true)}`);
  }

  /** What is kept below an object is visible with all that is in that. */
  #part(kind: KindName): SqlCondition {
    const views = typeOfKind(kind) !== kind && !isPublic(kind);
    const base = views ? [this.#refers(typeOfKind(kind), `${table(kind)}.id`, false)] : [];
    const above = ownersOf(kind).map(({ prefix, type }) => {
      const rest = `(substr(${table(kind)}.collection, ${String(prefix.length + 1)}) || '/')`;
      const owner = this.#refers(type, `substr(${rest}, 1, instr(${rest}, '/') - 1)`, !views);
      return compose`(${table(kind)}.collection LIKE '${prefix}%' AND ${owner})`;
    });
    const own = this.#reasonsFor(kind).map(({ test }) => test);
    return joined([...base, anyOf([...above, ...own])], ' AND ', 'TRUE');
  }

  /**
   * The name of a table of what is visible of a kind. It stands before the statement, so that no
   * part of that lies deep inside, and is looked into for single ids only.
   */
  #seen(kind: KindName, inside: boolean): SqlCondition {
    const visible = this.ofOne(kind, inside);
    if (!visible) return { sql: table(kind), values: [] };
    const name = `${inside ? 'inside' : 'seen'}_${kind}`;
    const select = compose`SELECT id FROM ${table(kind)} WHERE ${visible}`;
    return { sql: name, values: [], tables: [{ name, select }] };
  }

  /** Whether a column leads to a visible object. */
  #refers(kind: KindName, column: string, inside: boolean): SqlCondition {
    return compose`EXISTS (SELECT 1 FROM ${this.#seen(kind, inside)} s WHERE s.id = ${column})`;
  }

  /**
   * Whether all that a record names is visible; where `gone` says so, also what is not there any
   * more.
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

  /** The condition that an object leads to something visible; none where nothing of its kind does. */
  #leads(kind: KindName): SqlCondition[] {
    if (!reachedFrom[kind]) return [];
    let ids = this.#cache.onTheWay.get(kind);
    if (ids === undefined) {
      ids = idsOf(
        this.#tx,
        joined(this.#wayTo(kind), ' UNION ALL ', 'SELECT NULL AS id WHERE FALSE'),
      );
      this.#cache.onTheWay.set(kind, ids);
    }
    return ids === '[]'
      ? []
      : [{ sql: `${table(kind)}.id IN (SELECT value FROM json_each(?))`, values: [ids] }];
  }

  /** Objects that something visible refers to. */
  #wayTo(kind: KindName): SqlCondition[] {
    return (reachedFrom[kind] ?? []).flatMap((name) => {
      const child = kindNamed(name);
      const sets = [
        ...this.#grantedReasons(child).map(({ set }) => set),
        ...this.#leads(child).map((lead) => idsWhere(child, lead)),
        ...(child === 'disk' ? [this.#attached().set] : []),
      ];
      if (sets.length === 0) return [];
      const seen = joined(sets, ' UNION ALL ', '');
      const list = linkListsOf(child).find((one) => targetOf(child, one) === kind);
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

/** By type: those of some holders that have a permission on an object of it. */
function grantedTo(tx: Transaction, holders: readonly string[]): Map<string, string[]> {
  const types = [...permissionObjects, ...permissionKeepers].filter(isAtTop);
  const requested = types.flatMap((type) =>
    holders.map((holder, index) => {
      const held: SqlCondition = { sql: heldBy(1), values: [holder] };
      const grants = compose`SELECT 1 FROM held WHERE ${held} AND ${within(type)}`;
      return [`${type} ${index}`, grants] as const;
    }),
  );
  const found = whichHold(tx, new Map(requested));
  return new Map(
    types.map((type) => [type, holders.filter((_, index) => found.has(`${type} ${index}`))]),
  );
}
