/** Declaration and registry of the behavior of each kind of object. */
import type { EventName } from '../../model/events.ts';
import type { Lifecycle } from '../../model/lifecycle.ts';
import type { DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { ActionBody } from '../../model/resource.ts';
import type { Declarations, TypeName } from '../../model/resources/index.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { Measure } from '../store/search.ts';
import type { ObjectOf } from '../store/transaction.ts';
import type { CollectionRef } from './collection-ref.ts';
import type { RuleContext } from './context.ts';
import type { Deadline, Work } from './declared-tasks.ts';
import type { Parameters } from './parameters.ts';
import type { Site } from './ports.ts';
import type { TransitionHandlers } from './transition-handlers.ts';

/** Event of a change: one name, one for each kind of owner, or a function of the object. */
export type EventChoice =
  | EventName
  | Readonly<Partial<Record<KindName, EventName>>>
  | ((object: StoredObject) => EventName);

/** An object and the collection that contains it. */
export interface LocatedObject<K extends KindName> {
  readonly ref: CollectionRef;
  readonly object: ObjectOf<K>;
}

/** Result of an action: elements of the `action` document in the response. */
export type ActionResult = StoredObject | undefined;

export type Action<K extends KindName> = (
  ctx: RuleContext,
  target: LocatedObject<K>,
  body: ActionBody,
) => ActionResult;

/** An action on an entire collection. `body` contains the elements of the action. */
export type CollectionAction = (
  ctx: RuleContext,
  ref: CollectionRef,
  body: ActionBody,
  parameters: Parameters,
) => ActionResult;

/** Members of an object that a response includes. */
export interface Extent {
  /** Omits members that repeat the enclosing object. */
  readonly brief: boolean;
  /** The response to GET of one object. */
  readonly alone: boolean;
}

/** Changes of the links of an object. */
export interface LinkChanges {
  /** Relations of the links and actions that the object lacks: the last segments of their paths. */
  readonly missing: readonly string[];
  /** Links to other objects, with their paths below the API root. */
  readonly others: readonly { readonly rel: string; readonly path: string }[];
}

/**
 * Behavior of one kind. Every member is optional: the generic implementation suits most kinds.
 *
 * All members run inside the transaction of the request. They throw `Refusal` to roll it back.
 */
export interface Behavior<K extends KindName = KindName> {
  readonly kind: K;
  /** Its states, for kinds that have any. */
  readonly lifecycle?: Lifecycle;
  /** Handlers for the transitions of its lifecycle. */
  readonly transitions?: TransitionHandlers<K>;
  /** Events written when an object is added, updated and removed. */
  readonly events?: {
    readonly add?: EventChoice;
    readonly update?: EventChoice;
    readonly remove?: EventChoice;
  };
  /**
   * Members of an add request that have no effect. They are removed before references are resolved.
   */
  readonly ignoredOnAdd?: (ctx: RuleContext, sent: ObjectOf<K>) => readonly string[];
  /**
   * Completes and validates a new object before it is stored. `sent` is the object in the request.
   */
  readonly beforeCreate?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    ref: CollectionRef,
    sent: ObjectOf<K>,
  ) => void;
  /** Finds an existing equivalent object. The server then returns that one and creates none. */
  readonly findExisting?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    ref: CollectionRef,
  ) => ObjectOf<K> | undefined;
  /** Runs after a new object is stored. Creates its dependents or starts its first transition. */
  readonly afterCreate?: (ctx: RuleContext, target: LocatedObject<K>, sent: ObjectOf<K>) => void;
  /** Replaces the generic `add`, for collections to which existing objects are attached. */
  readonly attach?: (ctx: RuleContext, ref: CollectionRef, sent: ObjectOf<K>) => ObjectOf<K>;
  /** Validates an update and completes the new object before it is stored. */
  readonly beforeUpdate?: (
    ctx: RuleContext,
    before: ObjectOf<K>,
    after: ObjectOf<K>,
    ref: CollectionRef,
    sent: ObjectOf<K>,
  ) => void;
  /** Runs after an update is stored. */
  readonly afterUpdate?: (ctx: RuleContext, before: ObjectOf<K>, target: LocatedObject<K>) => void;
  /** Replaces the generic `update`, for objects that are changed through their owner. */
  readonly replace?: (ctx: RuleContext, target: LocatedObject<K>, sent: ObjectOf<K>) => ObjectOf<K>;
  /** Refuses the removal of an object that is in use. */
  readonly beforeDelete?: (
    ctx: RuleContext,
    target: LocatedObject<K>,
    parameters: Parameters,
  ) => void;
  /** Replaces the generic removal, which deletes the object and its sub-collections. */
  readonly remove?: (ctx: RuleContext, target: LocatedObject<K>, parameters: Parameters) => void;
  /**
   * Validates the addition (`added`) or removal of a member in a list of the object, and applies
   * its effects. `after` is stored when the function returns.
   */
  readonly onMembershipChange?: (
    ctx: RuleContext,
    before: ObjectOf<K>,
    after: ObjectOf<K>,
    member: { readonly id: string; readonly added: boolean },
  ) => void;
  /** Changes of the links and actions of an object, in dialects that follow an engine. */
  readonly linked?: (ctx: RuleContext, object: ObjectOf<K>) => LinkChanges;
  /** Members computed for each response. `everything` includes the expensive ones. */
  readonly present?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    everything: boolean,
    extent: Extent,
  ) => StoredObject;
  /**
   * Members that only the responses to add and update have. `base` is the address of the object.
   */
  readonly presentChanged?: (ctx: RuleContext, object: ObjectOf<K>, base: string) => StoredObject;
  /** Members that `present` computes only, or differently, with `everything`. */
  readonly costly?: readonly string[];
  /**
   * Whether `present` without `everything` depends on the object only, so responses can be cached.
   */
  readonly presentsObjectOnly?: (ctx: RuleContext) => boolean;
  /**
   * Source of the values of a search field that no object stores, such as a measurement. Undefined
   * for every other field.
   */
  readonly measure?: (ctx: RuleContext, field: string) => Measure | undefined;
  /** Lists of references that responses include with `everything` or `follow`. */
  readonly references?: Readonly<
    Record<
      string,
      (ctx: RuleContext, object: ObjectOf<K>) => readonly { readonly id: string }[] | undefined
    >
  >;
  /**
   * Computes the objects of a collection that is not stored: measurements, devices of a host. Their
   * ids are stable. `id` is the id of the only object needed, if there is one.
   */
  readonly compute?: (ctx: RuleContext, ref: CollectionRef, id?: string) => ObjectOf<K>[];
  /**
   * Returns the list that replaces the stored objects of the collection; undefined for no
   * replacement.
   */
  readonly listed?: (
    ctx: RuleContext,
    ref: CollectionRef,
    id?: string,
  ) => ObjectOf<K>[] | undefined;
  /** Id of the object of `listed` that ends every list, even beyond `max`. */
  readonly alwaysListed?: string;
  /** Stored kinds with the same ids as the computed objects. Searches read these. */
  readonly storedAs?: readonly KindName[];
  /**
   * Resolves the path to another collection: parameters may request objects of another kind. `id`
   * is the id of the only object needed, if there is one.
   */
  readonly locate?: (ctx: RuleContext, ref: CollectionRef, id?: string) => CollectionRef;
  /** Actions of one object, by name in snake case. */
  readonly actions?: Readonly<Record<string, Action<K>>>;
  /** Actions of a collection, by name in snake case. */
  readonly collectionActions?: Readonly<Record<string, CollectionAction>>;
  /**
   * Replaces `add` for collections that accept several objects in one request. Returns the added
   * objects.
   */
  readonly addMany?: (ctx: RuleContext, ref: CollectionRef, sent: ObjectOf<K>[]) => ObjectOf<K>[];
  /** Replaces the removal of several objects that the body names. */
  readonly removeMany?: CollectionAction;
  /** Whether `add` returns 201 before the object reaches a settled state. */
  readonly addsAtOnce?: boolean;
  /** Status of successful `add` responses, if it is not 201. */
  readonly addsWith?: 200;
}

type Actions<C> = C extends { readonly actions: infer A } ? keyof A & string : never;
type ActionsOfCollection<C> = C extends { readonly collectionActions: infer A }
  ? keyof A & string
  : never;

/** Declared collections whose objects are of this kind. */
type CollectionsOf<K extends KindName> = K extends TypeName
  ? Exclude<PathsOf<K>, { readonly placement: { readonly is: 'computed' } }>
  : K extends DerivedKind
    ? Extract<
        PathsOf<(typeof derivedKinds)[K]>,
        { readonly placement: { readonly is: 'computed'; readonly kind: K } }
      >
    : never;

type PathsOf<T extends TypeName> = Declarations[T] extends { readonly paths: infer P }
  ? P[keyof P]
  : never;

/** Requires a handler for every action that the model declares for a kind. */
type Handlers<K extends KindName> = ([Actions<CollectionsOf<K>>] extends [never]
  ? unknown
  : { readonly actions: { readonly [A in Actions<CollectionsOf<K>>]: Action<K> } }) &
  ([ActionsOfCollection<CollectionsOf<K>>] extends [never]
    ? unknown
    : {
        readonly collectionActions: {
          readonly [A in ActionsOfCollection<CollectionsOf<K>>]: CollectionAction;
        };
      });

/**
 * Declares the behavior of a kind. A missing handler for an action of the model is a type error.
 */
export function defineBehavior<const K extends KindName>(
  kind: K,
  behavior: Omit<Behavior<NoInfer<K>>, 'kind'> & Handlers<NoInfer<K>>,
): Behavior;
// The registry calls a handler only with objects of its kind, so the wider type is safe.
export function defineBehavior(kind: KindName, behavior: Omit<Behavior, 'kind'>): Behavior {
  return { ...behavior, kind };
}

/** Behaviors by kind, and deadlines and work by task name. */
export class BehaviorRegistry {
  readonly #behaviors: ReadonlyMap<KindName, Behavior>;
  readonly #deadlines: ReadonlyMap<string, Deadline>;
  readonly #work: ReadonlyMap<string, Work>;

  /** Throws if a kind or name is declared twice. */
  constructor(
    behaviors: readonly Behavior[],
    deadlines: readonly Deadline[],
    work: readonly Work[],
  ) {
    this.#behaviors = unique(behaviors, ({ kind }) => kind);
    this.#deadlines = unique(deadlines, ({ name }) => name);
    this.#work = unique(work, ({ name }) => name);
  }

  /** The behavior of a kind; undefined if the generic implementation is enough. */
  of(kind: KindName): Behavior | undefined {
    return this.#behaviors.get(kind);
  }

  /** The deadline with this task name; undefined for other tasks. */
  deadline(taskName: string): Deadline | undefined {
    return this.#deadlines.get(taskName);
  }

  /** Names of the tasks that are work. */
  get workNames(): readonly string[] {
    return [...this.#work.keys()];
  }

  /** The work with this task name; undefined for other tasks. */
  work(taskName: string): Work | undefined {
    return this.#work.get(taskName);
  }
}

/** The behaviors of a site. */
export function getBehaviorRegistry({ behaviors }: Pick<Site, 'behaviors'>): BehaviorRegistry {
  if (behaviors instanceof BehaviorRegistry) return behaviors;
  throw new Error('The site has no registry of behaviors.');
}

/** The behavior of a kind; undefined if it has none. */
export function findBehavior({ site }: RuleContext, kind: KindName): Behavior | undefined {
  return getBehaviorRegistry(site).of(kind);
}

/** Finds an action of a kind. Throws for an action without a behavior, which the coverage test prevents. */
export function requireAction(ctx: RuleContext, kind: KindName, name: string): Action<KindName> {
  const action = findBehavior(ctx, kind)?.actions?.[name];
  if (!action) throw new Error(`No behavior for the action ${name} of ${kind}.`);
  return action;
}

function unique<K, T>(declared: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, T> {
  const found = new Map<K, T>();
  for (const one of declared) {
    const key = keyOf(one);
    if (found.has(key)) throw new Error(`duplicate declaration of ${String(key)}`);
    found.set(key, one);
  }
  return found;
}
