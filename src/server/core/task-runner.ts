/** Runner of persistent tasks. Each runs when it is due, also after a restart. */

import { setTimeout as wait } from 'node:timers/promises';
import { toError } from '../../caught-errors.ts';
import { FormatError } from '../../formats/format-error.ts';
import { longestTurn } from '../store/group.ts';
import { readJson, type StoredObject } from '../store/kinds.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Task } from '../store/task-list.ts';
import { getBehaviorRegistry } from './behavior.ts';
import { RuleContext } from './context.ts';
import { singleServer, type WorkCoordination } from './coordination.ts';
import { deadlinePrefix, type StoredTask, type StoredWork, workPrefix } from './declared-tasks.ts';
import { describeFailure } from './failure-cause.ts';
import { settleJob } from './jobs.ts';
import type { Site } from './ports.ts';
import {
  formatFailureLine,
  getRetryPause,
  isExhaustedStep,
  isExhaustedWork,
  lastingAfter,
  reportFailedTask,
} from './task-attempts.ts';
import { continueTransition, failTransition, transitionTask } from './transitions.ts';
import { type WorkLimits, WorkQueue } from './work-queue.ts';

/** Maximum delay of a timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Milliseconds until the retry of a failed write to the store: first and maximum. */
const firstPause = 250;
const longestPause = 5_000;

/**
 * Copies and conversions of images that run concurrently. A single user never occupies all slots.
 */
const workLimits: WorkLimits = { atOnce: 4, atOncePerParty: 3 };

/** Effect that runs after the commit. */
type Effect = () => unknown;

/** A running attempt of work. The timer starts when the work leaves the queue. */
interface Attempt {
  lasting: boolean;
  timer?: NodeJS.Timeout;
}

/** Running work, with the sequence number of its stored task. */
type WorkTask = Pick<Task, 'seq' | 'name' | 'data'>;

/** Runs the tasks of a store. Call `wake` after every commit. */
export class TaskRunner {
  readonly #store: Store;
  readonly #site: Site;
  readonly #report: (error: unknown) => void;
  readonly #coordination: WorkCoordination;
  readonly #queue = new WorkQueue(workLimits);
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopped = false;
  readonly #stopping = new AbortController();
  /** Minimum delay of the next run after a failure, in milliseconds. */
  #pause = 0;
  /** Work that runs or waits for a retry, by the number of its task. */
  readonly #working = new Map<number, Promise<void>>();
  /** Running attempts, by the number of their task. */
  readonly #attempts = new Map<number, Attempt>();
  /** Resolves after the retry of all work that a crash interrupted. */
  #interrupted: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    site: Site,
    report: (error: unknown) => void,
    coordination: WorkCoordination = singleServer.work,
  ) {
    this.#coordination = coordination;
    this.#store = store;
    this.#site = site;
    this.#report = report;
  }

  /** Makes work due that ran when the server stopped. Called once, at the start. */
  async recover(): Promise<void> {
    await this.#store.write((tx) => tx.tasks.makeDue(workPrefix, this.#site.steady()));
    this.wake();
  }

  /** Sets the timer for the next due task. */
  wake(): void {
    if (this.#stopped || this.#running) return;
    const due = this.#nextDue();
    if (due === this.#due && this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const left = Math.min(Math.max(this.#pause, due - this.#site.steady()), longestTimer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // The task may have been removed or postponed in the meantime.
      if (this.#nextDue() > this.#site.steady()) {
        this.wake();
        return;
      }
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.wake();
      });
    }, left);
  }

  /** Due time of the next task; 0 with a pause if the store fails. */
  #nextDue(): number {
    try {
      return this.#store.read((tx) => tx.tasks.nextDue()) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#report(error);
      this.#pause = lengthenPause(this.#pause);
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
          // The remaining tasks are due immediately after other transactions.
          if (performance.now() > until) break;
        }
        return follow;
      });
      this.#pause = 0;
      for (const effect of effects) await effect();
    } catch (error) {
      this.#pause = lengthenPause(this.#pause);
      this.#report(error);
      if (current && !(error instanceof StoreError)) await this.#setAside(current);
    }
  }

  /** Postpones a task whose transaction failed, so that it does not block others. */
  async #setAside(task: Task): Promise<void> {
    const due = this.#site.steady() + getRetryPause(task);
    await this.#store
      .write((tx) => {
        if (tx.tasks.countAttempt(task.seq)) tx.tasks.postpone(task.seq, due);
      })
      .catch(this.#report);
  }

  /** Runs a task inside a transaction. Returns the effects after the commit. */
  #perform(tx: Parameters<typeof continueTransition>[0], task: Task): readonly Effect[] {
    if (task.name === transitionTask) {
      const go = isExhaustedStep(task) ? failTransition : continueTransition;
      const ctx = go(tx, this.#site, task);
      settleJob(ctx);
      return ctx.afterCommit;
    }
    const deadline = getBehaviorRegistry(this.#site).deadline(task.name);
    if (deadline) {
      const { data, caller, correlationId, job } = readJson<StoredTask<StoredObject>>(task.data);
      const ctx = new RuleContext(tx, this.#site, caller, correlationId);
      ctx.job = job;
      if (isExhaustedStep(task)) {
        const name = task.name.slice(deadlinePrefix.length);
        const subject = { task: name, type: 'deadline', name: task.target, objects: [] };
        reportFailedTask(ctx, subject, 'its rule always reports an internal error');
      } else deadline.run(ctx, data);
      settleJob(ctx);
      return ctx.afterCommit;
    }
    const work = getBehaviorRegistry(this.#site).work(task.name);
    if (work) {
      if (isExhaustedWork(task)) return this.#failWork(tx, work.read(task.data), task);
      // The row remains until the work ends, so that a crash does not lose it.
      const isFirst = task.attempts === 0;
      const kept = { ...task, attempts: isFirst ? 1 : task.attempts };
      const seq = tx.tasks.keep(kept, this.#site.steady() + this.#coordination.leaseMs);
      const { name, data } = task;
      return [() => this.#begin({ seq, name, data }, isFirst)];
    }
    this.#report(new Error(`Task ${task.name} is unknown to this version.`));
    return [];
  }

  /** Fails work that has crashed the server too often. */
  #failWork(
    tx: Parameters<typeof continueTransition>[0],
    work: StoredWork,
    task: Task,
  ): readonly Effect[] {
    const ctx = new RuleContext(tx, this.#site, work.caller, work.correlationId);
    ctx.job = work.job;
    ctx.failed = true;
    const reason = `the server stopped unexpectedly during ${task.attempts} attempts`;
    reportFailedTask(ctx, work.subject(ctx), reason);
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
   * Retries work that a crash interrupted. Only one such task runs at a time, and only its attempt
   * is counted. Work that crashes the server repeatedly therefore exhausts its own attempts only.
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

  /** Runs work whose attempt is counted in the store. */
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
   * Runs work when its user has a turn; false if the server stopped before. Only the run occupies a
   * slot: the end of work may have to wait until the store is writable.
   */
  #inTurn(task: WorkTask, work: StoredWork, attempt: Attempt): Promise<boolean> {
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

  /** Reverts the counts of attempts that a clean stop may interrupt. */
  async #forgetAttempts(): Promise<void> {
    const attempts = [...this.#attempts];
    if (attempts.length === 0 || this.#store.failed) return;
    await this.#store
      .write((tx) => {
        for (const [seq, { lasting }] of attempts) tx.tasks.forgetAttempt(seq, lasting);
      })
      .catch(this.#report);
  }

  /** Numbers of the tasks whose work runs or waits for a retry. */
  listWork(): Iterable<number> {
    return this.#working.keys();
  }

  async #work(task: WorkTask, attempt: Attempt): Promise<void> {
    const work = getBehaviorRegistry(this.#site).work(task.name);
    if (!work) return;
    const noted = work.read(task.data);
    const { caller, correlationId, job } = noted;
    const end = async (follow: (ctx: RuleContext) => void) => {
      const ctx = await this.#store.write((tx) => {
        if (!this.#coordination.end(tx.tasks, task.seq)) return undefined;
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
      const error = toError(cause);
      // An invalid image of a user is not a server error: the log names the object and the cause.
      const isImage = error instanceof FormatError;
      if (!isImage) this.#report(error);
      const fail = (ctx: RuleContext) => {
        ctx.failed = true;
        ctx.cause = describeFailure(error);

        if (isImage) {
          const line = formatFailureLine(
            noted.subject(ctx),
            describeFailure(error) ?? error.message,
          );
          ctx.afterCommit.push(() => this.#report(line));
        }
        noted.failed(ctx, error);
      };
      await this.#written(() => end(fail)).catch(this.#report);
    }
    this.wake();
  }

  /** Retries the write at the end of work until the store is writable. */
  async #written(note: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = firstPause; ; pause = lengthenPause(pause)) {
      try {
        return await note();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.#report(error);
        // The work starts again at the next server start.
        if (this.#store.failed || this.#stopped) return;
      }
      await wait(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Stops the runner. Later tasks remain in the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#forgetAttempts();
    await Promise.allSettled(this.#working.values());
  }
}

function lengthenPause(pause: number): number {
  return Math.min(longestPause, Math.max(firstPause, pause * 2));
}
