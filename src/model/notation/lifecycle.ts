/** Notation of lifecycles: the operations that take an object from state to state. */

/** A state on the way, and the milliseconds an object of a small site stays in it. */
export type Stage<S extends string> = readonly [state: S, milliseconds: number];

export interface Move<
  S extends string = string,
  Event extends string = string,
  Fault extends string = string,
> {
  /** States from which the move may begin; from any other it is refused. */
  readonly from: readonly S[];
  /** States passed through, in order. */
  readonly via?: readonly Stage<S>[];
  /** State in which the object comes to rest; absent where the object is gone then. */
  readonly to?: S;
  /** Other states in which it may come to rest, where the request asks for that. */
  readonly or?: readonly S[];
  /** The object keeps the state that it was in. */
  readonly stays?: true;
  /** From the state that it leads to, it may begin and does nothing. */
  readonly idempotent?: true;
  /** What is answered from states that `from` does not list. */
  readonly refusedBy: Readonly<Partial<Record<S, Fault>>> & { readonly otherwise: Fault };
  /** Events written when the move begins, when it ends, and when copying for it fails. */
  readonly events?: { readonly begin?: Event; readonly end?: Event; readonly fail?: Event };
}

/** Names of events and faults are checked in `model/checked-names.ts`. */
export interface Lifecycle<
  S extends string = string,
  Event extends string = string,
  Fault extends string = string,
> {
  /** Type of the objects, as the model names it. */
  readonly type: string;
  /** Attribute that holds the state. */
  readonly attribute: string;
  /** State of a new object. */
  readonly initial: S;
  /** States that do not end by themselves. */
  readonly settled: readonly S[];
  /** States that mean that something went wrong. */
  readonly failed?: readonly S[];
  /** By operation, in snake case. */
  readonly moves: Readonly<Record<string, Move<S, Event, Fault>>>;
}

/** Declares a lifecycle; returns it unchanged. */
export function lifecycle<const S extends string, const L extends Lifecycle<S>>(table: L): L {
  return table;
}
