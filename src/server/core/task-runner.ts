/** Runner of persistent tasks: each at its time, also those from before a restart. */

import { setTimeout as wait } from 'node:timers/promises';
import { FormatError } from '../../formats/format-error.ts';
import { longestTurn } from '../store/group.ts';
import { readJson, type StoredObject } from '../store/kinds.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Task } from '../store/task-list.ts';
import { behaviorsOf } from './behavior.ts';
import { RuleContext } from './context.ts';
import { deadlinePrefix, type Noted, type NotedWork, workPrefix } from './declared-tasks.ts';
import { failureCause } from './failure-cause.ts';
import { settleJob } from './jobs.ts';
import { silenceLimit } from './peers.ts';
import type { Site } from './ports.ts';
import {
  failureLine,
  isExhaustedStep,
  isExhaustedWork,
  lastingAfter,
  pauseAfterThrow,
  reportGivenUp,
} from './task-attempts.ts';
import { giveUpMove, moveTask, proceed } from './transitions.ts';
import { type WorkLimits, WorkQueue } from './work-queue.ts';

/** Longest time that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1;
/**
 * Milliseconds after which work that has not ended begins again. A server that is alone does that when it
 * starts; of several each says again and again that it goes on.
 */
const leaseAlone = 365 * 24 * 3600 * 1000;
const leaseShared = silenceLimit;

/** Milliseconds until a disk that could not be written is tried again: first, and at most. */
const firstPause = 250;
const longestPause = 5_000;

/** Copies and conversions of images that run at one time. One user never takes every turn. */
const defaultWorkLimits: WorkLimits = { atOnce: 4, atOncePerParty: 3 };

/** What follows a commit. */
type Effect = () => unknown;

/** An attempt of work that has begun. `timer` runs from the turn of the work on. */
interface Attempt {
  lasting: boolean;
  timer?: NodeJS.Timeout;
}

/** Work that was taken, with the number under which it is kept meanwhile. */
type WorkTask = Pick<Task, 'seq' | 'name' | 'data'>;

/** Runs the tasks of a store. `wake` must be called after every commit. */
export class TaskRunner {
  readonly #store: Store;
  readonly #site: Site;
  readonly #report: (error: unknown) => void;
  readonly #queue: WorkQueue;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopped = false;
  readonly #stopping = new AbortController();
  /** How long to wait although something is due. */
  #pause = 0;
  /** Work that is under way or waits for its second attempt, by the number of its task. */
  readonly #working = new Map<number, Promise<void>>();
  /** Attempts that have begun, by the number of their task, and whether each lasts for long. */
  readonly #attempts = new Map<number, Attempt>();
  /** Resolves when all work that a crash has interrupted before is done. */
  #interrupted: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    site: Site,
    report: (error: unknown) => void,
    limits: WorkLimits = defaultWorkLimits,
  ) {
    this.#queue = new WorkQueue(limits);
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
      // Another server may have done it in the meantime.
      if (this.#store.isShared && this.#nextDue() > this.#site.steady()) {
        this.wake();
        return;
      }
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
    let current: Task | undefined;
    try {
      const effects = await this.#store.write((tx) => {
        const follow: Effect[] = [];
        const now = this.#site.steady();
        const until = performance.now() + longestTurn;
        for (let task = tx.tasks.take(now); task; task = tx.tasks.take(now)) {
          current = task;
          follow.push(...this.#perform(tx, task));
          current = undefined;
          // What is left is due at once when others have had a turn.
          if (performance.now() > until) break;
        }
        return follow;
      });
      this.#pause = 0;
      for (const effect of effects) await effect();
    } catch (error) {
      this.#pause = longer(this.#pause);
      this.#report(error);
      if (current && !(error instanceof StoreError)) await this.#setAside(current);
    }
  }

  /** Postpones a task whose transaction has thrown, so that it does not keep others from their turn. */
  async #setAside(task: Task): Promise<void> {
    const due = this.#site.steady() + pauseAfterThrow(task);
    await this.#store
      .write((tx) => {
        if (tx.tasks.countAttempt(task.seq)) tx.tasks.postpone(task.seq, due);
      })
      .catch(this.#report);
  }

  /** Does a task inside a transaction; returns what follows its commit. */
  #perform(tx: Parameters<typeof proceed>[0], task: Task): readonly Effect[] {
    if (task.name === moveTask) {
      const go = isExhaustedStep(task) ? giveUpMove : proceed;
      const ctx = go(tx, this.#site, task);
      settleJob(ctx);
      return ctx.afterCommit;
    }
    const deadline = behaviorsOf(this.#site).deadline(task.name);
    if (deadline) {
      const { data, caller, correlationId, job } = readJson<Noted<StoredObject>>(task.data);
      const ctx = new RuleContext(tx, this.#site, caller, correlationId);
      ctx.job = job;
      if (isExhaustedStep(task)) {
        const name = task.name.slice(deadlinePrefix.length);
        const subject = { task: name, type: 'deadline', name: task.target, objects: [] };
        reportGivenUp(ctx, subject, 'its rule always reports an internal error');
      } else deadline.run(ctx, data);
      settleJob(ctx);
      return ctx.afterCommit;
    }
    const work = behaviorsOf(this.#site).work(task.name);
    if (work) {
      if (isExhaustedWork(task)) return this.#giveUp(tx, work.read(task.data), task);
      // The row stays until the work has ended, so that a crash does not lose it.
      const lease = this.#store.isShared ? leaseShared : leaseAlone;
      const isFirst = task.attempts === 0;
      const kept = { ...task, attempts: isFirst ? 1 : task.attempts };
      const seq = tx.tasks.keep(kept, this.#site.steady() + lease);
      const { name, data } = task;
      return [() => this.#begin({ seq, name, data }, isFirst)];
    }
    this.#report(new Error(`Task ${task.name} is unknown to this version.`));
    return [];
  }

  /** Ends work that has ended the server too often. */
  #giveUp(tx: Parameters<typeof proceed>[0], work: NotedWork, task: Task): readonly Effect[] {
    const ctx = new RuleContext(tx, this.#site, work.caller, work.correlationId);
    ctx.job = work.job;
    ctx.failed = true;
    const reason = `the server stopped unexpectedly during ${task.attempts} attempts`;
    reportGivenUp(ctx, work.subject(ctx), reason);
    work.failed(ctx, new Error(reason));
    settleJob(ctx);
    return ctx.afterCommit;
  }

  #begin(task: WorkTask, isFirst: boolean): void {
    const begun = isFirst ? this.#attempt(task) : this.#attemptAgain(task);
    const working = begun.finally(() => this.#working.delete(task.seq));
    this.#working.set(task.seq, working);
  }

  /**
   * Does work again that a crash has interrupted. Of all such work one is under way at a time, and
   * only its attempt is counted: work that ends the server over and over takes no other work with it.
   */
  #attemptAgain(task: WorkTask): Promise<void> {
    const before = this.#interrupted;
    this.#interrupted = (async () => {
      await before;
      if (this.#stopped) return;
      let isCounted = false;
      await this.#written(async () => {
        isCounted = await this.#store.write((tx) => tx.tasks.countAttempt(task.seq));
      });
      if (isCounted) await this.#attempt(task);
    })().catch(this.#report);
    return this.#interrupted;
  }

  /** Does work whose attempt is counted in the store. */
  async #attempt(task: WorkTask): Promise<void> {
    const attempt: Attempt = { lasting: false };
    this.#attempts.set(task.seq, attempt);
    try {
      await this.#work(task, attempt);
    } finally {
      clearTimeout(attempt.timer);
      this.#attempts.delete(task.seq);
    }
  }

  /**
   * Runs work when its user has a turn; false if the server stopped before. Only the run takes a turn: the end of
   * work may have to wait until the store can be written.
   */
  #inTurn(task: WorkTask, work: NotedWork, attempt: Attempt): Promise<boolean> {
    const run = async () => {
      if (this.#stopped) return false;
      attempt.timer = setTimeout(() => {
        attempt.lasting = true;
        this.#store.write((tx) => tx.tasks.countLasting(task.seq)).catch(this.#report);
      }, lastingAfter);
      attempt.timer.unref();
      await work.run(this.#site);
      return true;
    };
    return work.isCheap ? run() : this.#queue.run(work.caller.userId, '', run);
  }

  /** Takes back the counts of attempts that a clean stop may interrupt. */
  async #forgetAttempts(): Promise<void> {
    const attempts = [...this.#attempts];
    if (attempts.length === 0 || this.#store.failed) return;
    await this.#store
      .write((tx) => {
        for (const [seq, { lasting }] of attempts) tx.tasks.forgetAttempt(seq, lasting);
      })
      .catch(this.#report);
  }

  /**
   * Says of the work that is under way that it goes on, so that no other server begins it again; and looks
   * for what others have left.
   */
  renew(): void {
    const due = this.#site.steady() + leaseShared;
    this.#store.withoutTransaction((tx) => {
      for (const seq of this.#working.keys()) tx.tasks.postpone(seq, due);
    });
    this.wake();
  }

  async #work(task: WorkTask, attempt: Attempt): Promise<void> {
    const work = behaviorsOf(this.#site).work(task.name);
    if (!work) return;
    const noted = work.read(task.data);
    const { caller, correlationId, job } = noted;
    const end = async (follow: (ctx: RuleContext) => void) => {
      const ctx = await this.#store.write((tx) => {
        // Another server took this one for gone, and has begun it again: its end counts.
        if (!tx.tasks.remove(task.seq) && this.#store.isShared) return undefined;
        const context = new RuleContext(tx, this.#site, caller, correlationId);
        context.job = job;
        follow(context);
        settleJob(context);
        return context;
      });
      for (const effect of ctx?.afterCommit ?? []) await effect();
    };
    try {
      if (!(await this.#inTurn(task, noted, attempt))) return;
      await this.#written(() => end(noted.done));
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      // An image of a user that cannot be used is no error of the server: the log names the object and the cause.
      const isImage = error instanceof FormatError;
      if (!isImage) this.#report(error);
      const fail = (ctx: RuleContext) => {
        ctx.failed = true;
        ctx.cause = failureCause(error);

        if (isImage) {
          const line = failureLine(noted.subject(ctx), failureCause(error) ?? error.message);
          ctx.afterCommit.push(() => this.#report(line));
        }
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
    await this.#forgetAttempts();
    await Promise.allSettled(this.#working.values());
  }
}

function longer(pause: number): number {
  return Math.min(longestPause, Math.max(firstPause, pause * 2));
}
