/** Does what is due: the tasks of the store, at their time, also those from before a restart. */
import type { RuleContext, Site } from '../rules/context.ts';
import type { Store } from '../store/store.ts';
import type { Task } from '../store/transaction.ts';
import { moveTask, proceed } from './moves.ts';

/** Longest time that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1;

/** Runs the tasks of a store. `wake` must be called after every commit. */
export class TaskRunner {
  readonly #store: Store;
  readonly #site: Site;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(store: Store, site: Site, report: (error: unknown) => void) {
    this.#store = store;
    this.#site = site;
    this.#report = report;
  }

  /** Looks when the next task is due, and sets the clock for it. */
  wake(): void {
    if (this.#stopped || this.#running) return;
    const due = this.#store.read((tx) => tx.nextDue()) ?? Number.POSITIVE_INFINITY;
    if (due === this.#due && this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(0, due - this.#site.now().getTime()), longest);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.wake();
      });
    }, wait);
  }

  async #run(): Promise<void> {
    try {
      const contexts = await this.#store.write((tx) => {
        const done: RuleContext[] = [];
        const now = this.#site.now().getTime();
        for (let task = tx.takeTask(now); task; task = tx.takeTask(now)) {
          const ctx = this.#perform(tx, task);
          if (ctx) done.push(ctx);
        }
        return done;
      });
      for (const ctx of contexts) for (const effect of ctx.afterCommit) await effect();
    } catch (error) {
      this.#report(error);
    }
  }

  #perform(tx: Parameters<typeof proceed>[0], task: Task): RuleContext | undefined {
    if (task.name === moveTask) return proceed(tx, this.#site, task);
    this.#report(new Error(`Task ${task.name} is of a kind that this version does not know.`));
    return undefined;
  }

  /** Stops; what is due later stays in the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
