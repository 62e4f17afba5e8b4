/** Tickets of image transfers: opened, renewed, watched, and closed when idle. */

import type { ImageDaemon, Ticket } from '../../images/index.ts';
import { RuleContext } from '../core/context.ts';
import type { Site, Tickets, TransferTicket } from '../core/ports.ts';
import { ticketLost, timedOut } from '../resources/image-transfer/behavior.ts';
import {
  fileOf,
  isPreparing,
  type Transfer,
  ticketClosed,
  ticketOf,
} from '../resources/image-transfer/image.ts';
import { oneOf } from '../store/conditions.ts';
import type { Store } from '../store/store.ts';
import type { DiskFiles } from './disk-files.ts';
import type { OpenedImage, TicketImages } from './qemu-nbd.ts';

/** Seconds that a ticket lives without being used or renewed. */
const ticketLifetime = 300;
/** Milliseconds between two looks at the tickets. */
const lookInterval = 500;
const renewEvery = 60_000;
/** Milliseconds that an ended transfer stays readable, after success and after failure. */
const keepSuccess = 15 * 60_000;
const keepFailure = 30 * 60_000;

interface Known {
  active: boolean;
  transferred: number;
  renewed: number;
}

export class TicketManager implements Tickets {
  readonly url: string;
  readonly #daemon: ImageDaemon;
  readonly #images: TicketImages;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #purged = 0;
  #place: { store: Store; site: Site } | undefined;

  constructor(
    daemon: ImageDaemon,
    url: string,
    images: TicketImages,
    now: () => number,
    report: (error: unknown) => void,
  ) {
    this.#daemon = daemon;
    this.url = url;
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
      await this.#daemon.add(ticketFor(ticket, opened));
    } catch (error) {
      await this.#images.close(ticket.id);
      throw error;
    }
    this.#know(ticket.id);
  }

  async openOrStop(ticket: TransferTicket, transferId: string): Promise<void> {
    try {
      await this.open(ticket);
    } catch (error) {
      this.#report(error);
      await this.#change((ctx) => {
        const transfer: Transfer | undefined = ctx.tx.get('image_transfer', transferId);
        if (transfer) ticketLost(ctx, transfer);
      });
    }
  }

  /** Changes transfers by the will of the system. */
  async #change(work: (ctx: RuleContext) => void): Promise<void> {
    if (!this.#place) throw new Error('Nobody watches the tickets yet.');
    const { store, site } = this.#place;
    const ctx = await store.write((tx) => {
      const context = RuleContext.system(tx, site);
      work(context);
      return context;
    });
    for (const effect of ctx.afterCommit) await effect();
  }

  #know(id: string): void {
    const before = this.#known.get(id)?.transferred ?? 0;
    this.#known.set(id, { active: false, transferred: before, renewed: this.#now() });
  }

  async close(id: string): Promise<void> {
    let transferred = this.#known.get(id)?.transferred ?? 0;
    try {
      const last = await this.#daemon.remove(id);
      transferred = Math.max(transferred, last?.transferred ?? 0);
    } finally {
      await this.#images.close(id);
    }
    this.#known.delete(id);
    if (transferred > 0) await this.#change((ctx) => ticketClosed(ctx, id, transferred));
  }

  async touch(id: string): Promise<void> {
    const known = this.#known.get(id);
    if (!known) return;
    await this.#daemon.touch(id);
    known.renewed = this.#now();
  }

  /** Closes every ticket: nothing is left of the transfers that they were for. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#known.keys()].map((id) => this.close(id)));
  }

  progress(id: string): { active: boolean; transferred: number } | undefined {
    const known = this.#known.get(id);
    return known && { active: known.active, transferred: known.transferred };
  }

  /** Begins to watch; the daemon was started with these tickets already. */
  async begin(store: Store, site: Site, open: readonly Ticket[]): Promise<void> {
    for (const { id } of open) this.#know(id);
    this.#place = { store, site };
    await this.#change((ctx) => {
      for (const transfer of ctx.tx.list('image_transfer', { condition: underWay })) {
        if (isPreparing(transfer) || this.#known.has(transfer.ticket ?? '')) continue;
        ticketLost(ctx, transfer);
      }
    });
    this.#timer = setInterval(() => {
      this.#looking ??= this.#round(store)
        .catch(this.#report)
        .finally(() => {
          this.#looking = undefined;
        });
    }, lookInterval);
    this.#timer.unref();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #round(store: Store): Promise<void> {
    const transfers = store.read((tx) => tx.list('image_transfer', { condition: underWay }));
    for (const transfer of transfers) {
      const idle = transfer.ticket ? await this.#look(transfer.ticket) : undefined;
      const limit = transfer.inactivity_timeout ?? 0;
      if (idle === undefined || limit === 0 || idle <= limit) continue;
      await this.#change((ctx) => timedOut(ctx, transfer));
    }
    await this.#purge(store);
  }

  /** Reads the state of a ticket; returns the seconds since it was used. */
  async #look(id: string): Promise<number | undefined> {
    const known = this.#known.get(id);
    const state = await this.#daemon.state(id);
    if (!known || !state) return undefined;
    known.active = state.active;
    known.transferred = Math.max(known.transferred, state.transferred);
    if (this.#now() - known.renewed > renewEvery) {
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

/**
 * Tickets of the transfers that were under way when the server ended. One whose image cannot be
 * opened is left out, and said so; its transfer is stopped by `begin`.
 */
export async function ticketsUnderWay(
  store: Store,
  images: TicketImages,
  files: DiskFiles,
  report: (error: unknown) => void,
): Promise<Ticket[]> {
  const open = store.read((tx) =>
    tx.list('image_transfer', { condition: underWay }).map((transfer) => ({
      transfer,
      disk: tx.get('disk', transfer.disk?.id ?? ''),
    })),
  );
  const tickets: Ticket[] = [];
  for (const { transfer, disk } of open) {
    // What was being prepared is prepared again, and opened then.
    if (!disk?.id || isPreparing(transfer)) continue;
    const { length } = files.sizes(fileOf(transfer, disk));
    const ticket = ticketOf(length, transfer, disk);
    try {
      tickets.push(ticketFor(ticket, await images.open(ticket)));
    } catch (error) {
      report(error);
    }
  }
  return tickets;
}

/** The ticket of a transfer, as the daemon knows it. */
function ticketFor(ticket: TransferTicket, opened: OpenedImage): Ticket {
  return {
    id: ticket.id,
    size: ticket.size,
    ops: [ticket.direction === 'upload' ? 'write' : 'read'],
    ...opened,
    ...(opened.changes ? { dirty: true } : {}),
    timeout: ticketLifetime,
    inactivityTimeout: ticket.inactivityTimeout,
    sparse: ticket.sparse,
    ...(ticket.filename === undefined ? {} : { filename: ticket.filename }),
  };
}

const underWay = oneOf('phase', ['initializing', 'transferring', 'resuming']);
