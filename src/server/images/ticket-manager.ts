/** Tickets of image transfers: opened, renewed, watched, and closed when idle. */

import { setTimeout as wait } from 'node:timers/promises';
import type { ImageDaemon, Ticket } from '../../images/index.ts';
import { RuleContext } from '../core/context.ts';
import { signInterval } from '../core/peers.ts';
import type { Site, Tickets, TransferTicket } from '../core/ports.ts';
import { ticketLost, timedOut } from '../resources/image-transfer/behavior.ts';
import {
  atThisServer,
  isPreparing,
  openTicket,
  type Transfer,
  ticketClosed,
} from '../resources/image-transfer/image.ts';
import type { ServerRow } from '../store/server-list.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { TicketImages } from './qemu-nbd.ts';
import { lifetimeOf, ticketFor, underWay } from './transfer-tickets.ts';

/** Milliseconds between two looks at the tickets, and with several servers. */
const lookInterval = 500;
const sharedLookInterval = 200;
/** Milliseconds that another server has to close a ticket before it is given up for that. */
const closingTime = 10_000;
const renewEvery = 60_000;
/** Milliseconds that an ended transfer stays readable, after success and after failure. */
const keepSuccess = 15 * 60_000;
const keepFailure = 30 * 60_000;

interface Known {
  active: boolean;
  transferred: number;
  renewed: number;
  /** When others were last told, and the last time somebody asked others for more time. */
  told: number;
  extended: number;
}

export interface TicketSettings {
  readonly daemon: ImageDaemon;
  /** Where clients reach it: `https://HOST:PORT`. */
  readonly url: string;
  /** Id of this server among several; undefined where it is alone. */
  readonly server: string | undefined;
  readonly images: TicketImages;
  /** Service time in milliseconds. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export class TicketManager implements Tickets {
  readonly url: string;
  readonly server: string | undefined;
  readonly #daemon: ImageDaemon;
  readonly #images: TicketImages;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #purged = 0;
  #place: { store: Store; site: Site } | undefined;

  constructor({ daemon, url, server, images, now, report }: TicketSettings) {
    this.#daemon = daemon;
    this.url = url;
    this.server = server;
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
      await this.#daemon.add(ticketFor(ticket, opened, this.#lifetime));
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
    const { store, site } = this.#placed();
    const ctx = await store.write((tx) => {
      const context = RuleContext.system(tx, site);
      work(context);
      return context;
    });
    for (const effect of ctx.afterCommit) await effect();
  }

  #placed(): { store: Store; site: Site } {
    if (!this.#place) throw new Error('No ticket manager is running.');
    return this.#place;
  }

  #know(id: string): void {
    const before = this.#known.get(id)?.transferred ?? 0;
    this.#known.set(id, {
      active: false,
      transferred: before,
      renewed: this.#now(),
      told: 0,
      extended: 0,
    });
  }

  get #lifetime(): number {
    return lifetimeOf(this.server !== undefined);
  }

  async close(id: string): Promise<void> {
    if (this.server === undefined || this.#known.has(id)) await this.#closeOwn(id);
    else await this.#closedElsewhere(id);
  }

  /** Waits until the server that has a ticket has seen that it is not needed any more. */
  async #closedElsewhere(id: string): Promise<void> {
    const { store } = this.#placed();
    const until = this.#now() + closingTime;
    const isOpen = () =>
      store.read((tx) => {
        const server = tx.list('image_transfer').find(({ ticket }) => ticket === id)?.server;
        // A ticket of this one that it does not know was of a state that was loaded.
        const isOther = server !== undefined && server !== this.server;
        return isOther && tx.servers.imagesOf(server) !== undefined;
      });
    while (isOpen()) {
      if (this.#now() > until) {
        throw new StoreError(`Ticket ${id} is still open on another server.`);
      }
      await wait(sharedLookInterval / 4);
    }
  }

  async #closeOwn(id: string): Promise<void> {
    let transferred = this.#known.get(id)?.transferred ?? 0;
    try {
      const last = await this.#daemon.remove(id);
      transferred = Math.max(transferred, last?.transferred ?? 0);
    } finally {
      await this.#images.close(id);
    }
    this.#known.delete(id);
    if (transferred === 0 && this.server === undefined) return;
    await this.#change((ctx) => ticketClosed(ctx, id, transferred));
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

  /**
   * Begins to watch; the daemon was started with these tickets already, which are all that there are.
   * Undefined where other servers have some.
   */
  async begin(store: Store, site: Site, open: readonly Ticket[] | undefined): Promise<void> {
    for (const { id } of open ?? []) this.#know(id);
    this.#place = { store, site };
    if (open) await this.#adopt();
    const interval = this.server === undefined ? lookInterval : sharedLookInterval;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#round(store)
        .catch(this.#report)
        .finally(() => {
          this.#looking = undefined;
        });
    }, interval);
    this.#timer.unref();
  }

  /** Makes the transfers under way those of this server; those without a ticket have lost it. */
  async #adopt(): Promise<void> {
    await this.#change((ctx) => {
      for (const transfer of ctx.tx.list('image_transfer', { condition: underWay })) {
        if (isPreparing(transfer)) continue;
        if (this.#known.has(transfer.ticket ?? '')) {
          const here = atThisServer(ctx, transfer);
          if (here !== transfer) ctx.tx.update('image_transfer', here);
        } else ticketLost(ctx, transfer);
      }
    });
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #round(store: Store): Promise<void> {
    const { transfers, servers } = store.read((tx) => ({
      transfers: tx.list('image_transfer', { condition: underWay }),
      servers: this.server === undefined ? [] : tx.servers.all(),
    }));
    for (const transfer of transfers) {
      if (!this.#isHere(transfer)) continue;
      const idle = transfer.ticket ? await this.#look(transfer.ticket) : undefined;
      const limit = transfer.inactivity_timeout ?? 0;
      if (idle === undefined || limit === 0 || idle <= limit) continue;
      await this.#change((ctx) => timedOut(ctx, transfer));
    }
    if (this.server !== undefined) await this.#share(transfers, servers);
    await this.#purge(store);
  }

  /** Reads the state of a ticket; returns the seconds since it was used. */
  async #look(id: string): Promise<number | undefined> {
    const known = this.#known.get(id);
    const state = await this.#daemon.state(id);
    if (!known || !state) return undefined;
    known.active = state.active;
    known.transferred = Math.max(known.transferred, state.transferred);
    const interval = this.server === undefined ? renewEvery : signInterval;
    if (this.#now() - known.renewed > interval) {
      await this.#daemon.extend(id, this.#lifetime);
      known.renewed = this.#now();
    }
    return state.idle;
  }

  #isHere({ server }: Transfer): boolean {
    return this.server === undefined || server === undefined || server === this.server;
  }

  /** What several servers do for each other: closes what others have ended, and takes over from who is gone. */
  async #share(transfers: readonly Transfer[], servers: readonly ServerRow[]): Promise<void> {
    for (const [id, known] of this.#known) {
      const transfer = this.#underWayWith(id);
      if (!transfer || !this.#isHere(transfer)) await this.#closeOwn(id);
      else if ((transfer.extended ?? 0) > known.extended) {
        known.extended = transfer.extended ?? 0;
        await this.touch(id);
      } else await this.#tell(transfer, known);
    }
    const living = new Set(servers.map(({ id }) => id));
    const isOrphan = ({ server }: Transfer) => server !== undefined && !living.has(server);
    for (const transfer of transfers) {
      if (isOrphan(transfer) && !isPreparing(transfer)) await this.#takeOver(transfer);
    }
  }

  /** The transfer that a ticket is for, as it is now, unless it has ended. */
  #underWayWith(ticket: string): Transfer | undefined {
    return this.#placed().store.read((tx) =>
      tx.list('image_transfer', { condition: underWay }).find((one) => one.ticket === ticket),
    );
  }

  /** Others show what has been moved. */
  async #tell(transfer: Transfer, known: Known): Promise<void> {
    const { active, transferred } = known;
    if (transfer.active === active && (transfer.transferred ?? 0) >= transferred) return;
    if (this.#now() - known.told < signInterval) return;
    known.told = this.#now();
    await this.#change((ctx) => {
      const current = ctx.tx.get('image_transfer', transfer.id ?? '');
      if (current?.server !== this.server || current?.phase !== transfer.phase) return;
      ctx.tx.update('image_transfer', { ...current, active, transferred });
    });
  }

  /** Goes on with a transfer of a server that is gone; one of the others does. */
  async #takeOver({ id = '' }: Transfer): Promise<void> {
    await this.#change((ctx) => {
      const transfer = ctx.tx.get('image_transfer', id);
      if (transfer?.server === undefined || ctx.tx.servers.imagesOf(transfer.server)) return;
      const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
      if (disk) ctx.tx.update('image_transfer', openTicket(ctx, transfer, disk));
      else ticketLost(ctx, transfer);
    });
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
