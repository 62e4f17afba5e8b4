/**
 * Proof, at compile time, that every name in the declarations exists: types and enums behind kinds,
 * bases, and the types that searches lead to. An unknown name is an error in this file, which shows it.
 */
import type { EnumName } from './enums.ts';
import type { Declarations, TypeName } from './resources/index.ts';

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

type UsedTypes =
  | TypeIn<Kinds>
  | BaseOf<Declaration>
  | StandsFor<Declaration>
  | LedTo<RelatedOf<Declaration>>;

/** An error here names the declaration that is missing. */
type Nothing<Unknown extends never> = Unknown;

export type UnknownNames =
  | Nothing<Exclude<UsedTypes, TypeName>>
  | Nothing<Exclude<EnumIn<Kinds>, EnumName>>;
