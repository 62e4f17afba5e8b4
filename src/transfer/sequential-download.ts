/** Transfers that read an image from its beginning to its end, and cannot go on where they ended. */
import type { Thing } from '../client/client.ts';
import type { DiskFormat } from './image-format.ts';
import type { TransferOptions } from './progress.ts';
import { ProgressReporter } from './progress.ts';
import type { RemoteExtents } from './remote-extents.ts';
import { remoteExtents } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import { TransferApi } from './transfer-api.ts';
import { TransferAborted, tryCancel } from './transfer-error.ts';
import { TransferSession } from './transfer-session.ts';

/** The image that is read, as it is stored. */
export interface OpenedImage {
  readonly id: string;
  readonly format: DiskFormat;
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly layout: RemoteExtents;
  readonly meter: ProgressReporter;
}

interface SequentialDownloadOptions
  extends Pick<TransferOptions, 'client' | 'retries' | 'signal' | 'onEvent'> {
  readonly disk: Thing;
  /** Id of the backup in which the disk is read: what the machine saw when it began. */
  readonly backup?: string;
}

/**
 * Begins a transfer, lets `use` read, and ends it. Throws `Stopped` when something was begun that
 * could not be finished: it is cancelled then.
 */
export async function downloadSequentially<T>(
  options: SequentialDownloadOptions,
  use: (reading: OpenedImage) => Promise<T>,
): Promise<T> {
  const { client, disk, backup, signal } = options;
  const id = String(disk['id']);
  const format: DiskFormat = disk['format'] === 'cow' && backup === undefined ? 'cow' : 'raw';
  const control = new TransferApi(client, signal);
  const meter = new ProgressReporter(options.onEvent);
  meter.enterPhase('preparing');
  const ticket = new TransferSession({
    ...options,
    control,
    direction: 'download',
    disk: id,
    format,
  });
  try {
    const { image, capabilities } = await ticket.open();
    const layout = await remoteExtents(image, capabilities, disk, format);
    const result = await use({ id, format, image, capabilities, layout, meter });
    meter.enterPhase('finalizing');
    ticket.stop();
    await control.finalize(ticket.id);
    meter.enterPhase('done');
    return result;
  } catch (error) {
    ticket.stop();
    if (ticket.startedId === undefined) throw error;
    const told = await tryCancel(control, ticket.startedId, backup === undefined ? id : undefined);
    const untold = told ? {} : { transfer: ticket.startedId, untold: true };
    throw new TransferAborted(error, { resumable: false, disk: id, ...untold });
  }
}
