/**
 * Download of a disk as of the start of a backup: the complete disk, or the changes since a
 * checkpoint.
 */

import { getErrorMessage } from '../caught-errors.ts';
import { UsageError } from '../client/errors.ts';
import type { Resource } from '../model/resource.ts';
import { BLOCK, blockRange, pieces, readRuns } from './blocks.ts';
import { BACKUP_ALGORITHM } from './checksum-algorithm.ts';
import { fileChecksum } from './compare.ts';
import { FileSource } from './file-source.ts';
import { PartialFile } from './partial-file.ts';
import type { TransferOptions } from './progress.ts';
import { prepareReceiving } from './receive-blocks.ts';
import { downloadSequentially, inMemoryJournal, type OpenedImage } from './sequential-download.ts';
import { confirmChecksum, requestChecksum } from './verify.ts';

export interface BackupDownloadOptions extends TransferOptions {
  readonly disk: Resource<'disk'>;
  /** Id of the backup. */
  readonly backup: string;
  /** Target file, as the user named it. */
  readonly file: string;
  /** File of the previous backup, to which the changes apply. */
  readonly base?: string;
  /** Overwrites an existing file. */
  readonly force: boolean;
}

/** Content of a file: the complete disk, or only changes with zeros elsewhere. */
export type Content = 'disk' | 'changes';

export interface DownloadedBackup {
  /** Absolute path. */
  readonly file: string;
  readonly format: 'raw';
  readonly backup_mode: 'full' | 'incremental';
  readonly content: Content;
  /** Length of the file in bytes. */
  readonly size: number;
  readonly transferred: number;
  /** Whether the service confirmed the content. */
  readonly verified: boolean;
  /** Checksum of the disk, if verified: SHA-256 over the SHA-256 of each 4 MiB, in hexadecimal. */
  readonly checksum?: string;
}

/**
 * Downloads a disk of a backup to a new file. An incremental backup reads only changes, into a copy
 * of the previous file. A failure leaves no file.
 */
export async function downloadBackup(options: BackupDownloadOptions): Promise<DownloadedBackup> {
  const file = await PartialFile.create(options.file, options.force);
  try {
    return await downloadSequentially(options, (reading) => receive(options, file, reading));
  } catch (error) {
    await file.remove().catch(() => undefined);
    throw error;
  }
}

async function receive(
  options: BackupDownloadOptions,
  file: PartialFile,
  { id, image, capabilities, extents, progress }: OpenedImage,
): Promise<DownloadedBackup> {
  const { base, verify, signal } = options;
  const changes = await image.changedExtents(base !== undefined);
  const { size, data } = changes ?? extents;
  const preserve = changes !== undefined && base !== undefined;
  if (preserve) await copyInto(file, base, signal);
  await file.resize(size);
  const journal = inMemoryJournal(options, {
    ...{ id, format: 'raw', size, file: options.file },
    hashed: verify && !changes,
  });
  journal.hashBy(BACKUP_ALGORITHM);
  const isWhole = !changes || preserve;
  progress.enterPhase('copying', size);
  const requested =
    verify && isWhole ? requestChecksum(image, capabilities, BACKUP_ALGORITHM) : undefined;
  const parts = { image, capabilities, data, file, journal, progress };
  await prepareReceiving({ ...options, ...parts, fresh: true, preserve }).run();
  const { transferred } = progress;
  let checksum: string | undefined;
  let verified = false;
  if (requested) {
    progress.enterPhase('verifying');
    checksum = preserve
      ? await computeChecksum(file, size, signal)
      : await journal.hashes.checksum(size, (block) => blockRange(block, size));
    verified = await confirmChecksum(
      { ours: checksum, algorithm: BACKUP_ALGORITHM },
      requested,
      options,
      'the file was not verified',
    );
  }
  progress.enterPhase('flushing');
  await file.finish();
  return {
    file: file.target,
    format: 'raw',
    backup_mode: changes ? 'incremental' : 'full',
    content: isWhole ? 'disk' : 'changes',
    size,
    transferred,
    verified,
    ...(checksum === undefined ? {} : { checksum }),
  };
}

const uncounted = { addSkipped: () => undefined, addTransferred: () => undefined };

/** Checksum of the resulting file, which is read again. */
async function computeChecksum(
  file: PartialFile,
  size: number,
  signal: AbortSignal,
): Promise<string> {
  const source = await FileSource.open(file.path);
  try {
    return await fileChecksum(source, size, uncounted, signal, BACKUP_ALGORITHM);
  } finally {
    await source.close();
  }
}

/** Initializes a new file from the base: as a clone, or as a copy with the same holes. */
async function copyInto(file: PartialFile, base: string, signal: AbortSignal): Promise<void> {
  if (await file.cloneFrom(base)) return;
  let source: FileSource;
  try {
    source = await FileSource.open(base);
  } catch (error) {
    throw new UsageError(`cannot copy ${base}: ${getErrorMessage(error)}`, {
      hint: 'use the file of the previous backup',
    });
  }
  try {
    const buffer = Buffer.alloc(BLOCK);
    for await (const piece of pieces(await source.extents(), source.size)) {
      signal.throwIfAborted();
      if (piece.kind === 'zero') continue;
      const range = blockRange(piece.block, source.size);
      const bytes = buffer.subarray(0, range.end - range.start);
      await readRuns(source, range, piece.runs, bytes);
      for (const { start, end } of piece.runs) {
        await file.write(start, bytes.subarray(start - range.start, end - range.start));
      }
    }
    await source.requireUnchanged();
  } finally {
    await source.close();
  }
}
