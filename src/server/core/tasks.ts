/** Persistent tasks: background work and deadlines, resumed after a restart. */
import type { StoredObject } from '../store/kinds.ts';
import type { Caller, RuleContext } from './context.ts';
import { abortJobs } from './jobs.ts';
import type { Site } from './ports.ts';

/** Names of tasks that are work begin with this. */
export const workPrefix = 'work:';

export interface Work<T = StoredObject> {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Does the work. May run again for the same data, after a crash in the middle. */
  readonly run: (site: Site, data: T) => Promise<void>;
  /** Follows its end, in a transaction. */
  readonly done: (ctx: RuleContext, data: T) => void;
  /** Follows its failure, in a transaction. */
  readonly failed: (ctx: RuleContext, data: T, error: Error) => void;
}

/** Work as it is noted in the store. */
export interface NotedWork<T = StoredObject> {
  readonly data: T;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Declares a kind of work; `name` stays the same for as long as stores have such tasks. */
export function defineWork<T extends object>(name: string, work: Omit<Work<T>, 'name'>): Work {
  // The data of a task are what was noted under its name: `beginWork` gets the same name.
  return { ...work, name: workPrefix + name } as unknown as Work;
}

/** Notes work, to begin once the transaction is durable. `target` names what it works on. */
export function beginWork(ctx: RuleContext, name: string, target: string, data: object): void {
  if (!ctx.site.behaviors.work(workPrefix + name))
    throw new Error(`There is no work called ${name}.`);
  const noted: NotedWork<object> = {
    data,
    caller: ctx.caller,
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  ctx.tx.tasks.add(ctx.steady, workPrefix + name, target, noted);
}

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
  ctx.tx.tasks.add(due, prefix + name, key(name, target), noted);
}

/** Forgets the deadline of a target; a job that lasted until then is aborted. */
export function cancelDue(ctx: RuleContext, name: string, target: string): void {
  abortJobs(ctx, ctx.tx.tasks.removeOf(key(name, target)));
}

function key(name: string, target: string): string {
  return `${prefix}${name}:${target}`;
}
