/** Opening of a store in PostgreSQL. */

import { FolderError, FolderInUse } from '../../server/files/access.ts';
import type { Database } from '../../server/store/driver.ts';
import { maskAddress } from './address.ts';
import { PostgresConnection } from './connection.ts';
import { DatabaseError, describeDatabaseError } from './errors.ts';
import { lockNotAvailable, othersUse } from './locks.ts';
import { ReadConnections } from './read-connections.ts';
import { NewerSchema, preparePostgresSchema } from './schema.ts';
import { PostgresStore } from './store.ts';

export interface PostgresSettings {
  /** Refuses other users of the store while it is open. */
  readonly alone?: boolean;
  /** Renames existing tables, for an empty site. */
  readonly newSite?: boolean;
  readonly log?: (line: string) => void;
}

/**
 * Opens the store in a database at `postgres://USER@HOST:PORT/NAME` and creates missing tables.
 * Waits while another server starts. Throws a `FolderInUse` if another session uses the site
 * exclusively, and a `FolderError` with the reason if the database is not usable.
 */
export function openPostgresStore(url: string, settings: PostgresSettings = {}): PostgresStore {
  const use = settings.alone ? 'alone' : 'starting';
  const connection = openConnection(url, use, (database) => {
    if (!settings.newSite) return;
    if (isUsed(database)) throw new SiteInUse();
    renameSchema(database, settings.log);
  });
  const isFirst = !isUsed(connection);
  const further = settings.alone ? 'covered' : 'shared';
  const writing = new PostgresConnection(url, further);
  return new PostgresStore(connection, writing, new ReadConnections(url, further), isFirst);
}

/** Opens the database of a site exclusively, without a store. */
export function openPostgresDatabase(url: string): PostgresConnection {
  return openConnection(url, 'alone', () => {});
}

/** Thrown if a site to be renamed is in use. */
class SiteInUse extends Error {}

/** Whether other sessions use the site. */
function isUsed(database: Database): boolean {
  return Number(database.prepare(othersUse).get()?.['others']) > 0;
}

function openConnection(
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
    throw describeOpenFailure(maskAddress(url), cause);
  }
}

/** Renames the schema of a site. Deletes nothing. */
function renameSchema(connection: Database, log?: (line: string) => void): void {
  const found = connection
    .prepare("SELECT 1 FROM information_schema.tables WHERE table_schema = 'vmctl'")
    .get();
  if (!found) return;
  const stamp = new Date().toISOString().replace(/\D/g, '');
  connection.exec(`ALTER SCHEMA vmctl RENAME TO vmctl_before_${stamp}`);
  log?.(`the schema vmctl is now vmctl_before_${stamp}`);
}

function describeOpenFailure(address: string, cause: unknown): unknown {
  if (cause instanceof NewerSchema) {
    return new FolderError(
      `The data in ${address} was written by a newer vmctl (${cause.message}).`,
      'use that version, or another database with --store',
      cause,
    );
  }
  if (cause instanceof SiteInUse)
    return databaseInUse(address, 'another vmctl serve uses it', cause);
  if (!(cause instanceof DatabaseError)) return cause;
  if (cause.code === lockNotAvailable) return databaseInUse(address, cause.message, cause);
  return new FolderError(
    `Cannot use the data in ${address}: ${describeDatabaseError(cause)}.`,
    undefined,
    cause,
  );
}

function databaseInUse(address: string, why: string, cause: unknown): FolderInUse {
  return new FolderInUse(
    `Cannot use the data in ${address}: ${why}.`,
    'stop it, or use another database with --store',
    cause,
  );
}
