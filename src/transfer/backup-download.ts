/**
 * Download of a disk as it was when a backup began: all of it, or the changes since a checkpoint.
 */

import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { ApiObject } from '../client/client.ts';
import { UsageError } from '../client/errors.ts';
import { PartialFile } from './partial-file.ts';
import type { TransferOptions } from './progress.ts';
import { prepareReceiving } from './receive-blocks.ts';
import { downloadSequentially, inMemoryJournal, type OpenedImage } from './sequential-download.ts';
import { requestChecksum, verifyDownload } from './verify.ts';

export interface BackupDownloadOptions extends TransferOptions {
  readonly disk: ApiObject;
  /** Id of the backup. */
  readonly backup: string;
  /** The file to be made, as the user named it. */
  readonly file: string;
  /** The file of the backup before, which the changes belong to. */
  readonly base?: string;
  /** Replace what is there. */
  readonly force: boolean;
}

/** What a file holds: the disk, as it was; or only what had changed, and zeros elsewhere. */
export type Content = 'disk' | 'changes';

export interface DownloadedBackup {
  /** Absolute path. */
  readonly file: string;
  readonly format: 'raw';
  readonly backup_mode: 'full' | 'incremental';
  readonly content: Content;
  /** Bytes of the file. */
  readonly size: number;
  readonly transferred: number;
  /** Whether the service confirmed the content. */
  readonly verified: boolean;
}

/**
 * Downloads a disk of a backup into a new file. Of an incremental one only what has changed is read,
 * into a copy of the file of the backup before where that is given. Nothing is left of what fails.
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
  const { base, verify } = options;
  const changes = await image.changedExtents(base !== undefined);
  const { size, data } = changes ?? extents;
  const preserve = changes !== undefined && base !== undefined;
  if (preserve) await copyOf(base, file.path);
  await file.resize(size);
  const journal = inMemoryJournal(options, {
    ...{ id, format: 'raw', size, file: options.file },
    hashed: verify && !changes,
  });
  progress.enterPhase('copying', size);
  const checksum = journal.header.hashed ? requestChecksum(image, capabilities) : undefined;
  const parts = { image, capabilities, data, file, journal, progress };
  await prepareReceiving({ ...options, ...parts, fresh: true, preserve }).run();
  const verified = await verifyDownload(
    journal,
    checksum,
    options,
    progress,
    'the file was not verified',
  );
  progress.enterPhase('flushing');
  await file.finish();
  return {
    file: file.target,
    format: 'raw',
    backup_mode: changes ? 'incremental' : 'full',
    content: changes && !preserve ? 'changes' : 'disk',
    size,
    transferred: progress.transferred,
    verified,
  };
}

async function copyOf(base: string, path: string): Promise<void> {
  try {
    // Where the file system can, the copy takes no room of its own.
    await copyFile(base, path, constants.COPYFILE_FICLONE);
  } catch (error) {
    throw new UsageError(`${base} cannot be copied: ${(error as Error).message}`, {
      hint: 'name the file that the backup before was downloaded into',
    });
  }
}
