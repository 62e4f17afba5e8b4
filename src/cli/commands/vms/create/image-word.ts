/** Words for images: which are files and addresses, and which are disks of the service. */
import { statSync } from 'node:fs';

/** What a word begins with that can only be a disk. */
export const diskPrefix = 'disks/';

/** Whether a word for an image is a file or an address here, and not a disk of the service. */
export function isFileWord(word: string): boolean {
  if (word.startsWith(diskPrefix)) return false;
  return word.includes('/') || isFile(word);
}

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
