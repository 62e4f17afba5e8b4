/** Persistent tasks: background work and deadlines, resumed after a restart. */
import { readJson, type StoredObject } from '../store/kinds.ts';
import type { Caller, RuleContext } from './context.ts';
import { abortJobs } from './jobs.ts';
import type { Site } from './ports.ts';

/** Names of tasks that are work begin with this. */
export const workPrefix = 'work:';

/** A task as it is noted in the store: what it is about, and for whom it is done. */
export interface Noted<T> {
  readonly data: T;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** What is done for a kind of work, and about what. */
export interface WorkSteps<T> {
  /** Does the work. May run again for the same data, after a crash in the middle. */
  readonly run: (site: Site, data: T) => Promise<void>;
  /** Follows its end, in a transaction. */
  readonly done: (ctx: RuleContext, data: T) => void;
  /** Follows its failure, in a transaction. */
  readonly failed: (ctx: RuleContext, data: T, error: Error) => void;
}

/** Work that was noted, ready to be done. */
export interface NotedWork extends Omit<Noted<unknown>, 'data'> {
  readonly run: (site: Site) => Promise<void>;
  readonly done: (ctx: RuleContext) => void;
  readonly failed: (ctx: RuleContext, error: Error) => void;
}

/** A kind of work. */
export interface Work {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** The work that a task of this name is. */
  readonly read: (noted: string) => NotedWork;
}

/** Declares a kind of work; `name` stays the same for as long as stores have such tasks. */
export function defineWork<T extends object>(name: string, steps: WorkSteps<T>): Work {
  return {
    name: workPrefix + name,
    read(noted) {
      // What was noted under this name: `beginWork` gets the same.
      const { data, ...whose } = readJson<Noted<T>>(noted);
      return {
        ...whose,
        run: (site) => steps.run(site, data),
        done: (ctx) => steps.done(ctx, data),
        failed: (ctx, error) => steps.failed(ctx, data, error),
      };
    },
  };
}

/** Notes work, to begin once the transaction is durable. `target` names what it works on. */
export function beginWork(ctx: RuleContext, name: string, target: string, data: object): void {
  if (!ctx.site.behaviors.work(workPrefix + name))
    throw new Error(`There is no work called ${name}.`);
  const noted: Noted<object> = {
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
  const noted: Noted<StoredObject> = {
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
