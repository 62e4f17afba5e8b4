/** Images of the transfers that are under way, made ready for their tickets. */
import type { Changes, ImageLocation } from '../../images/index.ts';
import type { TransferTicket } from '../core/context.ts';
import type { DiskFiles } from './disk-files.ts';
import type { QemuNbd } from './qemu-nbd.ts';

/** What a ticket gets to see. */
export interface OpenedImage {
  readonly image: ImageLocation;
  /** The dirty bitmap in which what is written is noted. */
  readonly trackingBitmap?: string;
  /** What has changed, by periods. */
  readonly changes?: readonly Changes[];
}

/** Where the images of tickets live: in files, or behind qemu-nbd where it shows what is in one. */
export class TicketImages {
  readonly #files: DiskFiles;
  readonly #qemuNbd: QemuNbd | undefined;

  constructor(files: DiskFiles, qemuNbd: QemuNbd | undefined) {
    this.#files = files;
    this.#qemuNbd = qemuNbd;
  }

  get opensQcow2(): boolean {
    return this.#qemuNbd !== undefined;
  }

  /** Makes the image ready for its ticket. Rejects where it cannot be opened. */
  async open(ticket: TransferTicket): Promise<OpenedImage> {
    const tracks = ticket.tracks && (await this.#files.toTrack(ticket.tracks));
    const changes = ticket.changes?.map((period) => {
      const path = this.#files.bitmapOf(period);
      return { size: period.size, ...(path === undefined ? {} : { path }) };
    });
    return {
      image: await this.#place(ticket),
      ...(tracks === undefined ? {} : { trackingBitmap: tracks }),
      ...(changes === undefined ? {} : { changes }),
    };
  }

  async #place(ticket: TransferTicket): Promise<ImageLocation> {
    const { id, diskId, length, size, qcow2, sparse } = ticket;
    const file = this.#files.path(diskId);
    const writable = ticket.direction === 'upload';
    if (qcow2 === undefined) {
      if (writable) await this.#files.toWrite(diskId, length);
      else await this.#files.toRead(diskId, length);
      return { kind: 'file', path: file };
    }
    if (!this.#qemuNbd) throw new Error('qemu-nbd is not installed any more.');
    if (writable) await this.#files.ensureQcow2(diskId, size, qcow2);
    return this.#qemuNbd.start(id, { file, writable, sparse });
  }

  /** The ticket is gone. Resolves when nothing has the image open for it any more. */
  async close(id: string): Promise<void> {
    await this.#qemuNbd?.stop(id);
  }
}
