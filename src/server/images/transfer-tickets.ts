/** Image daemon tickets of the transfers in the store. */
import type { Ticket } from '../../images/index.ts';
import type { TransferTicket } from '../core/ports.ts';
import {
  createTransferTicket,
  getTransferFile,
  isPreparing,
} from '../resources/image-transfer/image.ts';
import { oneOf } from '../store/conditions.ts';
import type { Store } from '../store/store.ts';
import type { DiskFiles } from './disk-files.ts';
import type { OpenedImage, TicketImages } from './qemu-nbd.ts';

/** Condition of the transfers with a ticket, or about to have one. */
export const activeTransfers = oneOf('phase', ['initializing', 'transferring', 'resuming']);

interface ReopenSettings {
  readonly images: TicketImages;
  readonly files: DiskFiles;
  /** Seconds for which an unused ticket is valid. */
  readonly lifetime: number;
  readonly report: (error: unknown) => void;
}

/**
 * Tickets of the transfers that were active when the server stopped. Reports and omits tickets
 * whose image cannot be opened; `begin` stops their transfers.
 */
export async function reopenTickets(
  store: Store,
  { images, files, lifetime, report }: ReopenSettings,
): Promise<Ticket[]> {
  const open = store.read((tx) =>
    tx.list('image_transfer', { condition: activeTransfers }).map((transfer) => ({
      transfer,
      disk: tx.get('disk', transfer.disk?.id ?? ''),
    })),
  );
  const tickets: Ticket[] = [];
  for (const { transfer, disk } of open) {
    // An interrupted preparation restarts, and then opens its ticket.
    if (!disk?.id || isPreparing(transfer)) continue;
    const { length } = files.sizes(getTransferFile(transfer, disk));
    const ticket = createTransferTicket(length, transfer, disk);
    try {
      tickets.push(createDaemonTicket(ticket, await images.open(ticket), lifetime));
    } catch (error) {
      report(error);
    }
  }
  return tickets;
}

/** The ticket of a transfer in the form of the daemon; `lifetime` in seconds. */
export function createDaemonTicket(
  ticket: TransferTicket,
  opened: OpenedImage,
  lifetime: number,
): Ticket {
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
