/** Durable writes of small files: keys, certificates, the initial password. */
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

/** Replaces a file atomically and durably, with exactly this mode. */
export function writeDurably(path: string, text: string, mode: number): void {
  const draft = `${path}.new`;
  try {
    const file = openSync(draft, 'w', mode);
    try {
      // The umask, or a file that a crash left, may have set another mode.
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

/** Writes a file durably unless it already has this content and mode. */
export function keepDurably(path: string, text: string, mode: number): void {
  try {
    const found = lstatSync(path);
    const isSame = found.isFile() && (found.mode & 0o777) === mode;
    if (isSame && readFileSync(path, 'utf8') === text) return;
  } catch {
    // The file is missing or unreadable.
  }
  writeDurably(path, text, mode);
}

/** Makes the entries of a folder durable. Windows cannot flush folders; its file systems log entries. */
export function syncFolder(path: string, platform: string = process.platform): void {
  if (platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
