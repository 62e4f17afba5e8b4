/** What only the present run of a machine has, and no attribute shows: it is kept beside them. */

import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import type { Vm } from './vm.ts';

/** Opens a console for a while. */
export interface ConsoleTicket {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface RunState {
  /** Tickets of the consoles, by protocol; those that have ended count no more. */
  readonly tickets?: Readonly<Record<string, ConsoleTicket>>;
  /** The file systems of the guest are frozen. */
  readonly frozen?: boolean;
  /** What was sent to hold for this run instead of the configuration. */
  readonly overrides?: StoredObject;
  /** The overrides are forgotten at the next reboot already. */
  readonly volatile?: boolean;
  /** What the guest was told to call itself when it booted. */
  readonly hostName?: string;
}

/** Name of the member of a stored machine that holds it. */
export const runStateMember = 'run_state';

type Running = Vm & { readonly [runStateMember]?: RunState };

/** The state of the run; empty where nothing was noted of it. */
export function runStateOf(vm: Vm): RunState {
  return (vm as Running)[runStateMember] ?? {};
}

/** The machine with something noted of its run. */
export function withRunState(vm: Vm, change: RunState): Vm {
  const state: Running = { ...vm, [runStateMember]: { ...runStateOf(vm), ...change } };
  return state;
}

/** Notes something of the run of a machine. */
export function noteRunState(ctx: RuleContext, vm: Vm, change: RunState): void {
  ctx.tx.update('vm', withRunState(vm, change));
}
