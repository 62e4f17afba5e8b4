/** What is done once at a later time, also after a restart: a deadline passes, a wait is over. */

import type { StoredObject } from '../store/document.ts';
import type { Caller, RuleContext } from './context.ts';
import { abortJobs } from './jobs.ts';

/** Names of tasks that are deadlines begin with this. */
const prefix = 'due:';

/** What follows when a time has passed. */
export interface Deadline {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Runs when the time has passed, in a transaction of its own. */
  readonly run: (ctx: RuleContext, data: StoredObject) => void;
}

/** A deadline as it is noted in the store. */
export interface NotedDeadline {
  readonly data: StoredObject;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Declares what follows a deadline; `name` stays the same for as long as stores have such tasks. */
export function defineDeadline(name: string, run: Deadline['run']): Deadline {
  return { name: prefix + name, run };
}

/**
 * Notes a deadline in so many milliseconds; it takes the place of others of the same target. With
 * `ofJob` the job of the request lasts until then.
 */
export function dueIn(
  ctx: RuleContext,
  name: string,
  target: string,
  milliseconds: number,
  data: StoredObject,
  { ofJob = false } = {},
): void {
  cancelDue(ctx, name, target);
  const noted: NotedDeadline = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ofJob && ctx.job !== undefined ? { job: ctx.job } : {}),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, prefix + name, key(name, target), noted as unknown as StoredObject);
}

/** Forgets the deadline of a target; a job that lasted until then is aborted. */
export function cancelDue(ctx: RuleContext, name: string, target: string): void {
  abortJobs(ctx, ctx.tx.tasks.removeOf(key(name, target)));
}

function key(name: string, target: string): string {
  return `${prefix}${name}:${target}`;
}
