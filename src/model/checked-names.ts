/**
 * Compile-time checks that all names in the declarations exist: types and enums of kinds, bases,
 * searched types, events and faults of lifecycles, attributes of columns, nouns of collections. The
 * compiler reports an unknown name in this file.
 */
import type { EnumName, SharedEnums } from './enums.ts';
import type { EventName, SharedEventName } from './events.ts';
import type { FaultKey, SharedFaultKey } from './faults.ts';
import type {
  Declarations,
  DeclaredEnums,
  DeclaredEventName,
  DeclaredFaultKey,
  TypeName,
} from './resources/index.ts';

type Declaration = Declarations[TypeName];
type AttributeOf<D> = D extends { readonly attributes: infer A } ? A[keyof A] : never;
type KindOf<A> = A extends { readonly kind: infer K } ? K : never;
type Kinds = KindOf<AttributeOf<Declaration>>;

type TypeIn<K> = K extends `${'struct' | 'ref' | 'links' | 'list struct'} ${infer T}` ? T : never;
type EnumIn<K> = K extends `${'enum' | 'list enum'} ${infer E}` ? E : never;

type BaseOf<D> = D extends { readonly base: infer B } ? B : never;
type StandsFor<D> = D extends { readonly standsFor: infer T } ? T : never;
type RelatedOf<D> = D extends { readonly search: { readonly related: infer R } } ? R : never;
type LedTo<R> = R extends readonly (infer One)[]
  ? One extends { readonly type: infer T }
    ? T
    : never
  : never;

type EnumsSearched<D> = D extends { readonly search: { readonly fields: infer F } }
  ? F[keyof F] extends infer One
    ? One extends { readonly enum: infer E }
      ? E
      : never
    : never
  : never;

type MovesOf<D> = D extends { readonly lifecycle: { readonly moves: infer M } }
  ? M[keyof M]
  : never;
type FaultsOf<M> = M extends { readonly refusedBy: infer F } ? F[keyof F] : never;
type EventsOf<M> = M extends { readonly events: infer E } ? E[keyof E] : never;

type UsedTypes =
  | TypeIn<Kinds>
  | BaseOf<Declaration>
  | StandsFor<Declaration>
  | LedTo<RelatedOf<Declaration>>;

/** The kind of an attribute of a type, or of one of its bases. */
type KindAt<T, A> = T extends TypeName
  ? Declarations[T] extends { readonly attributes: { readonly [_ in A & string]: infer One } }
    ? KindOf<One>
    : Declarations[T] extends { readonly base: infer B }
      ? KindAt<B, A>
      : Declarations[T] extends { readonly identified: true }
        ? A extends 'id' | 'name' | 'description' | 'comment'
          ? 'string'
          : never
        : never
  : never;

/** Kind at the end of a path of attributes of a type. */
type KindAtPath<T, P> = P extends `${infer A}.${infer Rest}`
  ? KindAtPath<TypeIn<KindAt<T, A>>, Rest>
  : KindAt<T, P>;

type Commands<D> = D extends { readonly commands: infer C } ? C : never;
type ColumnsOf<C> = C extends { readonly columns: readonly (infer One)[] } ? One : never;
type PathsIn<C> = C extends { readonly paths: readonly (infer P)[] } ? P : C;

/** Columns with an unknown path, preceded by their type: `vm.hots.name`. */
type WrongColumns<D> = D extends { readonly name: infer T extends string }
  ? WrongPaths<T, PathsIn<ColumnsOf<Commands<D>>>>
  : never;
type WrongPaths<T extends string, P> = P extends string
  ? [KindAtPath<T, P>] extends [never]
    ? `${T}.${P}`
    : never
  : never;

type FieldsOf<D> = D extends { readonly search: { readonly fields: infer F } } ? F : never;
type OwnPath<F> = F extends { readonly through: unknown }
  ? never
  : F extends { readonly path: infer P }
    ? P
    : never;

/** Search fields with an unknown path, preceded by their type. */
type WrongSearchPaths<D> = D extends { readonly name: infer T extends string }
  ? WrongPaths<T, OwnPath<FieldsOf<D>[keyof FieldsOf<D>]>>
  : never;

/** Last literal segment of a path of a collection or object. */
type LastSegment<P, Before = never> = P extends `${infer First}/${infer Rest}`
  ? LastSegment<Rest, First>
  : P extends `{${string}}`
    ? Before
    : P;

type RulesOf<D> = D extends { readonly operations: infer O } ? O[keyof O] : never;
type MadeIn<R> = R extends { readonly makes: readonly (infer M)[] }
  ? M extends { readonly in: infer P }
    ? P
    : never
  : never;
type ObjectPaths<D> = D extends { readonly paths: infer P } ? keyof P : never;

/**
 * Collections in which an operation declares new objects, but for which no resource declares
 * objects.
 */
type WrongCollections<P> = P extends string
  ? [Extract<ObjectPaths<Declaration>, `${P}/{${string}`>] extends [never]
    ? P
    : never
  : never;

type NounsIn<C> = C extends { readonly otherNouns: readonly (infer Other)[] } ? C | Other : C;
type Nouns = NounsIn<Commands<Declaration>>;
type NounName = Nouns extends infer One
  ? One extends { readonly noun: infer N }
    ? N
    : never
  : never;
type OtherwiseNamed = Nouns extends infer One
  ? One extends { readonly collections: readonly (infer P extends string)[] }
    ? P | `${P}/${string}`
    : never
  : never;

/** Last segments of all paths, except those with verbs of their owner. */
type PathWords<D> = D extends { readonly paths: infer P }
  ? {
      [K in keyof P]: P[K] extends { readonly memberVerbs: object }
        ? never
        : LastSegment<Exclude<K, OtherwiseNamed | '/'>>;
    }[keyof P]
  : never;

/** A compile error here names the missing declaration. */
type None<Unknown extends never> = Unknown;

export type UnknownNames =
  | None<Exclude<UsedTypes, TypeName>>
  | None<Exclude<EnumIn<Kinds>, EnumName>>
  | None<Exclude<EnumsSearched<Declaration>, EnumName>>
  | None<Exclude<EventsOf<MovesOf<Declaration>>, EventName>>
  | None<Exclude<FaultsOf<MovesOf<Declaration>>, FaultKey>>
  /** Names that are both in a resource and in a shared table. */
  | None<DeclaredEventName & SharedEventName>
  | None<DeclaredFaultKey & SharedFaultKey>
  | None<keyof DeclaredEnums & keyof SharedEnums>
  | None<WrongColumns<Declaration>>
  | None<WrongSearchPaths<Declaration>>
  | None<WrongCollections<MadeIn<RulesOf<Declaration>>>>
  /** Path segments without a noun in the `commands` of a resource. */
  | None<Exclude<PathWords<Declaration>, NounName>>;
