/** Small files that a power cut must not leave empty: keys, certificates, the first password. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
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

/** Writes a file durably unless it is there with this content and mode: then it is on the disk already. */
export function keepDurably(path: string, text: string, mode: number): void {
  try {
    const found = lstatSync(path);
    const isSame = found.isFile() && (found.mode & 0o777) === mode;
    if (isSame && readFileSync(path, 'utf8') === text) return;
  } catch {
    // It is not there, or cannot be read.
  }
  writeDurably(path, text, mode);
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
