/** Uploads a local image into a new or an existing disk. */
import type { Client, Thing } from '../client/client.ts';
import { ConflictError, InterruptedError, UsageError, VmctlError } from '../client/errors.ts';
import { BLOCK, blockCount, blockRange } from './blocks.ts';
import { ALGORITHM, checksumQuery, hashOf } from './checksum.ts';
import { Control } from './control.ts';
import type { Copy } from './copy.ts';
import type { Capabilities } from './daemon.ts';
import {
  cancelQuietly,
  type Leftover,
  mayPass,
  pauseQuietly,
  removeQuietly,
  Stopped,
} from './ending.ts';
import { type Listener, Meter } from './events.ts';
import { type DiskFormat, requireFormat } from './image-format.ts';
import { Journal } from './journal.ts';
import { prepareSending } from './send.ts';
import type { SourceFile } from './source-file.ts';
import { Ticket } from './ticket.ts';

/** What all transfers need. */
export interface TransferOptions {
  readonly client: Client;
  /** Address of the service, as the journal names it. */
  readonly server: string;
  /** Folder of the journals. */
  readonly journals: string;
  /** Connections at a time; the daemon may want fewer. */
  readonly parallel: number;
  /** Compare checksums when everything has been moved. */
  readonly verify: boolean;
  /** Repetitions of a request that failed for a reason that may pass. */
  readonly retries: number;
  readonly signal: AbortSignal;
  readonly onEvent?: Listener;
  /** Told in words what the user should know although nothing failed. */
  readonly onNote?: (note: string) => void;
}

/** A disk to be made. */
export interface NewDisk {
  readonly name: string;
  readonly description?: string;
  readonly storageDomain: string;
  /** The domain hands out blocks instead of files: what is not written may be anything. */
  readonly onBlocks: boolean;
}

export interface UploadOptions extends TransferOptions {
  readonly source: SourceFile;
  /** Takes the file for this, whatever is in it. */
  readonly format?: DiskFormat;
  /** Where it goes: a new disk, an existing one, or on with what a journal tells. */
  readonly into:
    | { readonly add: NewDisk }
    | { readonly disk: Thing }
    | { readonly resume: Journal };
}

/** Sectors that disks are made of. */
const SECTOR = 512;

/**
 * Uploads, and returns the disk as it is then. Throws `Stopped` when something was begun and could
 * not be finished; everything else means that nothing was changed.
 */
export async function upload(options: UploadOptions): Promise<Thing> {
  const upload = new Upload(options);
  try {
    return await upload.run();
  } catch (error) {
    throw await upload.leave(error);
  }
}

class Upload {
  readonly #options: UploadOptions;
  readonly #control: Control;
  readonly #meter: Meter;
  #journal: Journal | undefined;
  #ticket: Ticket | undefined;
  /** The disk that was made, until the journal knows it. */
  #made: string | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#control = new Control(options.client, options.signal);
    this.#meter = new Meter(options.onEvent);
  }

  async run(): Promise<Thing> {
    const { into } = this.#options;
    this.#meter.enter('preparing');
    const journal = await this.#openJournal();
    this.#journal = journal;
    const { disk, format } = journal.header;
    const resumed = 'resume' in into;
    if (resumed) {
      const over = await this.#finishedBefore(journal);
      if (over) return over;
    }
    let copy: Copy | undefined;
    const ticket = new Ticket({
      ...this.#options,
      control: this.#control,
      direction: 'upload',
      disk,
      format,
      journal,
      onLost: () => copy?.lost(),
    });
    this.#ticket = ticket;
    const { image, capabilities } = await ticket.open();
    this.#meter.enter('copying', journal.header.size);
    copy = prepareSending({
      ...this.#options,
      image,
      capabilities,
      journal,
      meter: this.#meter,
    });
    try {
      await copy.run();
    } catch (error) {
      ticket.stop();
      throw error;
    }
    await this.#options.source.requireUnchanged();
    if (this.#options.verify && journal.header.hashed) {
      await this.#verify(journal, ticket, capabilities);
    }
    this.#meter.enter('finalizing');
    await this.#control.finalize(ticket.id);
    return await this.#finish(journal);
  }

  /** The upload whose end an earlier run did not live to see, if that is how it is. */
  async #finishedBefore(journal: Journal): Promise<Thing | undefined> {
    const { transfer } = journal;
    const phase = transfer && String((await this.#control.transfer(transfer))?.['phase']);
    if (!transfer || (phase !== 'finished_success' && phase !== 'finalizing_success')) {
      return undefined;
    }
    await this.#control.ended(transfer);
    return await this.#finish(journal);
  }

  async #finish(journal: Journal): Promise<Thing> {
    const disk = await this.#control.diskAtRest(journal.header.disk);
    if (disk['status'] !== 'ok') {
      throw new ConflictError(
        `the service did not accept the image: disks/${journal.header.disk} is ${String(disk['status'])}`,
        { code: 'transfer_failed', hint: 'vmctl events list shows what happened' },
      );
    }
    journal.remove();
    this.#meter.enter('done');
    return disk;
  }

  /** Makes or finds the disk, and begins the journal; or takes up the one there is. */
  async #openJournal(): Promise<Journal> {
    const { source, into, server, journals } = this.#options;
    if ('resume' in into) return await this.#takeUp(into.resume);
    const format = requireFormat(source.content, this.#options.format, source.path);
    const virtual = format === 'cow' ? source.content.virtualSize : source.size;
    if (format === 'cow') requireSound(source);
    let disk: Thing;
    if ('add' in into) {
      disk = await this.#addDisk(into.add, format, roundUp(virtual, SECTOR));
    } else {
      disk = into.disk;
      requireFit(disk, format, virtual);
    }
    const created = 'add' in into;
    const provisioned = Number(disk['provisioned_size'] ?? virtual);
    return Journal.create(journals, {
      version: 1,
      direction: 'upload',
      server,
      disk: String(disk['id']),
      name: String(disk['alias'] ?? disk['name'] ?? disk['id']),
      file: source.path,
      identity: source.identity,
      format,
      size: format === 'raw' ? provisioned : source.size,
      created,
      zeroed: created && !into.add.onBlocks,
      hashed: this.#options.verify,
    });
  }

  async #addDisk(wanted: NewDisk, format: DiskFormat, size: number): Promise<Thing> {
    const added = await this.#control.createDisk({
      name: wanted.name,
      ...(wanted.description === undefined ? {} : { description: wanted.description }),
      format,
      // Block storage has no thin raw disks.
      sparse: !(wanted.onBlocks && format === 'raw'),
      provisioned_size: size,
      storage_domains: [{ id: wanted.storageDomain }],
    });
    this.#made = String(added['id']);
    const disk = await this.#control.diskAtRest(this.#made);
    if (disk['status'] === 'ok') return disk;
    throw new ConflictError(`the new disk ${wanted.name} is ${String(disk['status'])}`, {
      code: 'transfer_failed',
      hint: 'vmctl events list shows what happened',
    });
  }

  async #takeUp(journal: Journal): Promise<Journal> {
    journal.refuseIfInUse();
    if (!(await this.#control.disk(journal.header.disk))) {
      journal.remove();
      throw new ConflictError(
        `disks/${journal.header.disk} is gone, and what was uploaded to it as well`,
        { code: 'disk_gone', hint: 'run the command without --resume' },
      );
    }
    return journal;
  }

  /** Compares what the daemon stored with what was read. */
  async #verify(journal: Journal, ticket: Ticket, { features }: Capabilities): Promise<void> {
    const { onNote, source } = this.#options;
    this.#meter.enter('verifying');
    const theirs = features.has('checksum')
      ? await ticket.image.checksum(checksumQuery)
      : undefined;
    if (theirs === undefined) {
      onNote?.('the image daemon makes no checksums: what it stored was not verified');
      return;
    }
    const planned = journal.header.size;
    const size = features.has('extents') ? (await ticket.image.layout()).size : planned;
    const ours = await imageChecksum(journal, source, size);
    if (ours === theirs) return;
    throw new VmctlError(
      `the stored image differs from ${source.path}: its checksum (${ALGORITHM}) is ${theirs} instead of ${ours}`,
      {
        code: 'checksum_mismatch',
        hint: 'upload it again; if it happens again, check the storage',
      },
    );
  }

  /** Puts things in order after a failure. */
  async leave(error: unknown): Promise<unknown> {
    this.#ticket?.stop();
    const journal = this.#journal;
    const control = this.#control;
    const disk = journal?.header.disk ?? this.#made;
    if (disk === undefined) return error;
    const transfer = this.#ticket?.begun;
    const resumed = 'resume' in this.#options.into;
    const created = journal?.header.created ?? true;
    if (transfer === undefined && (resumed || !created)) {
      if (resumed) journal?.close();
      else journal?.remove();
      return error;
    }
    // Somebody who interrupts before anything was sent has changed their mind.
    const began = resumed || this.#meter.transferred > 0 || !(error instanceof InterruptedError);
    if (journal && transfer !== undefined && began && mayPass(error)) {
      const paused = await pauseQuietly(control, transfer);
      journal.close();
      return new Stopped(error, { resumable: true, disk, transfer, paused });
    }
    if (transfer !== undefined) await cancelQuietly(control, transfer, disk);
    const left: Leftover = {
      resumable: false,
      disk,
      ...(transfer === undefined ? {} : { transfer }),
      ...(created ? { diskRemoved: await removeQuietly(control, disk) } : { diskSpoilt: true }),
    };
    journal?.remove();
    return new Stopped(error, left);
  }
}

/** The checksum of the source as an image of `size` bytes, from the hashes made while sending. */
async function imageChecksum(journal: Journal, source: SourceFile, size: number): Promise<string> {
  const planned = journal.header.size;
  if (size !== planned) {
    // The block in which the shorter of both ends was hashed with another length.
    const block = Math.floor(Math.min(size, planned) / BLOCK);
    if (block < blockCount(size)) {
      const range = blockRange(block, size);
      const bytes = Buffer.alloc(range.end - range.start);
      await source.read(range, bytes);
      journal.hashes.set(block, await hashOf(bytes));
    }
  }
  return journal.hashes.checksum(size, (block) => blockRange(block, size));
}

function roundUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}

/** Throws when a qcow2 file is larger than services let such a disk become. */
function requireSound({ path, size, content: { virtualSize } }: SourceFile): void {
  const limit = Math.ceil(virtualSize * 1.1) + 2 ** 20;
  if (size <= limit) return;
  throw new UsageError(
    `${path} has ${size} bytes, but a qcow2 disk of ${virtualSize} bytes has room for ${limit}`,
    {
      code: 'too_large',
      hint: 'it may hold internal snapshots; qemu-img convert -O qcow2 leaves them out',
    },
  );
}

/** Throws unless an existing disk can take the image. */
function requireFit(disk: Thing, format: DiskFormat, virtual: number): void {
  const name = String(disk['alias'] ?? disk['name'] ?? disk['id']);
  if (disk['format'] !== format) {
    throw new UsageError(
      `the disk ${name} is ${String(disk['format'])}, but the file is ${format}`,
      {
        code: 'wrong_format',
        hint: 'upload it into a disk of the same format, or convert it first',
      },
    );
  }
  const room = Number(disk['provisioned_size'] ?? 0);
  if (virtual > room) {
    throw new UsageError(
      `the image has ${virtual} bytes, ${virtual - room} more than the disk ${name} (${room})`,
      { code: 'too_large', hint: 'upload it into a new disk, or make the disk larger' },
    );
  }
}
