/** Upload of an image into a new or an existing disk. */
import { randomUUID } from 'node:crypto';

import type { ApiObject } from '../client/client.ts';
import { DryRunStop } from '../client/dry-run.ts';
import {
  ConflictError,
  ConnectionError,
  InterruptedError,
  ServerError,
  WaitTimeoutError,
} from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { fastestAlgorithm } from './checksum-algorithm.ts';
import { requireFormat } from './image-format.ts';
import { Journal, type JournalHeader } from './journal.ts';
import type { NewDisk } from './new-disk.ts';
import type { ParallelCopy } from './parallel-copy.ts';
import { ProgressReporter, type TransferOptions } from './progress.ts';
import { prepareSending } from './send-blocks.ts';
import {
  newDiskSize,
  requireFitsDisk,
  requireFitsDomain,
  requirePlausibleQcow2Size,
  requireRoomOnDisk,
} from './size-checks.ts';
import type { Source } from './source.ts';
import { diskName, TransferApi } from './transfer-api.ts';
import {
  isTransient,
  TransferAborted,
  type TransferRemainder,
  tryCancel,
  tryPause,
  tryRemoveDisk,
} from './transfer-error.ts';
import { TransferSession } from './transfer-session.ts';
import { verifyUpload } from './verify.ts';

export interface UploadOptions extends TransferOptions {
  readonly source: Source;
  /** Takes the file for this, whatever is in it. */
  readonly format?: DiskFormat;
  /** Where it goes: a new disk, an existing one, or on with what a journal tells. */
  readonly into:
    | { readonly add: NewDisk }
    | {
        readonly disk: ApiObject;
        /**
         * The image is what the machine is to see, whatever the format of the disk. `zeroed`: all that was
         * never written reads as zeros.
         */
        readonly guestData?: { readonly zeroed: boolean };
      }
    | { readonly resume: Journal };
  /** Nobody will go on with what was interrupted: nothing of it is left. */
  readonly discardPartial?: boolean;
}

/**
 * Uploads, and returns the disk as it is then. Throws `TransferAborted` when something was begun and could
 * not be finished; everything else means that nothing was changed.
 */
export async function upload(options: UploadOptions): Promise<ApiObject> {
  const upload = new Upload(options);
  try {
    return await upload.run();
  } catch (error) {
    throw await upload.leave(error);
  }
}

/** Whether the service has answered a request that failed. */
function isAnswered(error: unknown): boolean {
  const unanswered = [ConnectionError, InterruptedError, ServerError, WaitTimeoutError];
  return !unanswered.some((kind) => error instanceof kind);
}

class Upload {
  readonly #options: UploadOptions;
  readonly #api: TransferApi;
  readonly #progress: ProgressReporter;
  #journal: Journal | undefined;
  #session: TransferSession | undefined;
  /** The disk that was made. */
  #made: string | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#api = new TransferApi(options.client, options.signal);
    this.#progress = new ProgressReporter(options.onEvent);
  }

  async run(): Promise<ApiObject> {
    const { into } = this.#options;
    this.#progress.enterPhase('preparing');
    const journal = await this.#openJournal();
    this.#journal = journal;
    const { disk, format, created } = journal.header;
    if (created) this.#options.client.own(disk);
    const resumed = 'resume' in into;
    if (resumed) {
      const completed = await this.#completedEarlier(journal);
      if (completed) return completed;
    }
    let copy: ParallelCopy | undefined;
    const session = new TransferSession({
      ...this.#options,
      api: this.#api,
      direction: 'upload',
      disk,
      format,
      journal,
      onConnectionLost: () => copy?.connectionLost(),
    });
    this.#session = session;
    const { image, capabilities } = await session.open();
    if (journal.header.hashed) journal.hashBy(await fastestAlgorithm(image, capabilities));
    this.#progress.enterPhase('copying', journal.header.size);
    copy = prepareSending({
      ...this.#options,
      image,
      capabilities,
      journal,
      progress: this.#progress,
    });
    try {
      await copy.run();
    } catch (error) {
      session.stop();
      throw error;
    }
    await this.#options.source.requireUnchanged();
    if (this.#options.verify && journal.header.hashed) {
      this.#progress.enterPhase('verifying');
      if (!(await verifyUpload({ image, capabilities, journal }, this.#options.source))) {
        this.#options.onNote?.(
          'the image daemon does not support checksums; the stored image was not verified',
        );
      }
    }
    this.#progress.enterPhase('finalizing');
    session.stop();
    await this.#api.finalize(session.id);
    return await this.#finish(journal);
  }

  /** The upload whose end an earlier run did not live to see, if that is how it is. */
  async #completedEarlier(journal: Journal): Promise<ApiObject | undefined> {
    const { transfer } = journal;
    const phase = transfer && String((await this.#api.transfer(transfer))?.['phase']);
    if (!transfer || (phase !== 'finished_success' && phase !== 'finalizing_success')) {
      return undefined;
    }
    await this.#api.waitUntilFinished(transfer);
    return await this.#finish(journal);
  }

  async #finish(journal: Journal): Promise<ApiObject> {
    const disk = await this.#api.waitForDisk(journal.header.disk);
    if (disk['status'] !== 'ok') {
      throw new ConflictError(
        `the service refused the image: disks/${journal.header.disk} is ${String(disk['status'])}`,
        { code: 'transfer_failed', hint: 'vmctl events list' },
      );
    }
    journal.remove(this.#options.onNote);
    this.#progress.enterPhase('done');
    return disk;
  }

  /** Makes or finds the disk, and begins the journal; or takes up the one there is. */
  async #openJournal(): Promise<Journal> {
    const { source, into, server, journals } = this.#options;
    if ('resume' in into) return await this.#takeUp(into.resume);
    const format = requireFormat(source.content, this.#options.format, source.path);
    const virtual = format === 'cow' ? source.content.virtualSize : source.size;
    if (format === 'cow') requirePlausibleQcow2Size(source);
    const isWritten = source.repeatable && !this.#options.client.http.isDryRun;
    const begin = (disk: ApiObject): Journal => {
      const header: JournalHeader = {
        version: 1,
        direction: 'upload',
        server,
        disk: String(disk['id']),
        name: diskName(disk),
        file: source.path,
        identity: source.identity,
        format,
        size: format === 'raw' ? Number(disk['provisioned_size'] ?? virtual) : source.size,
        created: 'add' in into,
        zeroed: 'add' in into ? !into.add.onBlockStorage : into.guestData?.zeroed === true,
        hashed: this.#options.verify,
      };
      const journal = isWritten ? Journal.create(journals, header) : Journal.inMemory(header);
      journal.claim();
      return journal;
    };
    if ('disk' in into) {
      if (into.guestData) requireRoomOnDisk(into.disk, virtual);
      else requireFitsDisk(into.disk, format, virtual);
      return begin(into.disk);
    }
    const size = newDiskSize(into.add, format, virtual);
    const shortage = requireFitsDomain(into.add, format, source, size);
    if (shortage !== undefined) this.#options.onNote?.(shortage);
    if (!isWritten) return begin(await this.#addDisk(into.add, format, size));
    // The journal is written first: a process that ends at any time leaves no empty disk that looks complete.
    const id = randomUUID();
    const planned = begin({ id, name: into.add.name, provisioned_size: size });
    const disk = await this.#addDisk(into.add, format, size, id).catch((error: unknown) => {
      // Without an answer the disk may be there: the next run finds out.
      if (this.#made !== undefined) this.#journal = planned;
      else if (isAnswered(error)) planned.remove(this.#options.onNote);
      else planned.close();
      throw error;
    });
    planned.close();
    const journal = begin(disk);
    // A service that chooses ids by itself.
    if (journal.path !== planned.path) planned.remove(this.#options.onNote);
    return journal;
  }

  /** @param id intended id of the disk; services that do not support it choose another one */
  async #addDisk(
    wanted: NewDisk,
    format: DiskFormat,
    size: number,
    id?: string,
  ): Promise<ApiObject> {
    const added = await this.#api.createDisk({
      ...(id === undefined ? {} : { id }),
      name: wanted.name,
      ...(wanted.description === undefined ? {} : { description: wanted.description }),
      format,
      // Block storage has no thin raw disks.
      sparse: !(wanted.preallocated || (wanted.onBlockStorage && format === 'raw')),
      provisioned_size: size,
      storage_domains: [{ id: wanted.storageDomain }],
    });
    this.#made = String(added['id']);
    const disk = await this.#api.waitForDisk(this.#made);
    if (disk['status'] === 'ok') return disk;
    throw new ConflictError(`new disk ${wanted.name} is ${String(disk['status'])}`, {
      code: 'transfer_failed',
      hint: 'vmctl events list',
    });
  }

  async #takeUp(journal: Journal): Promise<Journal> {
    journal.refuseIfInUse();
    if (this.#options.client.http.isDryRun) journal.detach();
    if (!(await this.#api.disk(journal.header.disk))) {
      journal.remove(this.#options.onNote);
      throw new ConflictError(`disks/${journal.header.disk} was deleted with its uploaded data`, {
        code: 'disk_gone',
        hint: 'remove --resume',
      });
    }
    const { header, transfer } = journal;
    if (!header.created || transfer !== undefined || this.#options.client.http.isDryRun) {
      return journal;
    }
    // The earlier run ended while it created the disk, whose size it did not know yet.
    const disk = await this.#api.waitForDisk(header.disk);
    journal.close();
    const size = header.format === 'raw' ? Number(disk['provisioned_size']) : header.size;
    return Journal.create(this.#options.journals, { ...header, size });
  }

  /** Puts things in order after a failure. */
  async leave(error: unknown): Promise<unknown> {
    this.#session?.stop();
    const journal = this.#journal;
    const api = this.#api;
    const disk = this.#made ?? journal?.header.disk;
    if (disk === undefined) return error;
    if (error instanceof DryRunStop) {
      journal?.close();
      return error;
    }
    const transfer = this.#session?.startedId;
    const resumed = 'resume' in this.#options.into;
    const created = journal?.header.created ?? true;
    if (transfer === undefined && (resumed || !created)) {
      if (resumed) journal?.close();
      else journal?.remove(this.#options.onNote);
      return error;
    }
    // Somebody who interrupts before anything was sent has changed their mind.
    const began = resumed || this.#progress.transferred > 0 || !(error instanceof InterruptedError);
    const { repeatable } = this.#options.source;
    const isWorthKeeping = began && repeatable && this.#options.discardPartial !== true;
    if (journal && transfer !== undefined && isWorthKeeping && isTransient(error)) {
      const paused = await tryPause(api, transfer);
      journal.close();
      return new TransferAborted(error, { resumable: true, disk, transfer, paused });
    }
    const cancelled = transfer === undefined || (await tryCancel(api, transfer, disk));
    const remainder: TransferRemainder = {
      resumable: false,
      disk,
      ...(transfer === undefined ? {} : { transfer }),
      ...(cancelled ? {} : { notNotified: true }),
      ...(repeatable ? {} : { notRepeatable: true }),
      ...(created ? { diskRemoved: await tryRemoveDisk(api, disk) } : { diskCorrupted: true }),
    };
    journal?.remove(this.#options.onNote);
    return new TransferAborted(error, remainder);
  }
}
