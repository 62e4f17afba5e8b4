/** Declarations of persistent tasks: background work and deadlines. */
import { readJson, type StoredObject } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Caller, RuleContext } from './context.ts';
import type { Site } from './ports.ts';

/** Prefix of the task names of work. */
export const workPrefix = 'work:';

/** Stored form of a task: its data and its caller. */
export interface StoredTask<T> {
  readonly data: T;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Parameters by which an event names a task and its object. */
export interface TaskSubject {
  /** `convert` */
  readonly task: string;
  /** Type of the object in the model: `disk`. */
  readonly type: string;
  /** Name of the object, or its id. */
  readonly name: string;
  /** Only users who see these see the event. */
  readonly objects: readonly NamedObject[];
}

/** Functions and attributes of a kind of work. */
export interface WorkSteps<T> {
  /** Does the work. May run again with the same data after a crash. */
  readonly run: (site: Site, data: T) => Promise<void>;
  /** Whether the work copies no images, and therefore bypasses the queue of expensive work. */
  readonly isCheap?: (data: T) => boolean;
  /** Runs after success, in a transaction. */
  readonly done: (ctx: RuleContext, data: T) => void;
  /** Runs after failure, in a transaction. */
  readonly failed: (ctx: RuleContext, data: T, error: Error) => void;
  /** Names the task and its object, in a transaction. */
  readonly subject: (ctx: RuleContext, data: T) => TaskSubject;
}

/** Stored work, ready to run. */
export interface StoredWork extends Omit<StoredTask<unknown>, 'data'> {
  readonly run: (site: Site) => Promise<void>;
  readonly isCheap: boolean;
  readonly done: (ctx: RuleContext) => void;
  readonly failed: (ctx: RuleContext, error: Error) => void;
  readonly subject: (ctx: RuleContext) => TaskSubject;
}

/** A kind of work. */
export interface Work {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Parses the stored data of a task with this name. */
  readonly read: (noted: string) => StoredWork;
}

/** Declares a kind of work. Stored tasks refer to `name`, so it must never change. */
export function defineWork<T extends object>(name: string, steps: WorkSteps<T>): Work {
  return {
    name: workPrefix + name,
    read(noted) {
      // `beginWork` stored this text.
      const { data, ...whose } = readJson<StoredTask<T>>(noted);
      return {
        ...whose,
        run: (site) => steps.run(site, data),
        isCheap: steps.isCheap?.(data) ?? false,
        done: (ctx) => steps.done(ctx, data),
        failed: (ctx, error) => steps.failed(ctx, data, error),
        subject: (ctx) => steps.subject(ctx, data),
      };
    },
  };
}

/** Prefix of the task names of deadlines. */
export const deadlinePrefix = 'due:';

/** Function that runs after a deadline. */
export interface Deadline {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Runs after the time has passed, in a separate transaction. */
  readonly run: (ctx: RuleContext, data: StoredObject) => void;
}

/** Declares a deadline. Stored tasks refer to `name`, so it must never change. */
export function defineDeadline(name: string, run: Deadline['run']): Deadline {
  return { name: deadlinePrefix + name, run };
}
