/** Image daemon: random access to disk images by ticket, over HTTP. */
import { prepareThread } from './thread.ts';
import type { ImageDaemon, ImageDaemonOptions } from './types.ts';

export { formatLocation, type ImageLocation, parseLocation } from './backends/location.ts';
export type { Changes } from './dirty/backend.ts';
export { createBitmapFile, DirtyBitmap, isBitmapFile, readBitmapFile } from './dirty/bitmap.ts';
export { type ByteRange, readDirtyRanges } from './nbd/dirty-ranges.ts';
export { CONNECTIONS as maxConnections } from './system/piece-memory.ts';
export { maxSocketPathLength } from './system/unix-socket.ts';
export { type PreparedDaemon, prepareThread } from './thread.ts';
export { parseTicket } from './tickets/ticket-document.ts';
export type { Ticket, TicketState } from './tickets/types.ts';
export type { ImageDaemon, ImageDaemonOptions } from './types.ts';

/**
 * Starts the daemon. Resolves when it listens. Rejects if an address is in use or the certificate
 * does not match its key.
 * @param program built program of the thread (default: next to this file)
 */
export async function startImageDaemon(
  options: ImageDaemonOptions,
  program?: URL,
): Promise<ImageDaemon> {
  const { inThread = true, ...rest } = options;
  if (inThread) {
    const thread = prepareThread(program);
    try {
      return await thread.start(rest);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }
  const { runDaemon } = await import('./daemon.ts');
  return runDaemon(rest);
}
