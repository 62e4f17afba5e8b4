/** Lifecycles whose events and faults exist. */
import type { EventName } from './events.ts';
import type { FaultKey } from './faults.ts';
import type * as notation from './notation/lifecycle.ts';

export type Lifecycle = notation.Lifecycle<string, EventName, FaultKey>;

export type Move = notation.Move<string, EventName, FaultKey>;
