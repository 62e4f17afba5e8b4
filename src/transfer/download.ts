/** Parallel, resumable download of a disk image to a local file. */

import { getErrorMessage } from '../caught-errors.ts';
import { ConflictError, InterruptedError, UsageError, VmctlError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
import { totalLength } from './blocks.ts';
import { fastestAlgorithm } from './checksum-algorithm.ts';
import { Journal } from './journal.ts';
import type { RemoteExtents } from './parse-extents.ts';
import { PartialFile } from './partial-file.ts';
import { ProgressReporter, type TransferOptions } from './progress.ts';
import { prepareReceiving } from './receive-blocks.ts';
import { remoteExtents } from './remote-extents.ts';
import { diskName, TransferApi } from './transfer-api.ts';
import { isTransient, TransferAborted, tryCancel } from './transfer-error.ts';
import { TransferSession } from './transfer-session.ts';
import { requestChecksum, verifyDownload } from './verify.ts';

export interface DownloadOptions extends TransferOptions {
  readonly disk: Resource<'disk'>;
  /** Target file, as the user named it. */
  readonly file: string;
  /** Overwrites an existing file. */
  readonly force: boolean;
  /** Journal of an earlier run to resume. */
  readonly resume?: Journal;
  /** Keeps a partial download after a failure, to resume it. */
  readonly keepPartial: boolean;
}

/** Completed download. */
export interface Downloaded {
  /** Absolute path. */
  readonly file: string;
  readonly format: DiskFormat;
  /** Length of the file in bytes. */
  readonly size: number;
  readonly transferred: number;
  readonly skipped: number;
  /** Whether the service confirmed the content. */
  readonly verified: boolean;
}

/**
 * Downloads the image. Throws `TransferAborted` if the transfer began and failed. Other errors mean
 * that nothing has changed.
 */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  const download = new Download(options);
  try {
    return await download.run();
  } catch (error) {
    throw await download.cleanUp(error);
  }
}

class Download {
  readonly #options: DownloadOptions;
  readonly #api: TransferApi;
  readonly #progress: ProgressReporter;
  readonly #disk: string;
  readonly #format: DiskFormat;
  #file: PartialFile | undefined;
  #journal: Journal | undefined;
  #session: TransferSession | undefined;

  constructor(options: DownloadOptions) {
    this.#options = options;
    this.#api = new TransferApi(options.client, options.signal);
    this.#progress = new ProgressReporter(options.onEvent);
    this.#disk = String(options.disk.id);
    this.#format = options.disk.format === 'cow' ? 'cow' : 'raw';
  }

  async run(): Promise<Downloaded> {
    const { resume, file: given, force } = this.#options;
    this.#progress.enterPhase('preparing');
    resume?.refuseIfInUse();
    // A dry run ends with the first request, before it creates a file.
    if (this.#options.client.http.isDryRun) {
      await this.#api.begin(this.#disk, 'download', this.#format);
    }
    const completed = resume && (await this.#completedEarlier(resume));
    if (completed) return completed;
    this.#file = resume
      ? await PartialFile.reopen(resume.header.file, resume.header.identity, force)
      : await PartialFile.create(given, force);
    const file = this.#file;
    this.#journal = resume;
    const session = new TransferSession({
      ...this.#options,
      api: this.#api,
      direction: 'download',
      disk: this.#disk,
      format: this.#format,
      ...(resume ? { journal: resume } : {}),
    });
    this.#session = session;
    const { image, capabilities } = await session.open();
    const extents = await remoteExtents(image, capabilities, this.#options.disk, this.#format);
    const journal = await this.#openJournal(file, extents.size, session.id);
    this.#journal = journal;
    await this.#warnAboutSpace(file, journal, extents);
    const verify = this.#options.verify && journal.header.hashed;
    if (verify) journal.hashBy(await fastestAlgorithm(image, capabilities));
    this.#progress.enterPhase('copying', extents.size);
    const checksum = verify
      ? requestChecksum(image, capabilities, journal.hashes.algorithm)
      : undefined;
    const copy = prepareReceiving({
      ...this.#options,
      image,
      capabilities,
      data: extents.data,
      file,
      fresh: resume === undefined,
      journal,
      progress: this.#progress,
    });
    try {
      await copy.run();
    } catch (error) {
      session.stop();
      throw error;
    }
    const verified = await verifyDownload(
      journal,
      checksum,
      this.#options,
      this.#progress,
      'the file was not verified',
    );
    return await this.#finish(file, journal, session, verified);
  }

  async #finish(
    file: PartialFile,
    journal: Journal,
    session: TransferSession,
    verified: boolean,
  ): Promise<Downloaded> {
    this.#progress.enterPhase('flushing');
    await file.finish();
    session.stop();
    return await this.#end(journal, session.id, verified);
  }

  /** Download whose file an earlier run completed before it was killed. */
  async #completedEarlier(journal: Journal): Promise<Downloaded | undefined> {
    const { file, identity, size, hashed } = journal.header;
    if (!(await PartialFile.isFinished(file, identity))) return undefined;
    this.#progress.enterPhase('copying', size);
    this.#progress.addResumed(size);
    return await this.#end(journal, journal.transfer, hashed);
  }

  /**
   * Ends the transfer of a completed file. The journal is removed last: after a kill, `--resume`
   * can still end the transfer and unlock the disk.
   */
  async #end(
    journal: Journal,
    transfer: string | undefined,
    verified: boolean,
  ): Promise<Downloaded> {
    const { file, size } = journal.header;
    this.#progress.enterPhase('finalizing');
    if (transfer !== undefined) await this.#finalize(transfer);
    journal.remove(this.#options.onNote);
    this.#progress.enterPhase('done');
    const { transferred, skipped } = this.#progress;
    return { file, format: this.#format, size, transferred, skipped, verified };
  }

  async #openJournal(file: PartialFile, size: number, transfer: string): Promise<Journal> {
    const { resume, server, journals, disk } = this.#options;
    if (resume) {
      if (resume.header.size === size) return resume;
      throw new ConflictError(
        `the image has changed: ${size} bytes instead of ${resume.header.size}`,
        { code: 'disk_changed', hint: 'run the command with --force and without --resume' },
      );
    }
    await file.resize(size);
    const journal = Journal.create(journals, {
      version: 1,
      direction: 'download',
      server,
      disk: this.#disk,
      name: diskName(disk),
      file: file.target,
      identity: await file.identity(),
      format: this.#format,
      size,
      created: false,
      zeroed: true,
      hashed: this.#options.verify,
    });
    journal.begin(transfer);
    return journal;
  }

  /** Only a warning: file systems that compress or share blocks need less space. */
  async #warnAboutSpace(
    file: PartialFile,
    journal: Journal,
    { data }: RemoteExtents,
  ): Promise<void> {
    if (journal.done.count > 0) return;
    const needed = totalLength(data);
    const space = await file.space();
    if (space !== undefined && space < needed) {
      this.#options.onNote?.(
        `not enough space: the image has ${needed} bytes of data, ${space} bytes are free`,
      );
    }
  }

  /** The file is complete, so errors of the service do not matter. */
  async #finalize(transfer: string): Promise<void> {
    try {
      // Complete the transfer in spite of a signal, so that the disk is not left locked.
      await this.#api.finalize(transfer).catch(async (error: unknown) => {
        if (!this.#options.signal.aborted) throw error;
        const after = this.#api.forCleanup();
        if ((await after.phase(transfer)) === 'transferring') await after.finalize(transfer);
        else await after.waitUntilFinished(transfer);
      });
    } catch (error) {
      this.#options.onNote?.(
        `the file is complete, but the transfer failed at its end: ${getErrorMessage(error)}`,
      );
    }
  }

  /** Cleans up after a failure. */
  async cleanUp(error: unknown): Promise<unknown> {
    const file = this.#file;
    const journal = this.#journal;
    this.#session?.stop();
    const transfer = this.#session?.startedId;
    const cancelled = transfer === undefined || (await tryCancel(this.#api, transfer, this.#disk));
    if (!file) {
      journal?.close();
      return error;
    }
    const local = error instanceof VmctlError && /^(no_space|unwritable_)/.test(error.code);
    // An interrupted transfer can be resumed, like a killed one.
    const keep =
      journal !== undefined && (journal.done.count > 0 || error instanceof InterruptedError);
    if (keep && this.#options.keepPartial && (isTransient(error) || local)) {
      journal.close();
      await file.close().catch(() => {});
      return new TransferAborted(error, { resumable: true, disk: this.#disk, partial: file.path });
    }
    if (isComplete(error) || (this.#options.resume && error instanceof UsageError)) {
      journal?.close();
      await file.close().catch(() => {});
      return error;
    }
    const removed = await file.remove().then(
      () => true,
      () => false,
    );
    journal?.remove(this.#options.onNote);
    return new TransferAborted(error, {
      resumable: false,
      disk: this.#disk,
      ...(removed ? {} : { partial: file.path }),
      ...(cancelled ? {} : { transfer, notNotified: true }),
    });
  }
}

/** Whether all bytes are verified and only the file name was in use. */
function isComplete(error: unknown): boolean {
  return error instanceof ConflictError && error.code === 'file_exists';
}
