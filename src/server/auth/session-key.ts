/** Key that seals cookie session ids: one per site, excluded from copies and backups. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { restrictFile } from '../files/access.ts';
import { writeDurably } from '../files/durable-file.ts';

/** The key in the data folder. Without a folder, every start generates another one. */
export function loadSessionKey(folder: string | undefined): Uint8Array {
  if (folder === undefined) return randomBytes(32);
  const path = join(folder, 'session.key');
  restrictFile(path);
  const kept = existsSync(path) ? Buffer.from(readFileSync(path, 'utf8'), 'base64url') : undefined;
  if (kept?.length === 32) return kept;
  const key = randomBytes(32);
  writeDurably(path, `${key.toString('base64url')}\n`, 0o600);
  return key;
}
