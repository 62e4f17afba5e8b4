/**
 * The servers of one store: each shows every second that it lives. Whoever does not is given up, and what
 * it had is done by the others. Their service times agree: each catches up with the latest one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { FolderInUse } from '../files/access.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { ServiceTime } from './clock.ts';

/** Milliseconds between two signs of life, and after which a server without one is given up. */
export const signInterval = 1_000;
export const silenceLimit = 4_000;

export interface PeerSettings {
  readonly store: Store;
  readonly time: ServiceTime;
  /** Id of this server among them. */
  readonly id: string;
  readonly report: (error: unknown) => void;
  /** Called after each sign of life: others may have left work, or changed when it is due. */
  readonly signed: () => void;
}

export class Peers {
  readonly #settings: PeerSettings;
  #images = '';
  /** Of the store, when those who wait were last woken. */
  #version = 0;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(settings: PeerSettings) {
    this.#settings = settings;
  }

  /**
   * Shows from now on that this server lives, whose image daemon is reached at `images`. The first server
   * knows that nobody else does.
   */
  begin(images: string, isFirst: boolean): void {
    const { store, id, time } = this.#settings;
    this.#images = images;
    store.withoutTransaction(({ servers }) => {
      if (isFirst) servers.clear();
      servers.add({ id, images, seen: time.now() });
    });
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let fails = false;
    while (!signal.aborted) {
      await wait(signInterval, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#settings.store.withoutTransaction((tx) => this.#show(tx));
        this.#settings.signed();
        this.#wakeWaiting();
        fails = false;
      } catch (error) {
        // While the store is away, once.
        if (!fails) this.#settings.report(error);
        fails = true;
      }
    }
  }

  /** Wakes those who wait for a change here: another server may have made it. */
  #wakeWaiting(): void {
    const { store } = this.#settings;
    const { version } = store;
    if (version !== this.#version) store.changes.wakeAll();
    this.#version = version;
  }

  #show({ servers }: Transaction): void {
    const { id, time } = this.#settings;
    for (const { seen } of servers.all()) time.advanceTo(seen);
    const now = time.now();
    // Who was given up has lost what it had, and goes on as a new one.
    if (!servers.renew(id, now)) servers.add({ id, images: this.#images, seen: now });
    servers.removeSilent(now - silenceLimit);
  }

  /** Leaves: what this server had is taken over at once. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    try {
      const { store, id } = this.#settings;
      store.withoutTransaction(({ servers }) => servers.remove(id));
    } catch (error) {
      // It is given up without that.
      this.#settings.report(error);
    }
  }
}

/** Refuses a backup where several servers run: images that others write would not be of the same moment. */
export function requireAlone(store: Store): void {
  if (store.read((tx) => tx.servers.all()).length <= 1) return;
  throw new FolderInUse(
    'Other servers use this site; their changes would make the copy inconsistent.',
    'stop all servers but one, or copy the database and the images with their own tools',
  );
}
