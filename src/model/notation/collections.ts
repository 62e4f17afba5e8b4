/**
 * Collections: paths of the objects of a type, their operations (specification 4.1 and 4.5), and
 * the source of the objects.
 */

import type { MemberVerbs } from './commands.ts';
import type { DerivedKind } from './kinds.ts';
import type { ActionParameter, QueryParameter } from './parameters.ts';
import type { Need } from './permits.ts';

/** Accepted parameter without an effect, with the reason for the coverage page. */
export interface Ignored<P extends string> {
  readonly parameter: P;
  readonly ignored: string;
}

/** Declares an accepted parameter without an effect, and the reason. */
export function ignored<const P extends string>(parameter: P, why: string): Ignored<P> {
  return { parameter, ignored: why };
}

/** `async` of an update. */
export const asyncIgnored = ignored('async', 'updates complete before the server answers');

/**
 * Parameters of an operation by name. `ignored(...)` marks those that the service does not read.
 */
export type Parameters<P extends string> = readonly (P | Ignored<P>)[];

/** Parameters of a method: of its query, or of its body too. */
export type MethodParameters =
  | Parameters<QueryParameter>
  | {
      readonly query?: Parameters<QueryParameter>;
      readonly body?: Parameters<ActionParameter>;
      /** Whether the body is a list although the operation adds one object (adding bricks). */
      readonly bodyIsList?: true;
    };

/** Parameters of the operations of an ordinary collection. */
const ordinary = {
  list: ['follow', 'max'],
  add: [],
  get: ['follow'],
  update: [asyncIgnored],
  remove: ['async'],
} as const;

type Ordinary = typeof ordinary;

/** Operations of an ordinary collection with their parameters: all, or those with these names. */
export function crud(): Ordinary;
export function crud<const N extends keyof Ordinary>(...names: readonly N[]): Pick<Ordinary, N>;
export function crud(...names: readonly (keyof Ordinary)[]): Partial<Ordinary> {
  if (names.length === 0) return ordinary;
  return Object.fromEntries(names.map((name) => [name, ordinary[name]]));
}

/** Parameters of an action: elements of its body, rarely of its query. */
export type ActionParameters =
  | Parameters<ActionParameter>
  | {
      readonly query?: Parameters<QueryParameter>;
      readonly body?: Parameters<ActionParameter>;
      /** Whether the main element is a list. */
      readonly bodyIsList?: true;
    };

/** Required path of attributes, or several paths of which one suffices. */
export type RequiredPaths = string | readonly [string, ...string[]];

/** Required paths. Members in `unless` make them optional. */
export type Requirement =
  | RequiredPaths
  | { readonly needed: RequiredPaths; readonly unless: readonly string[] };

/** Existing object, by id or by name. */
export const idOrName = ['id', 'name'] as const;

/** Required reference, by id or by name. */
export function byIdOrName(attribute: string): readonly [string, string] {
  return [`${attribute}.id`, `${attribute}.name`];
}

/** Target of an export: an export domain, or a host with a directory. */
export const exportTarget = [
  'storage_domain.id',
  'storage_domain.name',
  'host.id',
  'host.name',
] as const;

/** Requires paths unless the request contains one of these members. */
export function unless(needed: RequiredPaths, ...members: readonly string[]): Requirement {
  return { needed, unless: members };
}

/** Operations of a collection and its objects. */
export interface Operations {
  readonly list?: MethodParameters;
  readonly add?: MethodParameters;
  readonly get?: MethodParameters;
  readonly update?: MethodParameters;
  readonly remove?: MethodParameters;
  readonly head?: MethodParameters;
  /** DELETE of the collection, with the objects to remove in its body. */
  readonly removeMany?: MethodParameters;
  /** POST to the object, by name in snake case. The path omits the underscores. */
  readonly actions?: Readonly<Record<string, ActionParameters>>;
  /** POST to the collection. */
  readonly collectionActions?: Readonly<Record<string, ActionParameters>>;
  /**
   * Required attributes of an `add` that attaches existing objects, if they differ from those of
   * the type.
   */
  readonly required?: readonly Requirement[];
  /** Permits by operation, if they differ from those of the type. */
  readonly permits?: Readonly<Record<string, readonly Need[]>>;
  /** Verbs of the command line by operation, if they differ from the defaults. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** Verbs of the owner for this collection, instead of a noun. */
  readonly memberVerbs?: MemberVerbs;
  /**
   * `add` attaches existing objects by their ids, and `remove` detaches them: each reverts the
   * other. A list contains the attributes of the attachment. Always true for members.
   */
  readonly attaches?: true | readonly string[];
  /**
   * Operations that are always refused, with the reason, so that no test can cover their success.
   */
  readonly alwaysRefused?: Readonly<Record<string, string>>;
  /** Accepted actions without a visible effect, with the reason. */
  readonly withoutEffect?: Readonly<Record<string, string>>;
}

/**
 * Response to adding a member: the object with status 201, or with status 200 the sent object, a
 * link to it, or an action. A collection of links lists only links.
 */
export type MemberAnswer = 'object' | 'sent' | 'link' | 'action';

/** Source of the objects of a collection. */
export type Placement =
  /** Objects stored in the collection. */
  | { readonly is: 'owned' }
  /**
   * Objects stored in another collection: those whose attribute refers to the object in the path
   * (`refersBy`) or lists it (`lists`), those that it holds (`held`), or `all`. `partOf` is the
   * other collection, if it is not at the top level.
   */
  | {
      readonly is: 'view';
      readonly refersBy?: string;
      readonly lists?: string;
      readonly held?: true;
      readonly all?: true;
      readonly partOf?: string;
    }
  /**
   * Independent objects that `add` attaches and `remove` detaches. The list is an attribute of the
   * owner in the path, or of the objects.
   */
  | {
      readonly is: 'members';
      readonly listedBy: 'owner' | 'member';
      readonly attribute: string;
      readonly answers: MemberAnswer;
    }
  /** Objects computed from others, stored under another kind. */
  | { readonly is: 'computed'; readonly kind: DerivedKind };

export type Collection = Operations & { readonly placement: Placement };

type Placed<O, P> = O & { readonly placement: P };

/** Declares a collection that stores its objects. */
export function owned<const O extends Operations>(operations: O): Placed<O, { is: 'owned' }> {
  return { placement: { is: 'owned' }, ...operations };
}

type View = Omit<Extract<Placement, { is: 'view' }>, 'is'>;

/** Declares a view of another collection: the objects that belong to the object in the path. */
export function view<const V extends View, const O extends Operations>(
  which: V,
  operations: O,
): Placed<O, V & { is: 'view' }> {
  return { placement: { is: 'view', ...which }, ...operations };
}

type Members = Omit<Extract<Placement, { is: 'members' }>, 'is'>;

/** Declares independent objects as members of the object in the path. */
export function members<const M extends Members, const O extends Operations>(
  how: M,
  operations: O,
): Placed<O, M & { is: 'members' }> {
  return { placement: { is: 'members', ...how }, ...operations };
}

/** Declares objects that are computed from others, of another stored kind. */
export function computed<const K extends DerivedKind, const O extends Operations>(
  kind: K,
  operations: O,
): Placed<O, { is: 'computed'; kind: K }> {
  return { placement: { is: 'computed', kind }, ...operations };
}

/**
 * Declares the same collection below several objects: `below(['/vms/{vm}'], 'tags/{tag}', ...)`.
 */
export function below<const O extends `/${string}`, const S extends string, const C>(
  owners: readonly O[],
  path: S,
  collection: C,
): Readonly<Record<`${O}/${S}`, C>> {
  const entries = owners.map((owner) => [`${owner}/${path}`, collection] as const);
  // The keys are those of the type, one for each owner.
  return Object.fromEntries(entries) as Record<`${O}/${S}`, C>;
}
