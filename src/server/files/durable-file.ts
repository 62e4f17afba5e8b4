/** Small files that a power cut must not leave empty: keys, certificates, the first password. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file in one step; when this returns it is on the disk. It has exactly this mode. */
export function writeDurably(path: string, text: string, mode: number): void {
  const draft = `${path}.new`;
  try {
    const file = openSync(draft, 'w', mode);
    try {
      // What a crash has left there may have another one, and so may the umask.
      fchmodSync(file, mode);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes durable which files a folder has. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
