/** Resources: one declaration with all data about one type of objects. */

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

/** Condition of an opposite. */
export interface OppositeLimit {
  /**
   * The request contained this attribute. Otherwise the operation created an object that the
   * opposite does not remove.
   */
  readonly sent?: string;
  /** The parameter did not have this value, with which the operation loses data. */
  readonly unless?: readonly [parameter: QueryParameter, value: boolean];
}

/** Properties of a changing operation, at all paths of the type. */
export interface OperationRule<O extends string = string> {
  /** Permits that the caller needs, all of them, or `superUser`. */
  readonly permit: Need | readonly Need[] | typeof superUser;
  /** Additional permits for certain requests. */
  readonly permitWhenSent?: readonly ConditionalNeed[];
  /** Job that the operation opens, if any: `{name}` is the object, `{owner}` its owner. */
  readonly job?: string;
  /**
   * Whether the action neither stops work nor loses data, so that protected contexts need no
   * confirmation.
   */
  readonly harmless?: true;
  /**
   * Data that the operation deletes in addition to the addressed object, as a predicate. Help
   * states it; commands ask for confirmation before an action.
   */
  readonly alsoDeletes?: `deletes ${string}`;
  /** Required elements of an action. */
  readonly required?: readonly Requirement[];
  /** Objects that it creates in addition to the addressed one, or returns instead of it. */
  readonly makes?: Making | typeof makesNothing;
  /**
   * Operation that reverts this one, if neither loses data. The opposite has this operation as its
   * opposite. `add` reverts `remove` if a request can set all attributes.
   */
  readonly opposite?: O;
  readonly oppositeWhere?: OppositeLimit;
}

/** Collections that some objects lack, by the attribute with the sort of the object. */
export interface MissingCollections {
  readonly by: string;
  readonly collections: Readonly<Record<string, readonly string[]>>;
  /** Collections that responses to updates lack instead, in dialects that follow an engine. */
  readonly afterUpdate?: readonly string[];
  /**
   * Collections that responses to GET of one object lack instead, in dialects that follow an
   * engine.
   */
  readonly alone?: readonly string[];
}

export interface ResourceDefinition extends TypeDefinition {
  /** Rules for names, and the scope in which they are unique (specification 2.2). */
  readonly naming?: Naming;
  /** Required attributes of new objects (specification 4.5). */
  readonly required?: readonly Requirement[];
  /** Required attributes if the request contains one of these members. */
  readonly requiredWith?: Readonly<Record<string, readonly Requirement[]>>;
  /** Required attributes of objects of other kinds. */
  readonly requiredOfKind?: Readonly<Record<string, readonly Requirement[]>>;
  readonly operations?: Readonly<Record<string, OperationRule>>;
  /**
   * Collections by path template of the objects, or of the collection if single objects have no
   * path.
   */
  readonly paths: Readonly<Record<`/${string}`, Collection>>;
  readonly missingCollections?: MissingCollections;
  /**
   * Containers from which objects inherit permissions, as paths of references. The system contains
   * all objects.
   */
  readonly containedIn?: readonly string[];
  /**
   * Types that refer to this one. A visible object of these types makes the referenced object
   * visible.
   */
  readonly reachedFrom?: readonly string[];
  /** Attributes that refer to the subject of an object, which determines its visibility. */
  readonly about?: readonly string[];
  readonly statistics?: readonly StatisticRow[];
  readonly search?: Search;
  readonly lifecycle?: Lifecycle;
  /** Events of this resource by name. Shared events are in `model/events`. */
  readonly events?: EventTexts;
  /** Faults of this resource by name. Shared faults are in `model/faults`. */
  readonly faults?: FaultTexts;
  /** Enums of this resource by name. */
  readonly enums?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** Form in definitions. */
  readonly definition?: InDefinitions;
  /** Nouns of its collections. Absent if a noun of another resource covers them. */
  readonly commands?: Commands;
}

type ActionsOf<C> = C extends { readonly actions: infer A } ? keyof A : never;
type CollectionActionsOf<C> = C extends { readonly collectionActions: infer A } ? keyof A : never;
type ChangesOf<C> = Extract<keyof C, 'add' | 'update' | 'remove'>;

/** Names of the changing operations of these collections. */
export type ChangingOperations<P> = {
  [K in keyof P]: ActionsOf<P[K]> | CollectionActionsOf<P[K]> | ChangesOf<P[K]>;
}[keyof P];

/** Requires a permit and a job for each changing operation. */
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
 * Declares a resource under the name of its type, with literal types. A changing operation without
 * a permit or job is a type error.
 */
export function resource<const N extends string, const D extends ResourceDefinition>(
  name: N,
  definition: D & Ruled<D['paths']>,
): D & { readonly name: N } {
  return { ...definition, name };
}

/** Declares a type of nested values without a path. */
export function structure<const N extends string, const D extends TypeDefinition>(
  name: N,
  definition: D,
): D & { readonly name: N } {
  return { ...definition, name };
}
