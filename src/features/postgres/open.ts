/** The store in PostgreSQL: opened, with what is wrong where it cannot be used. */

import { FolderError, FolderInUse } from '../../server/files/access.ts';
import type { Database } from '../../server/store/driver.ts';
import type { SharedStore, SharedStoreSettings } from '../../server/store/shared-store.ts';
import { maskedAddress } from './address.ts';
import { PostgresConnection } from './connection.ts';
import { DatabaseError, describe } from './errors.ts';
import { lockNotAvailable, othersUse } from './locks.ts';
import { ReadConnections } from './read-connections.ts';
import { NewerSchema, preparePostgresSchema } from './schema.ts';
import { PostgresStore } from './store.ts';

/**
 * Opens the store in a database at `postgres://USER@HOST:PORT/NAME`, and makes its tables where they are
 * missing. Waits while another server starts. Throws a `FolderInUse` where somebody has it alone, and a
 * `FolderError` with what is wrong where it cannot be used.
 */
export function openPostgresStore(url: string, settings: SharedStoreSettings = {}): SharedStore {
  const use = settings.alone ? 'alone' : 'starting';
  const connection = opened(url, use, (database) => {
    if (!settings.newSite) return;
    if (isUsed(database)) throw new SiteInUse();
    setSchemaAside(database, settings.log);
  });
  const isFirst = !isUsed(connection);
  const further = settings.alone ? 'covered' : 'shared';
  const writing = new PostgresConnection(url, further);
  return new PostgresStore(connection, writing, new ReadConnections(url, further), isFirst);
}

/** The same without a store: for those who look at the tables themselves, while no server uses them. */
export function openPostgresDatabase(url: string): PostgresConnection {
  return opened(url, 'alone', () => {});
}

/** Thrown where servers have a site that is to be moved aside. */
class SiteInUse extends Error {}

/** Whether other servers have the site. */
function isUsed(database: Database): boolean {
  return Number(database.prepare(othersUse).get()?.['others']) > 0;
}

function opened(
  url: string,
  use: 'starting' | 'alone',
  before: (connection: PostgresConnection) => void,
): PostgresConnection {
  const connection = new PostgresConnection(url, use);
  try {
    before(connection);
    preparePostgresSchema(connection);
    return connection;
  } catch (cause) {
    connection.close();
    throw refusalOf(maskedAddress(url), cause);
  }
}

/** Gives the tables of a site another name. Nothing is deleted. */
function setSchemaAside(connection: Database, log?: (line: string) => void): void {
  const found = connection
    .prepare("SELECT 1 FROM information_schema.tables WHERE table_schema = 'vmctl'")
    .get();
  if (!found) return;
  const stamp = new Date().toISOString().replace(/\D/g, '');
  connection.exec(`ALTER SCHEMA vmctl RENAME TO vmctl_before_${stamp}`);
  log?.(`the schema vmctl is now vmctl_before_${stamp}`);
}

function refusalOf(address: string, cause: unknown): unknown {
  if (cause instanceof NewerSchema) {
    return new FolderError(
      `The data in ${address} was written by a newer vmctl (${cause.message}).`,
      'use that version, or another database with --store',
      cause,
    );
  }
  if (cause instanceof SiteInUse) return inUse(address, 'another vmctl serve uses it', cause);
  if (!(cause instanceof DatabaseError)) return cause;
  if (cause.code === lockNotAvailable) return inUse(address, cause.message, cause);
  return new FolderError(
    `Cannot use the data in ${address}: ${describe(cause)}.`,
    undefined,
    cause,
  );
}

function inUse(address: string, why: string, cause: unknown): FolderInUse {
  return new FolderInUse(
    `Cannot use the data in ${address}: ${why}.`,
    'stop it, or use another database with --store',
    cause,
  );
}
