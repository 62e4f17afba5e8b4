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

/** One event, one for each kind of object that the collection may belong to, or as the object has it. */
export type EventChoice =
  | EventName
  | Readonly<Partial<Record<KindName, EventName>>>
  | ((object: StoredObject) => EventName);

/** An object with where it is. */
export interface Addressed<K extends KindName> {
  readonly ref: CollectionRef;
  readonly object: ObjectOf<K>;
}

/** What an action answers: elements of the `action` document. */
export type ActionResult = StoredObject | undefined;

export type Action<K extends KindName> = (
  ctx: RuleContext,
  target: Addressed<K>,
  body: ActionBody,
) => ActionResult;

/** What is done to a collection as a whole; `body` holds the elements of the action. */
export type CollectionAction = (
  ctx: RuleContext,
  ref: CollectionRef,
  body: ActionBody,
  parameters: Parameters,
) => ActionResult;

/** How much of an object a response shows. */
export interface Extent {
  /** Without members that repeat the object in which it is shown. */
  readonly brief: boolean;
  /** The response to GET of one object. */
  readonly alone: boolean;
}

/** Changes of the links of an object. */
export interface LinkChanges {
  /** Links and actions that the object lacks, by the last word of their paths. */
  readonly missing: readonly string[];
  /** Links to other objects, with their paths below the API root. */
  readonly others: readonly { readonly rel: string; readonly path: string }[];
}

/**
 * Behavior of one kind. Every member is optional: the generic handling does what most kinds need.
 * All run inside the transaction of the request and throw `Refusal` to undo it.
 */
export interface Behavior<K extends KindName = KindName> {
  readonly kind: K;
  /** Its states, where it has any. */
  readonly lifecycle?: Lifecycle;
  /** What it does in the transitions of its lifecycle. */
  readonly transitions?: TransitionHandlers<K>;
  /** Events written when an object is added, updated and removed. */
  readonly events?: {
    readonly add?: EventChoice;
    readonly update?: EventChoice;
    readonly remove?: EventChoice;
  };
  /** Members of a request to add that have no effect. They are removed before references are resolved. */
  readonly ignoredOnAdd?: (ctx: RuleContext, sent: ObjectOf<K>) => readonly string[];
  /** Completes and checks a new object before it is stored. `sent` is what the client sent. */
  readonly beforeCreate?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    ref: CollectionRef,
    sent: ObjectOf<K>,
  ) => void;
  /** The object that says the same already, where there is one: it is answered, and none is made. */
  readonly findExisting?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    ref: CollectionRef,
  ) => ObjectOf<K> | undefined;
  /** Follows a new object: what is made with it, where it moves to. */
  readonly afterCreate?: (ctx: RuleContext, target: Addressed<K>, sent: ObjectOf<K>) => void;
  /** Takes over `add` whole, for collections in which objects are attached instead of made. */
  readonly attach?: (ctx: RuleContext, ref: CollectionRef, sent: ObjectOf<K>) => ObjectOf<K>;
  /** Checks an update and completes the new form before it is stored. */
  readonly beforeUpdate?: (
    ctx: RuleContext,
    before: ObjectOf<K>,
    after: ObjectOf<K>,
    ref: CollectionRef,
    sent: ObjectOf<K>,
  ) => void;
  /** Follows an update. */
  readonly afterUpdate?: (ctx: RuleContext, before: ObjectOf<K>, target: Addressed<K>) => void;
  /** Takes over `update` whole, where an object is changed through its owner. */
  readonly replace?: (ctx: RuleContext, target: Addressed<K>, sent: ObjectOf<K>) => ObjectOf<K>;
  /** Refuses the removal of an object that is in use. */
  readonly beforeDelete?: (ctx: RuleContext, target: Addressed<K>, parameters: Parameters) => void;
  /**
   * Takes over the removal; by default the object and its sub-collections are deleted. Returns
   * whether the object is gone already.
   */
  readonly remove?: (ctx: RuleContext, target: Addressed<K>, parameters: Parameters) => void;
  /**
   * Checks and follows the change of one of its lists: a member was put in (`added`) or taken out.
   * `after` is stored when it returns.
   */
  readonly onMembershipChange?: (
    ctx: RuleContext,
    before: ObjectOf<K>,
    after: ObjectOf<K>,
    member: { readonly id: string; readonly added: boolean },
  ) => void;
  /** Changes of the links and actions of an object, in dialects that follow an engine. */
  readonly linked?: (ctx: RuleContext, object: ObjectOf<K>) => LinkChanges;
  /** Members computed when the object is shown. `everything`: also those that are costly. */
  readonly present?: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    everything: boolean,
    extent: Extent,
  ) => StoredObject;
  /** Members that only the answer to an add or an update has; `base` is the address of the object. */
  readonly presentChanged?: (ctx: RuleContext, object: ObjectOf<K>, base: string) => StoredObject;
  /** Members that `present` tells otherwise, or at all, where `everything` is asked for. */
  readonly costly?: readonly string[];
  /** Whether `present` without `everything` depends on the object only, so that responses can be cached. */
  readonly presentsObjectOnly?: (ctx: RuleContext) => boolean;
  /**
   * How to get the values of a search field that no object holds, such as a measurement; undefined
   * for every other field.
   */
  readonly measure?: (ctx: RuleContext, field: string) => Measure | undefined;
  /** Lists of references that are shown when everything is, or when they are followed. */
  readonly references?: Readonly<
    Record<
      string,
      (ctx: RuleContext, object: ObjectOf<K>) => readonly { readonly id: string }[] | undefined
    >
  >;
  /**
   * Makes up the objects of a collection, for kinds that are not stored: measured values, what a
   * host reports. Each has an id that stays the same. `id` is that of the one that is looked for.
   */
  readonly compute?: (ctx: RuleContext, ref: CollectionRef, id?: string) => ObjectOf<K>[];
  /** What a list has instead of the objects that are stored in its place; undefined where it has those. */
  readonly listed?: (
    ctx: RuleContext,
    ref: CollectionRef,
    id?: string,
  ) => ObjectOf<K>[] | undefined;
  /** Id of an object of `listed` that every list has at its end, whatever `max` says. */
  readonly alwaysListed?: string;
  /** Kinds that objects which are made up are kept as, by the same ids: a search looks among these. */
  readonly storedAs?: readonly KindName[];
  /**
   * Chooses another place for the same path: parameters may ask for objects of another kind. `id`
   * is that of the one that is looked for.
   */
  readonly locate?: (ctx: RuleContext, ref: CollectionRef, id?: string) => CollectionRef;
  /** Actions of one object, by name in snake case. */
  readonly actions?: Readonly<Record<string, Action<K>>>;
  /** Actions of a collection, by name in snake case. */
  readonly collectionActions?: Readonly<Record<string, CollectionAction>>;
  /** Takes over `add` where several objects may be sent at once. Returns those that were added. */
  readonly addMany?: (ctx: RuleContext, ref: CollectionRef, sent: ObjectOf<K>[]) => ObjectOf<K>[];
  /** Takes over the removal of several objects, named in the body. */
  readonly removeMany?: CollectionAction;
  /** Whether `add` is answered with 201 although the object is not settled yet. */
  readonly addsAtOnce?: boolean;
  /** Status that `add` is answered with, where it is not 201. */
  readonly addsWith?: 200;
}

type Actions<C> = C extends { readonly actions: infer A } ? keyof A & string : never;
type ActionsOfCollection<C> = C extends { readonly collectionActions: infer A }
  ? keyof A & string
  : never;

/** The collections whose objects are of this kind, as they are declared. */
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

/** Every action that the model declares for a kind has a handler. */
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
 * Declares the behavior of a kind. An action of the model that has no handler here is an error of
 * types.
 */
export function define<const K extends KindName>(
  kind: K,
  behavior: Omit<Behavior<NoInfer<K>>, 'kind'> & Handlers<NoInfer<K>>,
): Behavior;
// Which object a handler gets is decided by the kind, under which alone it is called.
export function define(kind: KindName, behavior: Omit<Behavior, 'kind'>): Behavior {
  return { ...behavior, kind };
}

/** Looks up what is declared for a kind, or under the name of a task. */
export class BehaviorRegistry {
  readonly #behaviors: ReadonlyMap<KindName, Behavior>;
  readonly #deadlines: ReadonlyMap<string, Deadline>;
  readonly #work: ReadonlyMap<string, Work>;

  /** Throws where a kind or a name is declared twice. */
  constructor(
    behaviors: readonly Behavior[],
    deadlines: readonly Deadline[],
    work: readonly Work[],
  ) {
    this.#behaviors = unique(behaviors, ({ kind }) => kind);
    this.#deadlines = unique(deadlines, ({ name }) => name);
    this.#work = unique(work, ({ name }) => name);
  }

  /** The behavior of a kind; undefined where the generic handling does all. */
  of(kind: KindName): Behavior | undefined {
    return this.#behaviors.get(kind);
  }

  /** The deadline that a task is; undefined where it is none. */
  deadline(taskName: string): Deadline | undefined {
    return this.#deadlines.get(taskName);
  }

  /** Names of the tasks that are work. */
  get workNames(): readonly string[] {
    return [...this.#work.keys()];
  }

  /** The kind of work that a task is; undefined where it is none. */
  work(taskName: string): Work | undefined {
    return this.#work.get(taskName);
  }
}

/** What is declared at a site. */
export function behaviorsOf({ behaviors }: Pick<Site, 'behaviors'>): BehaviorRegistry {
  if (behaviors instanceof BehaviorRegistry) return behaviors;
  throw new Error('The site has no registry of behaviors.');
}

/** What is declared for a kind of objects. */
export function behaviorOf({ site }: RuleContext, kind: KindName): Behavior | undefined {
  return behaviorsOf(site).of(kind);
}

/** Finds an action of a kind. Throws for an action without a behavior, which the coverage test prevents. */
export function requireAction(ctx: RuleContext, kind: KindName, name: string): Action<KindName> {
  const action = behaviorOf(ctx, kind)?.actions?.[name];
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
