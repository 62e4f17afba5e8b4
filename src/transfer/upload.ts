/** Upload of an image to a new or existing disk. */
import { randomUUID } from 'node:crypto';
import { DryRunStop } from '../client/dry-run.ts';
import {
  ConflictError,
  ConnectionError,
  InterruptedError,
  ServerError,
  WaitTimeoutError,
} from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
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
  /** Format of the file, instead of detection. */
  readonly format?: DiskFormat;
  /** Target: a new disk, an existing one, or the target in a journal. */
  readonly into:
    | { readonly add: NewDisk }
    | {
        readonly disk: Resource<'disk'>;
        /**
         * The image is the guest view, independent of the format of the disk. `zeroed`: unwritten
         * blocks are zeros.
         */
        readonly guestData?: { readonly zeroed: boolean };
      }
    | { readonly resume: Journal };
  /** Whether to remove an interrupted upload instead of pausing it. */
  readonly discardPartial?: boolean;
}

/**
 * Uploads the image. Returns the resulting disk. Throws `TransferAborted` if the transfer began and
 * failed. Other errors mean that nothing has changed.
 */
export async function upload(options: UploadOptions): Promise<Resource<'disk'>> {
  const upload = new Upload(options);
  try {
    return await upload.run();
  } catch (error) {
    throw await upload.cleanUp(error);
  }
}

/** Whether the service responded to a failed request. */
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
  /** Id of the created disk. */
  #createdDisk: string | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#api = new TransferApi(options.client, options.signal);
    this.#progress = new ProgressReporter(options.onEvent);
  }

  async run(): Promise<Resource<'disk'>> {
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

  /** Upload that an earlier run completed before it was killed, if so. */
  async #completedEarlier(journal: Journal): Promise<Resource<'disk'> | undefined> {
    const { transfer } = journal;
    const phase = transfer && String((await this.#api.transfer(transfer))?.phase);
    if (!transfer || (phase !== 'finished_success' && phase !== 'finalizing_success')) {
      return undefined;
    }
    await this.#api.waitUntilFinished(transfer);
    return await this.#finish(journal);
  }

  async #finish(journal: Journal): Promise<Resource<'disk'>> {
    const disk = await this.#api.waitForDisk(journal.header.disk);
    if (disk.status !== 'ok') {
      throw new ConflictError(
        `the service refused the image: disks/${journal.header.disk} is ${String(disk.status)}`,
        { code: 'transfer_failed', hint: 'vmctl events list' },
      );
    }
    journal.remove(this.#options.onNote);
    this.#progress.enterPhase('done');
    return disk;
  }

  /** Creates or finds the disk and its journal, or resumes an existing journal. */
  async #openJournal(): Promise<Journal> {
    const { source, into, server, journals } = this.#options;
    if ('resume' in into) return await this.#resumeJournal(into.resume);
    const format = requireFormat(source.content, this.#options.format, source.path);
    const virtual = format === 'cow' ? source.content.virtualSize : source.size;
    if (format === 'cow') requirePlausibleQcow2Size(source);
    const isWritten = source.repeatable && !this.#options.client.http.isDryRun;
    const begin = (disk: Resource<'disk'>): Journal => {
      const header: JournalHeader = {
        version: 1,
        direction: 'upload',
        server,
        disk: String(disk.id),
        name: diskName(disk),
        file: source.path,
        identity: source.identity,
        format,
        size: format === 'raw' ? Number(disk.provisioned_size ?? virtual) : source.size,
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
    // Write the journal first, so that a killed process never leaves an empty disk that appears to
    // be complete.
    const id = randomUUID();
    const planned = begin({ id, name: into.add.name, provisioned_size: size });
    const disk = await this.#addDisk(into.add, format, size, id).catch((error: unknown) => {
      // Without a response the disk may exist. The next run checks this.
      if (this.#createdDisk !== undefined) this.#journal = planned;
      else if (isAnswered(error)) planned.remove(this.#options.onNote);
      else planned.close();
      throw error;
    });
    planned.close();
    const journal = begin(disk);
    // The service chose another id.
    if (journal.path !== planned.path) planned.remove(this.#options.onNote);
    return journal;
  }

  /** @param id intended id of the disk; services that do not support it choose another one */
  async #addDisk(
    wanted: NewDisk,
    format: DiskFormat,
    size: number,
    id?: string,
  ): Promise<Resource<'disk'>> {
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
    this.#createdDisk = String(added.id);
    const disk = await this.#api.waitForDisk(this.#createdDisk);
    if (disk.status === 'ok') return disk;
    throw new ConflictError(`new disk ${wanted.name} is ${String(disk.status)}`, {
      code: 'transfer_failed',
      hint: 'vmctl events list',
    });
  }

  async #resumeJournal(journal: Journal): Promise<Journal> {
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
    // The earlier run ended while it created the disk, before it knew the size.
    const disk = await this.#api.waitForDisk(header.disk);
    journal.close();
    const size = header.format === 'raw' ? Number(disk.provisioned_size) : header.size;
    return Journal.create(this.#options.journals, { ...header, size });
  }

  /** Cleans up after a failure. */
  async cleanUp(error: unknown): Promise<unknown> {
    this.#session?.stop();
    const journal = this.#journal;
    const api = this.#api;
    const disk = this.#createdDisk ?? journal?.header.disk;
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
    // An interruption before the first transferred byte cancels the upload.
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
