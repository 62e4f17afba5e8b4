/**
 * Heartbeats of the servers of a site. The others remove a silent server and take over its work.
 * Service times synchronize to the latest one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CoordinatedServer } from '../../server/core/coordination.ts';
import type { Transaction } from '../../server/store/transaction.ts';
import {
  addServer,
  listServers,
  removeServer,
  removeServers,
  removeSilentServers,
  renewServer,
} from './server-list.ts';
import type { PostgresStore } from './store.ts';

/** Milliseconds between heartbeats, and without one until a server is removed. */
export const heartbeatIntervalMs = 1_000;
export const heartbeatTimeoutMs = 4_000;

export class Heartbeat {
  readonly #store: PostgresStore;
  /** Id of this server. */
  readonly #id: string;
  readonly #server: CoordinatedServer;
  /** Store version at the last wake-up of waiting requests. */
  #version = 0;
  readonly #running: Promise<void>;
  readonly #stopping = new AbortController();

  /** Registers this server. The first server of a site removes all other entries. */
  constructor(store: PostgresStore, id: string, server: CoordinatedServer) {
    this.#store = store;
    this.#id = id;
    this.#server = server;
    store.withoutTransaction((tx) => {
      if (store.isFirst) removeServers(tx);
      addServer(tx, { id, images: server.imagesUrl, seen: server.time.now() });
    });
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let fails = false;
    while (!signal.aborted) {
      await wait(heartbeatIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#store.withoutTransaction((tx) => this.#beat(tx));
        this.#server.wake();
        this.#wakeRequests();
        fails = false;
      } catch (error) {
        // Reports once for the time that the store is unavailable.
        if (!fails) this.#server.report(error);
        fails = true;
      }
    }
  }

  #beat(tx: Transaction): void {
    const { imagesUrl, time } = this.#server;
    for (const { seen } of listServers(tx)) time.advanceTo(seen);
    const now = time.now();
    // A removed server has lost its work and registers again.
    if (!renewServer(tx, this.#id, now)) {
      addServer(tx, { id: this.#id, images: imagesUrl, seen: now });
    }
    removeSilentServers(tx, now - heartbeatTimeoutMs);
    renewLeases(tx, this.#server.listWork(), now);
  }

  /** Wakes requests that wait for a change, after a change by another server. */
  #wakeRequests(): void {
    const { version } = this.#store;
    if (version !== this.#version) this.#store.changes.wakeAll();
    this.#version = version;
  }

  /** Removes this server, so that others take over its work immediately. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    try {
      this.#store.withoutTransaction((tx) => removeServer(tx, this.#id));
    } catch (error) {
      // The others remove the silent server instead.
      this.#server.report(error);
    }
  }
}

/** Renews the leases of running work, so that no other server starts it again. */
export function renewLeases(tx: Transaction, work: Iterable<number>, now: number): void {
  for (const seq of work) tx.tasks.postpone(seq, now + heartbeatTimeoutMs);
}
