/** Tickets of image transfers: opened, renewed, monitored, and closed when idle. */

import type { ImageDaemon, Ticket } from '../../images/index.ts';
import { RuleContext } from '../core/context.ts';
import type { OwnTickets, TransferCoordination } from '../core/coordination.ts';
import type { Site, Tickets, TransferAssignment, TransferTicket } from '../core/ports.ts';
import { handleLostTicket, handleTimeout } from '../resources/image-transfer/behavior.ts';
import {
  isPreparing,
  recordClosedTicket,
  type Transfer,
} from '../resources/image-transfer/image.ts';
import type { Store } from '../store/store.ts';
import type { TicketImages } from './qemu-nbd.ts';
import { activeTransfers, createDaemonTicket } from './transfer-tickets.ts';

/** Milliseconds for which an ended transfer remains readable, after success and after failure. */
const keepSuccess = 15 * 60_000;
const keepFailure = 30 * 60_000;

interface TicketState {
  active: boolean;
  transferred: number;
  renewed: number;
}

export interface TicketSettings {
  readonly daemon: ImageDaemon;
  /** URL for clients: `https://HOST:PORT`. */
  readonly url: string;
  readonly coordination: TransferCoordination;
  readonly images: TicketImages;
  /** Service time in milliseconds. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export class TicketManager implements Tickets {
  readonly url: string;
  readonly assignment: TransferAssignment;
  readonly #coordination: TransferCoordination;
  readonly #daemon: ImageDaemon;
  readonly #images: TicketImages;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #tickets = new Map<string, TicketState>();
  readonly #own: OwnTickets = {
    states: this.#tickets,
    touch: (id) => this.touch(id),
    close: (id) => this.#closeOwn(id),
    change: (work) => this.#change(work),
  };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #purged = 0;
  #running: { store: Store; site: Site } | undefined;

  constructor({ daemon, url, coordination, images, now, report }: TicketSettings) {
    this.#daemon = daemon;
    this.url = url;
    this.assignment = coordination;
    this.#coordination = coordination;
    this.#images = images;
    this.#now = now;
    this.#report = report;
  }

  get opensQcow2(): boolean {
    return this.#images.opensQcow2;
  }

  async open(ticket: TransferTicket): Promise<void> {
    const opened = await this.#images.open(ticket);
    try {
      await this.#daemon.add(createDaemonTicket(ticket, opened, this.#coordination.ticketLifetime));
    } catch (error) {
      await this.#images.close(ticket.id);
      throw error;
    }
    this.#addTicket(ticket.id);
  }

  async openOrStop(ticket: TransferTicket, transferId: string): Promise<void> {
    try {
      await this.open(ticket);
    } catch (error) {
      this.#report(error);
      await this.#change((ctx) => {
        const transfer: Transfer | undefined = ctx.tx.get('image_transfer', transferId);
        if (transfer) handleLostTicket(ctx, transfer);
      });
    }
  }

  /** Changes transfers on behalf of the system. */
  async #change(work: (ctx: RuleContext) => void): Promise<void> {
    const { store, site } = this.#requireSite();
    const ctx = await store.write((tx) => {
      const context = RuleContext.system(tx, site);
      work(context);
      return context;
    });
    for (const effect of ctx.afterCommit) await effect();
  }

  #requireSite(): { store: Store; site: Site } {
    if (!this.#running) throw new Error('No ticket manager is running.');
    return this.#running;
  }

  #addTicket(id: string): void {
    const before = this.#tickets.get(id)?.transferred ?? 0;
    this.#tickets.set(id, {
      active: false,
      transferred: before,
      renewed: this.#now(),
    });
  }

  async close(id: string): Promise<void> {
    if (!this.#tickets.has(id) && (await this.#coordination.waitUntilClosed(id))) return;
    await this.#closeOwn(id);
  }

  async #closeOwn(id: string): Promise<void> {
    let transferred = this.#tickets.get(id)?.transferred ?? 0;
    try {
      const last = await this.#daemon.remove(id);
      transferred = Math.max(transferred, last?.transferred ?? 0);
    } finally {
      await this.#images.close(id);
    }
    this.#tickets.delete(id);
    const release = this.#coordination.release(id);
    if (transferred === 0 && !release) return;
    await this.#change((ctx) => {
      recordClosedTicket(ctx, id, transferred);
      release?.(ctx);
    });
  }

  async touch(id: string): Promise<void> {
    const known = this.#tickets.get(id);
    if (!known) return;
    await this.#daemon.touch(id);
    known.renewed = this.#now();
  }

  /** Closes every ticket, after their transfers were removed. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#tickets.keys()].map((id) => this.close(id)));
  }

  progress(id: string): { active: boolean; transferred: number } | undefined {
    const known = this.#tickets.get(id);
    return known && { active: known.active, transferred: known.transferred };
  }

  /**
   * Starts monitoring. The daemon already has the open tickets, which are all that exist. Undefined
   * if other servers have tickets.
   */
  async begin(store: Store, site: Site, open: readonly Ticket[] | undefined): Promise<void> {
    for (const { id } of open ?? []) this.#addTicket(id);
    this.#running = { store, site };
    if (open) await this.#adopt();
    this.#timer = setInterval(() => {
      this.#looking ??= this.#round(store)
        .catch(this.#report)
        .finally(() => {
          this.#looking = undefined;
        });
    }, this.#coordination.checkIntervalMs);
    this.#timer.unref();
  }

  /** Adopts the active transfers; those without an open ticket have lost it. */
  async #adopt(): Promise<void> {
    await this.#change((ctx) => {
      for (const transfer of ctx.tx.list('image_transfer', { condition: activeTransfers })) {
        if (isPreparing(transfer)) continue;
        if (this.#tickets.has(transfer.ticket ?? '')) {
          const here = this.#coordination.assign(transfer);
          if (here !== transfer) ctx.tx.update('image_transfer', here);
        } else handleLostTicket(ctx, transfer);
      }
    });
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #round(store: Store): Promise<void> {
    const transfers = store.read((tx) => tx.list('image_transfer', { condition: activeTransfers }));
    for (const transfer of transfers) {
      if (!this.#coordination.isHere(transfer)) continue;
      const idle = transfer.ticket ? await this.#readState(transfer.ticket) : undefined;
      const limit = transfer.inactivity_timeout ?? 0;
      if (idle === undefined || limit === 0 || idle <= limit) continue;
      await this.#change((ctx) => handleTimeout(ctx, transfer));
    }
    await this.#coordination.synchronize(transfers, this.#own);
    await this.#purge(store);
  }

  /** Reads the state of a ticket and returns the seconds since its last use. */
  async #readState(id: string): Promise<number | undefined> {
    const known = this.#tickets.get(id);
    const state = await this.#daemon.state(id);
    if (!known || !state) return undefined;
    known.active = state.active;
    known.transferred = Math.max(known.transferred, state.transferred);
    const { renewIntervalMs, ticketLifetime } = this.#coordination;
    if (this.#now() - known.renewed > renewIntervalMs) {
      await this.#daemon.extend(id, ticketLifetime);
      known.renewed = this.#now();
    }
    return state.idle;
  }

  async #purge(store: Store): Promise<void> {
    const now = this.#now();
    if (now - this.#purged < 60_000) return;
    this.#purged = now;
    const ended = store
      .read((tx) => tx.list('image_transfer'))
      .filter((transfer) => {
        const keep = transfer.phase === 'finished_success' ? keepSuccess : keepFailure;
        return transfer.finished !== undefined && now - transfer.finished > keep;
      });
    if (ended.length === 0) return;
    await store.write((tx) => {
      for (const { id } of ended) if (id) tx.remove('image_transfer', id);
    });
  }
}
