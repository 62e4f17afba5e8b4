/** Anonymous temporary file for a stream of unknown length. */

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCode } from '../caught-errors.ts';
import { VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';
import type { ByteStream } from './compression.ts';
import { FileSource } from './file-source.ts';
import { zeroRuns } from './local-extents.ts';

const PIECE = 2 ** 20;

/**
 * Reads a stream to its end. Zeros become holes. The file is unlinked if the system permits it, so
 * that even a crash leaves no file.
 */
export async function spoolToTempFile(
  path: string,
  bytes: ByteStream,
  signal: AbortSignal,
): Promise<FileSource> {
  const folder = await mkdtemp(join(tmpdir(), 'vmctl-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
  let handle: FileHandle | undefined;
  try {
    handle = await open(
      join(folder, 'image'),
      constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
    if (process.platform !== 'win32') await removeFolder();
    await fill(handle, bytes, signal);
    return await FileSource.take(path, handle, removeFolder);
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await removeFolder();
    if (signal.aborted) throw signal.reason;
    if (error instanceof VmctlError) throw error;
    throw copyError(path, error, '; with --size, a raw image needs no copy');
  }
}

/** Creates the error for a failed temporary copy of `path`. `instead` is appended to the hint. */
export function copyError(path: string, error: unknown, instead = ''): VmctlError {
  const code = getErrorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new VmctlError(`no space for a copy of ${path} in ${tmpdir()}`, {
      code: 'no_space',
      hint: `set TMPDIR to a folder with more space${instead}`,
      cause: error,
    });
  }
  return new VmctlError(`cannot copy ${path} to ${tmpdir()}: ${systemReason(error)}`, {
    code: 'unreadable_file',
    cause: error,
  });
}

async function fill(handle: FileHandle, bytes: ByteStream, signal: AbortSignal): Promise<void> {
  const piece = Buffer.allocUnsafeSlow(PIECE);
  let filled = 0;
  let at = 0;
  const store = async () => {
    await writeSparsely(handle, piece.subarray(0, filled), at);
    at += filled;
    filled = 0;
  };
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    for (let used = 0; used < chunk.length; ) {
      const part = chunk.subarray(used, used + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      used += part.length;
      if (filled === PIECE) await store();
    }
  }
  await store();
  await handle.truncate(at);
}

async function writeSparsely(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (const { start, end, zero } of zeroRuns(bytes)) {
    for (let at = start; !zero && at < end; ) {
      at += (await handle.write(bytes, at, end - at, offset + at)).bytesWritten;
    }
  }
}
