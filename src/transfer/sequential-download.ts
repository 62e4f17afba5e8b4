/** Sequential downloads, which cannot be resumed. */

import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
import { Journal, type JournalHeader } from './journal.ts';
import type { RemoteExtents } from './parse-extents.ts';
import { ProgressReporter, type TransferOptions } from './progress.ts';
import { remoteExtents } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import { diskName, TransferApi } from './transfer-api.ts';
import { TransferAborted, tryCancel } from './transfer-error.ts';
import { TransferSession } from './transfer-session.ts';

/** Stored image to read. */
export interface OpenedImage {
  readonly id: string;
  readonly format: DiskFormat;
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly extents: RemoteExtents;
  readonly progress: ProgressReporter;
}

interface SequentialDownloadOptions
  extends Pick<TransferOptions, 'client' | 'retries' | 'signal' | 'onEvent'> {
  readonly disk: Resource<'disk'>;
  /** Id of the backup from which the disk is read, as of the start of the backup. */
  readonly backup?: string;
  /** Guest view of the disk, independent of its format, including its snapshots. */
  readonly guestData?: boolean;
}

/**
 * Starts a transfer, lets `work` read, and ends the transfer. Throws `TransferAborted` if it began
 * and failed, after cancelling it.
 */
export async function downloadSequentially<T>(
  options: SequentialDownloadOptions,
  work: (reading: OpenedImage) => Promise<T>,
): Promise<T> {
  const { client, disk, backup, guestData, signal } = options;
  const id = String(disk.id);
  const asStored = backup === undefined && !guestData;
  const format: DiskFormat = disk.format === 'cow' && asStored ? 'cow' : 'raw';
  const api = new TransferApi(client, signal);
  const progress = new ProgressReporter(options.onEvent);
  progress.enterPhase('preparing');
  const session = new TransferSession({
    ...options,
    api,
    direction: 'download',
    disk: id,
    format,
  });
  try {
    const { image, capabilities } = await session.open();
    const extents = await remoteExtents(image, capabilities, disk, format);
    const result = await work({ id, format, image, capabilities, extents, progress });
    progress.enterPhase('finalizing');
    session.stop();
    await api.finalize(session.id);
    progress.enterPhase('done');
    return result;
  } catch (error) {
    session.stop();
    if (session.startedId === undefined) throw error;
    const transfer = session.startedId;
    const cancelled = await tryCancel(api, transfer, backup === undefined ? id : undefined);
    throw new TransferAborted(error, {
      resumable: false,
      disk: id,
      ...(cancelled ? {} : { transfer, notNotified: true }),
    });
  }
}

/** Creates a journal only for hashes, because a sequential download cannot be resumed. */
export function inMemoryJournal(
  { server, disk }: { readonly server: string; readonly disk: Resource<'disk'> },
  image: Pick<JournalHeader, 'format' | 'size' | 'file' | 'hashed'> & { readonly id: string },
): Journal {
  const { id, size, ...rest } = image;
  return Journal.inMemory({
    version: 1,
    direction: 'download',
    server,
    disk: id,
    name: diskName(disk),
    identity: { size, modified: '', inode: '' },
    size,
    created: false,
    zeroed: true,
    ...rest,
  });
}
