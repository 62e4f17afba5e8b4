/**
 * Proof, at compile time, that every name in the declarations exists: types and enums behind kinds,
 * bases, the types that searches lead to, events and faults of lifecycles, attributes behind columns, nouns of
 * collections. An unknown name is an error in this file, which shows it.
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

/** The kind of what a path of attributes leads to from a type. */
type KindAtPath<T, P> = P extends `${infer A}.${infer Rest}`
  ? KindAtPath<TypeIn<KindAt<T, A>>, Rest>
  : KindAt<T, P>;

type Commands<D> = D extends { readonly commands: infer C } ? C : never;
type ColumnsOf<C> = C extends { readonly columns: readonly (infer One)[] } ? One : never;
type PathsIn<C> = C extends { readonly paths: readonly (infer P)[] } ? P : C;

/** Columns that lead nowhere, behind their type: `vm.hots.name`. */
type WrongColumns<D> = D extends { readonly name: infer T extends string }
  ? WrongPaths<T, PathsIn<ColumnsOf<Commands<D>>>>
  : never;
type WrongPaths<T extends string, P> = P extends string
  ? [KindAtPath<T, P>] extends [never]
    ? `${T}.${P}`
    : never
  : never;

/** The word that the path of a collection, or of its objects, says what they are with. */
type WordOf<P, Before = never> = P extends `${infer First}/${infer Rest}`
  ? WordOf<Rest, First>
  : P extends `{${string}}`
    ? Before
    : P;

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

/** Words of all paths but those that the verbs of an owner reach. */
type PathWords<D> = D extends { readonly paths: infer P }
  ? {
      [K in keyof P]: P[K] extends { readonly memberVerbs: object }
        ? never
        : WordOf<Exclude<K, OtherwiseNamed | '/'>>;
    }[keyof P]
  : never;

/** An error here names the declaration that is missing. */
type Nothing<Unknown extends never> = Unknown;

export type UnknownNames =
  | Nothing<Exclude<UsedTypes, TypeName>>
  | Nothing<Exclude<EnumIn<Kinds>, EnumName>>
  | Nothing<Exclude<EnumsSearched<Declaration>, EnumName>>
  | Nothing<Exclude<EventsOf<MovesOf<Declaration>>, EventName>>
  | Nothing<Exclude<FaultsOf<MovesOf<Declaration>>, FaultKey>>
  /** Names that a resource and a shared table both have. */
  | Nothing<DeclaredEventName & SharedEventName>
  | Nothing<DeclaredFaultKey & SharedFaultKey>
  | Nothing<keyof DeclaredEnums & keyof SharedEnums>
  | Nothing<WrongColumns<Declaration>>
  /** Words of paths for which no resource declares a noun in its `commands`. */
  | Nothing<Exclude<PathWords<Declaration>, NounName>>;
