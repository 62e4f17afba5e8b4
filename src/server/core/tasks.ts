/** Scheduling of persistent work and deadlines. */
import type { StoredObject } from '../store/kinds.ts';
import { getBehaviorRegistry } from './behavior.ts';
import type { RuleContext } from './context.ts';
import { deadlinePrefix, type StoredTask, workPrefix } from './declared-tasks.ts';
import { abortJobs } from './jobs.ts';

/** Schedules work to begin after the commit. `target` identifies the object. */
export function beginWork(ctx: RuleContext, name: string, target: string, data: object): void {
  if (!getBehaviorRegistry(ctx.site).work(workPrefix + name)) {
    throw new Error(`No task is named ${name}.`);
  }
  const noted: StoredTask<object> = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  ctx.tx.tasks.add(ctx.steady, workPrefix + name, target, noted);
}

/**
 * Schedules a deadline after `milliseconds`, which replaces an earlier one of the same name and
 * target. With `ofJob`, the job of the request lasts until the deadline.
 */
export function scheduleDeadline(
  ctx: RuleContext,
  name: string,
  target: string,
  milliseconds: number,
  data: StoredObject,
  { ofJob = false } = {},
): void {
  cancelDeadline(ctx, name, target);
  const noted: StoredTask<StoredObject> = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ofJob && ctx.job !== undefined ? { job: ctx.job } : {}),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, deadlinePrefix + name, key(name, target), noted);
}

/** Cancels the deadline of a target and aborts a job that lasted until then. */
export function cancelDeadline(ctx: RuleContext, name: string, target: string): void {
  abortJobs(ctx, ctx.tx.tasks.removeByTarget(key(name, target)));
}

function key(name: string, target: string): string {
  return `${deadlinePrefix}${name}:${target}`;
}
