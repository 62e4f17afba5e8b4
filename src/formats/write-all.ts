/** Complete writes, because a system call may write fewer bytes than requested. */
import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at an offset of a file. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
