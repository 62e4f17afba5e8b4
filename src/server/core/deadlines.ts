/** What is done once at a later time, also after a restart: a deadline passes, a wait is over. */
import type { Caller, RuleContext } from './context.ts';
import type { StoredObject } from '../store/document.ts';
import { abortJobs } from './jobs.ts';

/** Names of tasks that are deadlines begin with this. */
const prefix = 'due:';

type Follow = (ctx: RuleContext, data: StoredObject) => void;

/** A deadline as it is noted in the store. */
export interface NotedDeadline {
  readonly data: StoredObject;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

const deadlines = new Map<string, Follow>();

/** Says what follows when a deadline of this name passes, in a transaction of its own. */
export function onDue(name: string, follow: Follow): void {
  deadlines.set(prefix + name, follow);
}

/** What follows the deadline that a task is. */
export function followOf(taskName: string): Follow | undefined {
  return deadlines.get(taskName);
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
