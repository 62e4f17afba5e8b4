/** Resources: everything that is data about one type of objects, in one declaration. */

import type { TypeDefinition } from './attributes.ts';
import type { Collection, Requirement } from './collections.ts';
import type { Commands } from './commands.ts';
import type { InDefinitions } from './definition.ts';
import type { EventTexts } from './events.ts';
import type { FaultTexts } from './faults.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Making, makesNothing } from './makes.ts';
import type { Naming } from './naming.ts';
import type { QueryParameter } from './parameters.ts';
import type { ConditionalNeed, Need, superUser } from './permits.ts';
import type { Search } from './search.ts';
import type { StatisticRow } from './statistics.ts';

/** Where an operation has an opposite, if not always. */
export interface OppositeLimit {
  /** Where this attribute was sent: without it something was made that the opposite does not take away. */
  readonly sent?: string;
  /** Not where this parameter had this value: then something is gone. */
  readonly unless?: readonly [parameter: QueryParameter, value: boolean];
}

/** What holds of an operation that changes something, wherever objects of the type are found. */
export interface OperationRule<O extends string = string> {
  /** Permits that the caller needs, all of them; `superUser` where no permit is enough. */
  readonly permit: Need | readonly Need[] | typeof superUser;
  /** Further permits, where the request says something. */
  readonly permitWhenSent?: readonly ConditionalNeed[];
  /** The job that the operation opens: `{name}` is the object, `{owner}` what it belongs to. */
  readonly job: string | 'none';
  /** The action stops no work and loses no data: protected contexts do not ask before it. */
  readonly harmless?: true;
  /** Elements without which an action is not run. */
  readonly required?: readonly Requirement[];
  /** The objects that it makes beside the one that it is called on, or answers instead of itself. */
  readonly makes?: Making | typeof makesNothing;
  /**
   * The operation that takes back what this one did, where neither loses anything: it has this one as
   * its own opposite. `add` is that of `remove` where all that an object says can be said again.
   */
  readonly opposite?: O;
  readonly oppositeWhere?: OppositeLimit;
}

/** Collections that objects of some sorts lack, by the attribute that says of which sort one is. */
export interface MissingCollections {
  readonly by: string;
  readonly collections: Readonly<Record<string, readonly string[]>>;
  /** Those that the answer to an update lacks instead, where the dialect follows an engine. */
  readonly afterUpdate?: readonly string[];
  /** Those that the answer to GET of one object lacks instead, where the dialect follows an engine. */
  readonly alone?: readonly string[];
}

export interface ResourceDefinition extends TypeDefinition {
  /** Which names objects may have, and where a name is unique (specification 2.2). */
  readonly naming?: Naming;
  /** Attributes without which an object is not added (specification 4.5). */
  readonly required?: readonly Requirement[];
  /** What is asked for instead where one of these members is sent. */
  readonly requiredWith?: Readonly<Record<string, readonly Requirement[]>>;
  /** What is asked for instead of objects of a kind of their own. */
  readonly requiredOfKind?: Readonly<Record<string, readonly Requirement[]>>;
  readonly operations?: Readonly<Record<string, OperationRule>>;
  /** By the path template of the objects; of the collection where single ones have no path. */
  readonly paths: Readonly<Record<`/${string}`, Collection>>;
  readonly missingCollections?: MissingCollections;
  /**
   * What contains an object, and so passes permissions on: paths of references that lead to it.
   * Everything is in the system.
   */
  readonly containedIn?: readonly string[];
  /** Types that refer to this one: whoever sees such an object sees the one that it refers to. */
  readonly reachedFrom?: readonly string[];
  /** Attributes that refer to what an object is about: it is seen with that. */
  readonly about?: readonly string[];
  readonly statistics?: readonly StatisticRow[];
  readonly search?: Search;
  readonly lifecycle?: Lifecycle;
  /** Events of its own, by name; those that concern other resources too are in `model/events`. */
  readonly events?: EventTexts;
  /** Faults of its own, by name; those that others use too are in `model/faults`. */
  readonly faults?: FaultTexts;
  /** Enumerated types of its own, by name. */
  readonly enums?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** What a site written down says of it. */
  readonly definition?: InDefinitions;
  /** What the command line calls its collections; absent where a noun of another resource covers them. */
  readonly commands?: Commands;
}

type ActionsOf<C> = C extends { readonly actions: infer A } ? keyof A : never;
type CollectionActionsOf<C> = C extends { readonly collectionActions: infer A } ? keyof A : never;
type ChangesOf<C> = Extract<keyof C, 'add' | 'update' | 'remove'>;

/** Names of the operations of these collections that change something. */
export type ChangingOperations<P> = {
  [K in keyof P]: ActionsOf<P[K]> | CollectionActionsOf<P[K]> | ChangesOf<P[K]>;
}[keyof P];

/** Every operation that changes something has its permits and its job. */
type Ruled<P> = [ChangingOperations<P>] extends [never]
  ? unknown
  : {
      readonly operations: {
        readonly [O in ChangingOperations<P> & string]: OperationRule<
          Exclude<ChangingOperations<P> & string, O>
        >;
      };
    };

/**
 * Declares a resource under the name of its type; returns it with its literal types. An operation of
 * its collections that has no permit or no job is an error of types.
 */
export function resource<const N extends string, const D extends ResourceDefinition>(
  name: N,
  definition: D & Ruled<D['paths']>,
): D & { readonly name: N } {
  return { ...definition, name };
}

/** Declares a type whose values are parts of others and have no path of their own. */
export function structure<const N extends string, const D extends TypeDefinition>(
  name: N,
  definition: D,
): D & { readonly name: N } {
  return { ...definition, name };
}
