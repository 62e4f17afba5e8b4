/** Transfers that read an image from its beginning to its end, and cannot go on where they ended. */
import type { Thing } from '../client/client.ts';
import type { DiskFormat } from './image-format.ts';
import type { TransferOptions } from './progress.ts';
import { Meter } from './progress.ts';
import type { Layout } from './remote-extents.ts';
import { layoutOf } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import { Control } from './transfer-api.ts';
import { cancelQuietly, Stopped } from './transfer-error.ts';
import { Ticket } from './transfer-session.ts';

/** The image that is read, as it is stored. */
export interface Reading {
  readonly id: string;
  readonly format: DiskFormat;
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly layout: Layout;
  readonly meter: Meter;
}

interface ReadOptions extends Pick<TransferOptions, 'client' | 'retries' | 'signal' | 'onEvent'> {
  readonly disk: Thing;
  /** Id of the backup in which the disk is read: what the machine saw when it began. */
  readonly backup?: string;
}

/**
 * Begins a transfer, lets `use` read, and ends it. Throws `Stopped` when something was begun that
 * could not be finished: it is cancelled then.
 */
export async function readWhole<T>(
  options: ReadOptions,
  use: (reading: Reading) => Promise<T>,
): Promise<T> {
  const { client, disk, backup, signal } = options;
  const id = String(disk['id']);
  const format: DiskFormat = disk['format'] === 'cow' && backup === undefined ? 'cow' : 'raw';
  const control = new Control(client, signal);
  const meter = new Meter(options.onEvent);
  meter.enter('preparing');
  const ticket = new Ticket({ ...options, control, direction: 'download', disk: id, format });
  try {
    const { image, capabilities } = await ticket.open();
    const layout = await layoutOf(image, capabilities, disk, format);
    const result = await use({ id, format, image, capabilities, layout, meter });
    meter.enter('finalizing');
    ticket.stop();
    await control.finalize(ticket.id);
    meter.enter('done');
    return result;
  } catch (error) {
    ticket.stop();
    if (ticket.begun === undefined) throw error;
    const told = await cancelQuietly(control, ticket.begun, backup === undefined ? id : undefined);
    const untold = told ? {} : { transfer: ticket.begun, untold: true };
    throw new Stopped(error, { resumable: false, disk: id, ...untold });
  }
}
