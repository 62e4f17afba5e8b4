/** Notation of lifecycles: operations that change the state of an object. */

/** Transitional state, and its duration in milliseconds on a small site. */
export type Stage<S extends string> = readonly [state: S, milliseconds: number];

export interface Move<
  S extends string = string,
  Event extends string = string,
  Fault extends string = string,
> {
  /** States in which the operation is permitted. */
  readonly from: readonly S[];
  /** Transitional states in order. */
  readonly via?: readonly Stage<S>[];
  /** Final state. Absent if the operation removes the object. */
  readonly to?: S;
  /** Other final states that the request can select. */
  readonly or?: readonly S[];
  /** Whether the state remains unchanged. */
  readonly stays?: true;
  /** Whether the operation is permitted in its final state, without an effect. */
  readonly idempotent?: true;
  /** Faults for other states than those in `from`. */
  readonly refusedBy: Readonly<Partial<Record<S, Fault>>> & { readonly otherwise: Fault };
  /** Events at the begin and the end of the operation, and if copying fails. */
  readonly events?: { readonly begin?: Event; readonly end?: Event; readonly fail?: Event };
}

/** `model/checked-names.ts` checks the names of events and faults. */
export interface Lifecycle<
  S extends string = string,
  Event extends string = string,
  Fault extends string = string,
> {
  /** Type of the objects. */
  readonly type: string;
  /** State attribute. */
  readonly attribute: string;
  /** State of a new object. */
  readonly initial: S;
  /** Stable states. */
  readonly settled: readonly S[];
  /** Failure states. */
  readonly failed?: readonly S[];
  /** Moves by operation, in snake case. */
  readonly moves: Readonly<Record<string, Move<S, Event, Fault>>>;
}

/** Declares a lifecycle; returns it unchanged. */
export function lifecycle<const S extends string, const L extends Lifecycle<S>>(table: L): L {
  return table;
}
