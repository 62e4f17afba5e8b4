/**
 * Work that takes as long as it takes, outside of any transaction: copying the bytes of a disk. It
 * is noted in the store before it begins, and begins again after a restart until it has ended.
 */

import type { StoredObject } from '../store/document.ts';
import type { Caller, RuleContext, Site } from './context.ts';

/** Names of tasks that are work begin with this. */
export const workPrefix = 'work:';

export interface Work {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Does the work. May run again for the same data, after a crash in the middle. */
  readonly run: (site: Site, data: StoredObject) => Promise<void>;
  /** Follows its end, in a transaction. */
  readonly done: (ctx: RuleContext, data: StoredObject) => void;
  /** Follows its failure, in a transaction. */
  readonly failed: (ctx: RuleContext, data: StoredObject, error: Error) => void;
}

/** Work as it is noted in the store. */
export interface NotedWork {
  readonly data: StoredObject;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Declares a kind of work; `name` stays the same for as long as stores have such tasks. */
export function defineWork(name: string, work: Omit<Work, 'name'>): Work {
  return { ...work, name: workPrefix + name };
}

/** Notes work, to begin once the transaction is durable. `target` names what it works on. */
export function beginWork(
  ctx: RuleContext,
  name: string,
  target: string,
  data: StoredObject,
): void {
  if (!ctx.site.behaviors.work(workPrefix + name))
    throw new Error(`There is no work called ${name}.`);
  const noted: NotedWork = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  ctx.tx.tasks.add(ctx.steady, workPrefix + name, target, noted as unknown as StoredObject);
}
