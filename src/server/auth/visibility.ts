/**
 * What a user without a role of an administrator sees: conditions on the objects of each kind, made
 * of the permissions that the user holds. Each comes in two forms: as the set of what is visible,
 * which costs as much as the user sees, and as a test of one object, which costs the same for all.
 */
import { attributesOf, parseKind } from '../../model/index.ts';
import { containers, subjects, ways } from '../../model/permits.ts';
import { services } from '../../model/services/index.ts';
import type { Caller } from '../rules/context.ts';
import { compose, joined, type SqlCondition } from '../store/conditions.ts';
import { heldBy, pathPrefix, permissionKeepers, permissionObjects } from '../store/held.ts';
import { columnName, columnsOf, type KindName, linkListsOf, typeOfKind } from '../store/kinds.ts';
import { table } from '../store/schema.ts';
import { idsOf, isFewer, isHeld, whichHold } from '../store/sets.ts';
import type { Transaction } from '../store/transaction.ts';
import { nameable } from './named-objects.ts';
import { holdersOf } from './permissions.ts';

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

/** Whether everybody sees all objects of a kind. */
export function isPublic(kind: KindName): boolean {
  return publicKinds.has(typeOfKind(kind));
}

/** Objects that a set may have before it costs less to test each one that is looked at. */
const largestSet = 20_000;

/** Roles that show what is inside of their object. */
const showing = `SELECT id FROM ${table('role')} WHERE json_extract(doc, '$.views_children')`;

/** A way on which objects become visible, in both forms. */
interface Reason {
  /** Selects the ids of all of them. */
  readonly set: SqlCondition;
  /** Tells it of the object whose row is looked at. */
  readonly test: SqlCondition;
}

/** What one caller sees, as of one state of the store. */
export class Visibility {
  readonly #tx: Transaction;
  readonly #me: SqlCondition;
  readonly #held: SqlCondition;
  /** Types of which there is an object with a permission of the caller on it. */
  readonly #granted: ReadonlySet<string>;
  /** Ids of objects that only lead to something visible, as JSON, by kind. */
  readonly #onTheWay: Map<KindName, string>;
  readonly #reasons = new Map<KindName, readonly Reason[]>();
  readonly #conditions = new Map<string, SqlCondition>();

  /** `onTheWay` keeps what stays the same while the permissions and their objects do. */
  constructor(tx: Transaction, caller: Caller, onTheWay = new Map<KindName, string>()) {
    const holders = holdersOf(tx, caller);
    this.#tx = tx;
    this.#me = { sql: '?', values: [caller.userId] };
    this.#held = { sql: heldBy(holders.length), values: holders };
    this.#onTheWay = onTheWay;
    this.#granted = whichHold(tx, this.#grants());
  }

  /** Whether everything is visible: by a role on the whole system that shows what is inside. */
  get isWhole(): boolean {
    return isHeld(this.#tx, compose`${this.#held} AND path = '' AND role_id IN (${showing})`);
  }

  /**
   * The condition that an object of a kind is visible, for lists; undefined where all are. It is
   * visible through a permission on itself, through one on what contains it (with a role that shows
   * what is inside), with what it is about, and as the way to something visible (unless `inside`
   * says that what is in it must be visible as well).
   */
  ofList(shown: KindName, inside = false): SqlCondition | undefined {
    if (isPart(shown)) return this.#once(`part ${shown}`, () => this.#part(shown));
    const kind = shown;
    if (publicKinds.has(kind)) return undefined;
    return this.#once(`list ${kind} ${inside}`, () => {
      const set = this.#set(kind);
      if (!isFewer(this.#tx, set, largestSet)) return this.#test(kind, inside);
      const also = kind === 'event' ? [this.#allNamed('event', false)] : [];
      const own = joined([compose`${table(kind)}.id IN (${set})`, ...also], ' AND ', '1');
      return inside ? own : joined([own, ...this.#leads(kind)], ' OR ', '0');
    });
  }

  /** The same condition, for one object of which it is known which it is. */
  ofOne(shown: KindName, inside = false): SqlCondition | undefined {
    if (isPart(shown)) return this.ofList(shown);
    return publicKinds.has(shown) ? undefined : this.#test(shown, inside);
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
    return joined(sets, ' UNION ALL ', 'SELECT NULL AS id WHERE 0');
  }

  #reasonsFor(kind: KindName): readonly Reason[] {
    let reasons = this.#reasons.get(kind);
    if (!reasons) {
      reasons = [
        ...this.#grantedReasons(kind),
        ...this.#containedReasons(kind),
        ...(kind === 'disk' ? [this.#attached()] : []),
        ...(subjects[kind] ?? []).flatMap((path) => this.#subjectReasons(kind, path)),
        ...(kind === 'permission' ? [this.#own()] : []),
        ...(kind === 'job' ? [this.#ownJobs()] : []),
      ];
      this.#reasons.set(kind, reasons);
    }
    return reasons;
  }

  /** By type: the permissions on objects of that type. */
  #grants(): Map<string, SqlCondition> {
    const types = [...permissionObjects, ...permissionKeepers].filter(isAtTop);
    return new Map(
      types.map((type) => [
        type,
        compose`SELECT 1 FROM held WHERE ${this.#held} AND ${within(type)}`,
      ]),
    );
  }

  /** Objects that a permission is on. */
  #grantedReasons(kind: KindName, further = ''): Reason[] {
    const named = (permissionObjects as readonly string[]).includes(kind);
    if (!named && !permissionKeepers.has(kind)) return [];
    if (isAtTop(kind) && !this.#granted.has(kind)) return [];
    const path = named
      ? `'${pathPrefix(kind)}' || ${table(kind)}.id`
      : `${table(kind)}.collection || '/' || ${table(kind)}.id`;
    const test = compose`EXISTS (SELECT 1 FROM held WHERE ${this.#held} AND path = ${path}${further})`;
    if (!isAtTop(kind)) return [ofRow(kind, test)];
    const id = `substr(path, ${String(pathPrefix(kind).length + 1)})`;
    const set = compose`SELECT ${id} AS id FROM held WHERE ${this.#held} AND ${within(kind)}${further}`;
    return [{ set, test }];
  }

  /** Objects in what a permission is on. */
  #containedReasons(kind: KindName): Reason[] {
    return (containers[kind] ?? []).flatMap((path) => this.#showing(kind, path.split('.')));
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
      const column = `${table(kind)}.[${columnName([attribute, 'id'])}]`;
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
      const rest = `substr(${table(kind)}.collection, ${String(prefix.length + 1)})`;
      const owner = this.#refers(type, `substr(${rest}, 1, instr(${rest}, '/') - 1)`, !views);
      return compose`(${table(kind)}.collection LIKE '${prefix}%' AND ${owner})`;
    });
    const own = this.#reasonsFor(kind).map(({ test }) => test);
    return joined([...base, anyOf([...above, ...own])], ' AND ', '1');
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
      (name) => `SELECT '${name}' AS kind, ${of}.[${name}_id] AS id UNION ALL `,
    );
    const kept = `SELECT value ->> 'kind' AS kind, value ->> 'id' AS id FROM json_each(${of}.doc, '$.names')`;
    const cases = nameable.map((name) => {
      const absent = gone ? ` OR NOT EXISTS (SELECT 1 FROM ${table(name)} WHERE id = n.id)` : '';
      return compose`WHEN '${name}' THEN ${this.#refers(name, 'n.id', false)}${absent}`;
    });
    const all = `SELECT 1 FROM (${shown.join('')}${kept}) n WHERE n.id IS NOT NULL`;
    return compose`NOT EXISTS (${all} AND NOT CASE n.kind ${joined(cases, ' ', '')} ELSE 0 END)`;
  }

  /** The condition that an object leads to something visible; none where nothing of its kind does. */
  #leads(kind: KindName): SqlCondition[] {
    if (!ways[kind]) return [];
    let ids = this.#onTheWay.get(kind);
    if (ids === undefined) {
      ids = idsOf(this.#tx, joined(this.#wayTo(kind), ' UNION ALL ', 'SELECT NULL AS id WHERE 0'));
      this.#onTheWay.set(kind, ids);
    }
    return ids === '[]'
      ? []
      : [{ sql: `${table(kind)}.id IN (SELECT value FROM json_each(?))`, values: [ids] }];
  }

  /** Objects that something visible refers to. */
  #wayTo(kind: KindName): SqlCondition[] {
    return (ways[kind] ?? []).flatMap((name) => {
      const child = name as KindName;
      const sets = [
        ...this.#grantedReasons(child).map(({ set }) => set),
        ...this.#leads(child).map((lead) => compose`SELECT id FROM ${table(child)} WHERE ${lead}`),
        ...(child === 'disk' ? [this.#attached().set] : []),
      ];
      if (sets.length === 0) return [];
      const seen = joined(sets, ' UNION ALL ', '');
      const list = linkListsOf(child).find((one) => targetOf(child, one) === kind);
      return [
        list
          ? compose`SELECT target AS id FROM reference WHERE kind = '${child}' AND attribute = '${list}' AND id IN (${seen})`
          : compose`SELECT [${kind}_id] AS id FROM ${table(child)} WHERE id IN (${seen})`,
      ];
    });
  }
}

/** Objects that events refer to and that are not public. */
const namedByEvents = Object.entries(attributesOf('event')).flatMap(([name, { kind }]) => {
  const { form, of } = parseKind(kind);
  return form === 'ref' && name === of && !publicKinds.has(of) ? [name as KindName] : [];
});

/** Whether objects of a kind are kept below others and not at the top. */
function isPart(kind: KindName): boolean {
  return typeOfKind(kind) !== kind || (!isAtTop(kind) && kind !== 'permission');
}

/** What the paths of collections of a kind begin with, and the type of what is named there. */
function ownersOf(kind: KindName): { prefix: string; type: KindName }[] {
  const type = typeOfKind(kind);
  const tops = Object.entries(services)
    .filter(([path, service]) => service.type === type && path.split('/').length > 3)
    .map(([path]) => path.split('/')[1] ?? '');
  return [...new Set(tops)].flatMap((top) => {
    const owner = services[`/${top}`]?.type;
    return owner ? [{ prefix: `/${top}/`, type: owner as KindName }] : [];
  });
}

/** Whether there is one collection with all objects of a type. */
function isAtTop(type: string): boolean {
  return pathPrefix(type) !== '/';
}

/** The condition that a permission is on an object of a type. */
function within(type: string): string {
  const prefix = pathPrefix(type);
  return `path >= '${prefix}' AND path < '${prefix.slice(0, -1)}0'`;
}

/** Several conditions of which one is enough, as one that stands beside others. */
function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
  const any = joined(conditions, ' OR ', '0');
  return conditions.length > 1 ? compose`(${any})` : any;
}

/** A reason whose set is made by testing all objects of a kind. */
function ofRow(kind: KindName, test: SqlCondition): Reason {
  return { set: compose`SELECT id FROM ${table(kind)} WHERE ${test}`, test };
}

/** The condition that an attribute leads into a set. */
function referring(kind: KindName, attribute: string, set: SqlCondition): SqlCondition | undefined {
  if (linkListsOf(kind).includes(attribute)) {
    return compose`${table(kind)}.id IN (SELECT id FROM reference WHERE kind = '${kind}' AND attribute = '${attribute}' AND target IN (${set}))`;
  }
  const column = columnName([attribute, 'id']);
  const known = columnsOf(kind).some(({ name }) => name === column);
  return known ? compose`${table(kind)}.[${column}] IN (${set})` : undefined;
}

/** The kind that an attribute refers to. */
function targetOf(kind: KindName, attribute: string): KindName | undefined {
  const declared = attributesOf(typeOfKind(kind))[attribute];
  return declared && (parseKind(declared.kind).of as KindName);
}
