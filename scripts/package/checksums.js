// Checksums of packages, in the format of `sha256sum --check`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const listName = 'SHA256SUMS';

/** Writes the checksums of files in a folder, and returns the name of the list. */
export function writeChecksums(folder, names) {
  const lines = [...names].sort().map((name) => `${computeSha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, listName), lines.join(''));
  return listName;
}

/** SHA-256 of a file in hexadecimal digits. */
export function computeSha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
