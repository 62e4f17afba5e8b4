/** Tasks that are noted in the store: work and deadlines, which go on after a restart. */
import type { StoredObject } from '../store/kinds.ts';
import { behaviorsOf } from './behavior.ts';
import type { RuleContext } from './context.ts';
import { deadlinePrefix, type Noted, workPrefix } from './declared-tasks.ts';
import { abortJobs } from './jobs.ts';

/** Notes work, to begin once the transaction is durable. `target` names what it works on. */
export function beginWork(ctx: RuleContext, name: string, target: string, data: object): void {
  if (!behaviorsOf(ctx.site).work(workPrefix + name)) {
    throw new Error(`No task is named ${name}.`);
  }
  const noted: Noted<object> = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  ctx.tx.tasks.add(ctx.steady, workPrefix + name, target, noted);
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
  const noted: Noted<StoredObject> = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ofJob && ctx.job !== undefined ? { job: ctx.job } : {}),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, deadlinePrefix + name, key(name, target), noted);
}

/** Forgets the deadline of a target; a job that lasted until then is aborted. */
export function cancelDue(ctx: RuleContext, name: string, target: string): void {
  abortJobs(ctx, ctx.tx.tasks.removeOf(key(name, target)));
}

function key(name: string, target: string): string {
  return `${deadlinePrefix}${name}:${target}`;
}
