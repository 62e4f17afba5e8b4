/** Classification of image arguments: local files and URLs, or disks of the service. */
import { statSync } from 'node:fs';

/** Prefix of arguments that can only be disks. */
export const diskPrefix = 'disks/';

/** Whether an image argument is a local file or URL. */
export function isFileOrUrl(word: string): boolean {
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
