/**
 * Image transfers on several servers. Each ticket is at the image daemon of one server, and the
 * others take over the transfers of a stopped server.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { RuleContext } from '../../server/core/context.ts';
import type { OwnTickets, TransferCoordination } from '../../server/core/coordination.ts';
import { activeTransfers } from '../../server/images/transfer-tickets.ts';
import { handleLostTicket } from '../../server/resources/image-transfer/behavior.ts';
import {
  isPreparing,
  openTicket,
  type Transfer,
} from '../../server/resources/image-transfer/image.ts';
import { StoreError } from '../../server/store/store.ts';
import type { Transaction } from '../../server/store/transaction.ts';
import { heartbeatIntervalMs, heartbeatTimeoutMs } from './heartbeat.ts';
import { findImagesUrl, listServers } from './server-list.ts';
import type { PostgresStore } from './store.ts';

/** Milliseconds that another server has to close a ticket. */
const closingTime = 10_000;

/** Milliseconds between two checks of a ticket that another server closes. */
const closingInterval = 50;

interface Exchange {
  /** Time of the last published progress, in milliseconds. */
  published: number;
  /** Last extension by another server. */
  extended: number;
}

export class SharedTransfers implements TransferCoordination {
  /** A silent server loses its tickets to the others after this time. */
  readonly ticketLifetime = heartbeatTimeoutMs / 1_000;
  readonly renewIntervalMs = heartbeatIntervalMs;
  readonly checkIntervalMs = 200;
  readonly #store: PostgresStore;
  /** Id of this server. */
  readonly #id: string;
  /** Exchanged state by open ticket. */
  readonly #exchanges = new Map<string, Exchange>();

  constructor(store: PostgresStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  assign(transfer: Transfer): Transfer {
    return { ...transfer, server: this.#id };
  }

  isHere({ server }: Transfer): boolean {
    return server === undefined || server === this.#id;
  }

  findDaemonUrl(tx: Transaction, { server }: Transfer): string | undefined {
    return server === undefined ? undefined : findImagesUrl(tx, server);
  }

  async waitUntilClosed(ticket: string): Promise<boolean> {
    const until = performance.now() + closingTime;
    const isOpen = () =>
      this.#store.read((tx) => {
        const transfer = tx.list('image_transfer').find((one) => one.ticket === ticket);
        // An unknown ticket of this server comes from a loaded state.
        if (!transfer || this.isHere(transfer)) return false;
        return this.findDaemonUrl(tx, transfer) !== undefined;
      });
    while (isOpen()) {
      if (performance.now() > until) {
        throw new StoreError(`Ticket ${ticket} is still open on another server.`);
      }
      await wait(closingInterval);
    }
    return true;
  }

  release(ticket: string): (ctx: RuleContext) => void {
    this.#exchanges.delete(ticket);
    return ({ tx }) => {
      const transfer = tx.list('image_transfer').find((one) => one.ticket === ticket);
      if (transfer?.server !== this.#id) return;
      const { server, ...closed } = transfer;
      tx.update('image_transfer', closed);
    };
  }

  /** Closes tickets of ended transfers, and takes over transfers of stopped servers. */
  async synchronize(transfers: readonly Transfer[], tickets: OwnTickets): Promise<void> {
    for (const id of tickets.states.keys()) {
      const transfer = this.#findActive(id);
      if (!transfer || !this.isHere(transfer)) await tickets.close(id);
      else await this.#exchange(id, transfer, tickets);
    }
    const running = new Set(this.#store.read(listServers).map(({ id }) => id));
    for (const transfer of transfers) {
      const { server } = transfer;
      const isOrphan = server !== undefined && !running.has(server);
      if (isOrphan && !isPreparing(transfer)) {
        await tickets.change((ctx) => takeOver(ctx, transfer.id ?? ''));
      }
    }
  }

  /** The active transfer of a ticket; undefined after its end. */
  #findActive(ticket: string): Transfer | undefined {
    return this.#store.read((tx) =>
      tx
        .list('image_transfer', { condition: activeTransfers })
        .find((one) => one.ticket === ticket),
    );
  }

  /** Applies an extension by another server, or publishes progress for the others. */
  async #exchange(id: string, transfer: Transfer, tickets: OwnTickets): Promise<void> {
    const exchange = this.#exchanges.get(id) ?? { published: 0, extended: 0 };
    this.#exchanges.set(id, exchange);
    const { extended = 0 } = transfer;
    if (extended > exchange.extended) {
      exchange.extended = extended;
      await tickets.touch(id);
      return;
    }
    const { active, transferred } = tickets.states.get(id) ?? { active: false, transferred: 0 };
    if (transfer.active === active && (transfer.transferred ?? 0) >= transferred) return;
    const now = performance.now();
    if (now - exchange.published < heartbeatIntervalMs) return;
    exchange.published = now;
    await tickets.change(({ tx }) => {
      const current = tx.get('image_transfer', transfer.id ?? '');
      if (current?.server !== this.#id || current.phase !== transfer.phase) return;
      tx.update('image_transfer', { ...current, active, transferred });
    });
  }
}

/** Takes over a transfer of a stopped server; only one server succeeds. */
function takeOver(ctx: RuleContext, id: string): void {
  const transfer = ctx.tx.get('image_transfer', id);
  if (transfer?.server === undefined || findImagesUrl(ctx.tx, transfer.server)) return;
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk) ctx.tx.update('image_transfer', openTicket(ctx, transfer, disk));
  else handleLostTicket(ctx, transfer);
}
