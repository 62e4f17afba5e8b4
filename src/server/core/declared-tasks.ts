/** What can become a task: work in the background, and what follows a deadline. */
import { readJson, type StoredObject } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Caller, RuleContext } from './context.ts';
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

/** Words by which an event names a task and the object that it works on. */
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

/** What is done for a kind of work, and about what. */
export interface WorkSteps<T> {
  /** Does the work. May run again for the same data, after a crash in the middle. */
  readonly run: (site: Site, data: T) => Promise<void>;
  /** Whether the work copies no images, and so needs no turn in the queue of expensive work. */
  readonly isCheap?: (data: T) => boolean;
  /** Follows its end, in a transaction. */
  readonly done: (ctx: RuleContext, data: T) => void;
  /** Follows its failure, in a transaction. */
  readonly failed: (ctx: RuleContext, data: T, error: Error) => void;
  /** Names the task and its object, in a transaction. */
  readonly subject: (ctx: RuleContext, data: T) => TaskSubject;
}

/** Work that was noted, ready to be done. */
export interface NotedWork extends Omit<Noted<unknown>, 'data'> {
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
        isCheap: steps.isCheap?.(data) ?? false,
        done: (ctx) => steps.done(ctx, data),
        failed: (ctx, error) => steps.failed(ctx, data, error),
        subject: (ctx) => steps.subject(ctx, data),
      };
    },
  };
}

/** Names of tasks that are deadlines begin with this. */
export const deadlinePrefix = 'due:';

/** What follows when a time has passed. */
export interface Deadline {
  /** Name of its tasks in the store. */
  readonly name: string;
  /** Runs when the time has passed, in a transaction of its own. */
  readonly run: (ctx: RuleContext, data: StoredObject) => void;
}

/** Declares what follows a deadline; `name` stays the same for as long as stores have such tasks. */
export function defineDeadline(name: string, run: Deadline['run']): Deadline {
  return { name: deadlinePrefix + name, run };
}
