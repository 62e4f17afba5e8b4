/** Tickets as the image daemon knows them, of the transfers that the store has. */
import type { Ticket } from '../../images/index.ts';
import { silenceLimit } from '../core/peers.ts';
import type { TransferTicket } from '../core/ports.ts';
import { fileOf, isPreparing, ticketOf } from '../resources/image-transfer/image.ts';
import { oneOf } from '../store/conditions.ts';
import type { Store } from '../store/store.ts';
import type { DiskFiles } from './disk-files.ts';
import type { OpenedImage, TicketImages } from './qemu-nbd.ts';

/** Seconds that a ticket of a server that is alone lives without being used or renewed. */
const lifetimeAlone = 300;

/**
 * Seconds that a ticket lives without being used or renewed. Of several servers one that is silent for longer
 * has lost its tickets to the others.
 */
export function lifetimeOf(isShared: boolean): number {
  return isShared ? silenceLimit / 1_000 : lifetimeAlone;
}

/** The transfers that have a ticket, or are about to have one. */
export const underWay = oneOf('phase', ['initializing', 'transferring', 'resuming']);

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
  const lifetime = lifetimeOf(store.isShared);
  const tickets: Ticket[] = [];
  for (const { transfer, disk } of open) {
    // What was being prepared is prepared again, and opened then.
    if (!disk?.id || isPreparing(transfer)) continue;
    const { length } = files.sizes(fileOf(transfer, disk));
    const ticket = ticketOf(length, transfer, disk);
    try {
      tickets.push(ticketFor(ticket, await images.open(ticket), lifetime));
    } catch (error) {
      report(error);
    }
  }
  return tickets;
}

/** The ticket of a transfer, as the daemon knows it; `lifetime` in seconds. */
export function ticketFor(ticket: TransferTicket, opened: OpenedImage, lifetime: number): Ticket {
  return {
    id: ticket.id,
    size: ticket.size,
    ops: [ticket.direction === 'upload' ? 'write' : 'read'],
    ...opened,
    ...(opened.changes ? { dirty: true } : {}),
    timeout: lifetime,
    inactivityTimeout: ticket.inactivityTimeout,
    sparse: ticket.sparse,
    ...(ticket.filename === undefined ? {} : { filename: ticket.filename }),
  };
}
