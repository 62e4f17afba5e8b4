/** Lifecycles whose events and faults exist, and names of their transitions and states. */
import type { EventName } from './events.ts';
import type { FaultKey } from './faults.ts';
import type * as notation from './notation/lifecycle.ts';
import type { Declarations, TypeName } from './resources/index.ts';

export type Lifecycle = notation.Lifecycle<string, EventName, FaultKey>;

export type Move = notation.Move<string, EventName, FaultKey>;

type DeclaredLifecycle<T extends TypeName> = Declarations[T] extends { readonly lifecycle: infer L }
  ? L
  : never;

type DeclaredMoves<T extends TypeName> =
  DeclaredLifecycle<T> extends { readonly moves: infer M } ? M : never;

/** Transitions of a type, `never` for a type without a lifecycle. */
export type TransitionName<T extends TypeName> = keyof DeclaredMoves<T> & string;

type ItemOf<L> = L extends readonly (infer One)[] ? One : never;

type StatesOf<M> = M extends { readonly from: infer From }
  ?
      | ItemOf<From>
      | (M extends { readonly to: infer To } ? To : never)
      | (M extends { readonly or: infer Or } ? ItemOf<Or> : never)
      | (M extends { readonly via: infer Via }
          ? ItemOf<Via> extends readonly [infer S, unknown]
            ? S
            : never
          : never)
  : never;

/** States in the lifecycle of a type. */
export type StateName<T extends TypeName> =
  | StatesOf<DeclaredMoves<T>[keyof DeclaredMoves<T>]>
  | (DeclaredLifecycle<T> extends { readonly settled: infer S } ? ItemOf<S> : never);
