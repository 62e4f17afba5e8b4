/** Runner of persistent tasks: each at its time, also those from before a restart. */
import { setTimeout as wait } from 'node:timers/promises';
import { readJson, type StoredObject } from '../store/kinds.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Task } from '../store/task-list.ts';
import { RuleContext } from './context.ts';
import { settleJob } from './jobs.ts';
import type { Site } from './ports.ts';
import { type Noted, workPrefix } from './tasks.ts';
import { moveTask, proceed } from './transitions.ts';

/** Longest time that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1;
/** Milliseconds after which work that never ended would begin again; a restart does that at once. */
const lease = 365 * 24 * 3600 * 1000;

/** Milliseconds until a disk that could not be written is tried again: first, and at most. */
const firstPause = 250;
const longestPause = 5_000;

/** Runs the tasks of a store. `wake` must be called after every commit. */
export class TaskRunner {
  readonly #store: Store;
  readonly #site: Site;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopped = false;
  readonly #stopping = new AbortController();
  /** How long to wait although something is due. */
  #pause = 0;
  readonly #working = new Set<Promise<void>>();

  constructor(store: Store, site: Site, report: (error: unknown) => void) {
    this.#store = store;
    this.#site = site;
    this.#report = report;
  }

  /** Begins work again that was under way when the server ended. Called once, at the start. */
  async recover(): Promise<void> {
    await this.#store.write((tx) => tx.tasks.makeDue(workPrefix, this.#site.steady()));
    this.wake();
  }

  /** Looks when the next task is due, and sets the clock for it. */
  wake(): void {
    if (this.#stopped || this.#running) return;
    const due = this.#nextDue();
    if (due === this.#due && this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const left = Math.min(Math.max(this.#pause, due - this.#site.steady()), longest);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.wake();
      });
    }, left);
  }

  /** When something is due; at once, after a pause, where the store cannot tell. */
  #nextDue(): number {
    try {
      return this.#store.read((tx) => tx.tasks.nextDue()) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#report(error);
      this.#pause = longer(this.#pause);
      return 0;
    }
  }

  async #run(): Promise<void> {
    try {
      const contexts = await this.#store.write((tx) => {
        const done: RuleContext[] = [];
        const now = this.#site.steady();
        for (let task = tx.tasks.take(now); task; task = tx.tasks.take(now)) {
          const ctx = this.#perform(tx, task);
          if (ctx) done.push(ctx);
        }
        return done;
      });
      this.#pause = 0;
      for (const ctx of contexts) for (const effect of ctx.afterCommit) await effect();
    } catch (error) {
      this.#pause = longer(this.#pause);
      this.#report(error);
    }
  }

  #perform(tx: Parameters<typeof proceed>[0], task: Task): RuleContext | undefined {
    if (task.name === moveTask) {
      const ctx = proceed(tx, this.#site, task);
      settleJob(ctx);
      return ctx;
    }
    const deadline = this.#site.behaviors.deadline(task.name);
    if (deadline) {
      const { data, caller, correlationId, job } = readJson<Noted<StoredObject>>(task.data);
      const ctx = new RuleContext(tx, this.#site, caller, correlationId);
      ctx.job = job;
      deadline.run(ctx, data);
      settleJob(ctx);
      return ctx;
    }
    if (this.#site.behaviors.work(task.name)) {
      // The row stays until the work has ended, so that a crash does not lose it.
      tx.tasks.keep(task, this.#site.steady() + lease);
      const working = this.#work(task).finally(() => this.#working.delete(working));
      this.#working.add(working);
      return undefined;
    }
    this.#report(new Error(`Task ${task.name} is of a kind that this version does not know.`));
    return undefined;
  }

  async #work(task: Task): Promise<void> {
    const work = this.#site.behaviors.work(task.name);
    if (!work) return;
    const noted = work.read(task.data);
    const { caller, correlationId, job } = noted;
    const end = async (follow: (ctx: RuleContext) => void) => {
      const ctx = await this.#store.write((tx) => {
        tx.tasks.remove(task.seq);
        const context = new RuleContext(tx, this.#site, caller, correlationId);
        context.job = job;
        follow(context);
        settleJob(context);
        return context;
      });
      for (const effect of ctx.afterCommit) await effect();
    };
    try {
      await noted.run(this.#site);
      await this.#written(() => end(noted.done));
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#report(error);
      const fail = (ctx: RuleContext) => {
        ctx.failed = true;
        noted.failed(ctx, error);
      };
      await this.#written(() => end(fail)).catch(this.#report);
    }
    this.wake();
  }

  /** Notes the end of work, also where the disk has no room for that at the moment. */
  async #written(note: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = firstPause; ; pause = longer(pause)) {
      try {
        return await note();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.#report(error);
        // It begins again at the next start.
        if (this.#store.failed || this.#stopped) return;
      }
      await wait(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Stops; what is due later stays in the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await Promise.allSettled(this.#working);
  }
}

function longer(pause: number): number {
  return Math.min(longestPause, Math.max(firstPause, pause * 2));
}
