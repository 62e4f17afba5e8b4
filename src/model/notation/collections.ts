/**
 * Collections: at which paths objects of a type are found, what can be done there (specification 4.1
 * and 4.5), and where the objects come from.
 */

import type { MemberVerbs } from './commands.ts';
import type { DerivedKind } from './kinds.ts';
import type { ActionParameter, QueryParameter } from './parameters.ts';
import type { Need } from './permits.ts';

/** A parameter that is accepted and has no effect, with the reason: the coverage page shows it. */
export interface Ignored<P extends string> {
  readonly parameter: P;
  readonly ignored: string;
}

/** Says that the service accepts a parameter and leaves it without effect, and why. */
export function ignored<const P extends string>(parameter: P, why: string): Ignored<P> {
  return { parameter, ignored: why };
}

/** `async` of an update. */
export const asyncIgnored = ignored('async', 'updates complete before the server answers');

/** Parameters of an operation by name; `ignored(...)` for those that the service does not read. */
export type Parameters<P extends string> = readonly (P | Ignored<P>)[];

/** Parameters of a method: those of its query, or of its body too. */
export type MethodParameters =
  | Parameters<QueryParameter>
  | {
      readonly query?: Parameters<QueryParameter>;
      readonly body?: Parameters<ActionParameter>;
      /** The body is a list although the operation adds one object (adding bricks). */
      readonly bodyIsList?: true;
    };

/** Parameters of an action: elements of its body, and seldom of its query. */
export type ActionParameters =
  | Parameters<ActionParameter>
  | {
      readonly query?: Parameters<QueryParameter>;
      readonly body?: Parameters<ActionParameter>;
      /** The main element is a list. */
      readonly bodyIsList?: true;
    };

/** A path of attributes that must be sent, or several of which one must be. */
export type RequiredPaths = string | readonly [string, ...string[]];

/** What must be sent; `unless` says what makes it unnecessary. */
export type Requirement =
  | RequiredPaths
  | { readonly needed: RequiredPaths; readonly unless: readonly string[] };

/** An object that exists, by id or by name. */
export const idOrName = ['id', 'name'] as const;

/** A reference that has to be sent, by id or by name. */
export function byIdOrName(attribute: string): readonly [string, string] {
  return [`${attribute}.id`, `${attribute}.name`];
}

/** The target of an export: an export domain, or a host with a directory. */
export const exportTarget = [
  'storage_domain.id',
  'storage_domain.name',
  'host.id',
  'host.name',
] as const;

/** What has to be sent where none of these members is. */
export function unless(needed: RequiredPaths, ...members: readonly string[]): Requirement {
  return { needed, unless: members };
}

/** The operations of a collection and of the objects in it. */
export interface Operations {
  readonly list?: MethodParameters;
  readonly add?: MethodParameters;
  readonly get?: MethodParameters;
  readonly update?: MethodParameters;
  readonly remove?: MethodParameters;
  readonly head?: MethodParameters;
  /** DELETE of the collection, which names in its body what goes. */
  readonly removeMany?: MethodParameters;
  /** POSTed to the object, by name in snake case; the path has them without underscores. */
  readonly actions?: Readonly<Record<string, ActionParameters>>;
  /** POSTed to the collection. */
  readonly collectionActions?: Readonly<Record<string, ActionParameters>>;
  /** What `add` asks for, where it is not what the type says: objects that exist are attached. */
  readonly required?: readonly Requirement[];
  /** Permits, where they are not those of the type, by operation. */
  readonly permits?: Readonly<Record<string, readonly Need[]>>;
  /** Verbs of the command line here, by operation, where they are not the usual ones. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** The command line has verbs of the owner for these, instead of a noun. */
  readonly memberVerbs?: MemberVerbs;
  /**
   * Objects that exist are put in by `add`, named by their ids, and taken out by `remove`: each takes
   * back what the other did. A list names attributes that belong to being here. Members always are so.
   */
  readonly attaches?: true | readonly string[];
  /** Operations that are always refused, and why: no test can see them succeed. */
  readonly alwaysRefused?: Readonly<Record<string, string>>;
  /** Actions that are accepted and change nothing that can be seen, and why. */
  readonly withoutEffect?: Readonly<Record<string, string>>;
}

/**
 * What adding a member answers: the object as a new one would be (201), or with 200 what was sent,
 * a link to it, or an action. A collection of links lists nothing but links.
 */
export type MemberAnswer = 'object' | 'sent' | 'link' | 'action';

/** Where the objects of a collection come from. */
export type Placement =
  /** They are kept in the collection itself. */
  | { readonly is: 'owned' }
  /**
   * They are kept in a collection of their own, and those are shown whose attribute refers to the
   * object in the path (`refersBy`) or lists it (`lists`), those that it holds (`held`), or `all`;
   * `partOf` says which collection it is, where that is not the one at the top level.
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
   * They exist by themselves: `add` puts one in, `remove` takes it out. The list is an attribute of
   * the owner in the path, or of the objects.
   */
  | {
      readonly is: 'members';
      readonly listedBy: 'owner' | 'member';
      readonly attribute: string;
      readonly answers: MemberAnswer;
    }
  /** They are made from others, and kept as a kind of their own. */
  | { readonly is: 'computed'; readonly kind: DerivedKind };

export type Collection = Operations & { readonly placement: Placement };

type Placed<O, P> = O & { readonly placement: P };

/** A collection that keeps its objects itself. */
export function owned<const O extends Operations>(operations: O): Placed<O, { is: 'owned' }> {
  return { placement: { is: 'owned' }, ...operations };
}

type View = Omit<Extract<Placement, { is: 'view' }>, 'is'>;

/** Objects of another collection, those that belong to the object in the path. */
export function view<const V extends View, const O extends Operations>(
  which: V,
  operations: O,
): Placed<O, V & { is: 'view' }> {
  return { placement: { is: 'view', ...which }, ...operations };
}

type Members = Omit<Extract<Placement, { is: 'members' }>, 'is'>;

/** Objects that exist by themselves, as members of the object in the path. */
export function members<const M extends Members, const O extends Operations>(
  how: M,
  operations: O,
): Placed<O, M & { is: 'members' }> {
  return { placement: { is: 'members', ...how }, ...operations };
}

/** Objects that are made from others, of a stored kind of their own. */
export function computed<const K extends DerivedKind, const O extends Operations>(
  kind: K,
  operations: O,
): Placed<O, { is: 'computed'; kind: K }> {
  return { placement: { is: 'computed', kind }, ...operations };
}

/** The same collection below several objects: `below(['/vms/{vm}'], 'tags/{tag}', ...)`. */
export function below<const O extends `/${string}`, const S extends string, const C>(
  owners: readonly O[],
  path: S,
  collection: C,
): Readonly<Record<`${O}/${S}`, C>> {
  const entries = owners.map((owner) => [`${owner}/${path}`, collection] as const);
  // The keys of the entries are those of the type: one for each owner.
  return Object.fromEntries(entries) as Record<`${O}/${S}`, C>;
}
