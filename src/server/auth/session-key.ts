/** The key that seals the ids of cookie sessions: one for all servers of a site, in no copy or backup of it. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFile } from '../files/access.ts';
import { writeDurably } from '../files/durable-file.ts';
import { sharedSessionKey } from '../store/session-list.ts';
import type { Store } from '../store/store.ts';

/**
 * The key of a site: in the database that several servers share, or else in the folder of the data. Without
 * both, another one with each start.
 */
export function sessionKey(store: Store, folder: string | undefined): Uint8Array {
  if (store.isShared) return Buffer.from(store.read(sharedSessionKey), 'utf8');
  if (folder === undefined) return randomBytes(32);
  const path = join(folder, 'session.key');
  ownFile(path);
  const kept = existsSync(path) ? Buffer.from(readFileSync(path, 'utf8'), 'base64url') : undefined;
  if (kept?.length === 32) return kept;
  const key = randomBytes(32);
  writeDurably(path, `${key.toString('base64url')}\n`, 0o600);
  return key;
}
