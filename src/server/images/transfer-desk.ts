/** Between transfers and the image daemon: opens tickets, watches what they move, ends idle ones. */
import type { ImageDaemon, Ticket } from '../../images/index.ts';
import { RuleContext, type Site, type Tickets, type TransferTicket } from '../rules/context.ts';
import { fileOf, isPreparing, type Transfer, ticketOf } from '../rules/image-transfer/image.ts';
import { timedOut } from '../rules/image-transfer/rules.ts';
import type { Store } from '../store/store.ts';
import type { DiskFiles } from './disk-files.ts';

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

export class TransferDesk implements Tickets {
  readonly url: string;
  readonly #daemon: ImageDaemon;
  readonly #files: DiskFiles;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #purged = 0;

  constructor(
    daemon: ImageDaemon,
    url: string,
    files: DiskFiles,
    now: () => number,
    report: (error: unknown) => void,
  ) {
    this.#daemon = daemon;
    this.url = url;
    this.#files = files;
    this.#now = now;
    this.#report = report;
  }

  async open(ticket: TransferTicket): Promise<void> {
    await this.#daemon.add(ticketFor(this.#files, ticket));
    this.#know(ticket.id);
  }

  #know(id: string): void {
    const before = this.#known.get(id)?.transferred ?? 0;
    this.#known.set(id, { active: false, transferred: before, renewed: this.#now() });
  }

  async close(id: string): Promise<void> {
    await this.#look(id);
    await this.#daemon.remove(id);
    this.#known.delete(id);
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
  begin(store: Store, site: Site, open: readonly Ticket[]): void {
    for (const { id } of open) this.#know(id);
    this.#timer = setInterval(() => {
      this.#looking ??= this.#round(store, site)
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

  async #round(store: Store, site: Site): Promise<void> {
    const transfers = store.read((tx) => tx.list('image_transfer', { condition: underWay }));
    for (const transfer of transfers as Transfer[]) {
      const idle = transfer.ticket ? await this.#look(transfer.ticket) : undefined;
      const limit = transfer.inactivity_timeout ?? 0;
      if (idle === undefined || limit === 0 || idle <= limit) continue;
      const ctx = await store.write((tx) => {
        const context = RuleContext.system(tx, site);
        timedOut(context, transfer);
        return context;
      });
      for (const effect of ctx.afterCommit) await effect();
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
      .read((tx) => tx.list('image_transfer') as Transfer[])
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

/** Tickets of the transfers that were under way when the server ended. */
export function ticketsUnderWay(store: Store, files: DiskFiles): Ticket[] {
  const open = store.read((tx) =>
    (tx.list('image_transfer', { condition: underWay }) as Transfer[]).map((transfer) => ({
      transfer,
      disk: tx.get('disk', transfer.disk?.id ?? ''),
    })),
  );
  return open.flatMap(({ transfer, disk }) => {
    // A file that was being prepared is prepared again, and opened then.
    const preparing = isPreparing(transfer);
    if (!disk?.id || preparing) return [];
    const { length } = files.sizes(fileOf(transfer, disk));
    return [ticketFor(files, ticketOf(length, transfer, disk))];
  });
}

/** The ticket of a transfer, as the daemon knows it; the file of the disk is there. */
function ticketFor(files: DiskFiles, ticket: TransferTicket): Ticket {
  files.ensure(ticket.diskId, ticket.length);
  return {
    id: ticket.id,
    size: ticket.size,
    ops: [ticket.direction === 'upload' ? 'write' : 'read'],
    image: { kind: 'file', path: files.path(ticket.diskId) },
    timeout: ticketLifetime,
    inactivityTimeout: ticket.inactivityTimeout,
    sparse: ticket.sparse,
    ...(ticket.filename === undefined ? {} : { filename: ticket.filename }),
  };
}

const underWay = {
  sql: "phase IN ('initializing', 'transferring', 'resuming')",
  values: [],
};
