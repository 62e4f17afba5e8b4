/** SQLite driver: node:sqlite or libsql, and errors of the disk below. */

import { pathToFileURL } from 'node:url';

/** The database could not be read or written: answered with 503, nothing of the request has happened. */
export class StoreError extends Error {}

/** The message of whatever was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A message of SQLite, or of the system, about the disk: with what helps where that is known. */
export function ioCause(text: string): string {
  if (/is full/i.test(text)) return 'the disk of the database is full; free some space';
  if (/readonly/i.test(text)) {
    return 'the database is read-only; make its folder and file system writable for this user';
  }
  if (/unable to open/i.test(text)) {
    return `${text}; check that its folder is writable and the limit of open files`;
  }
  if (/I\/O/i.test(text)) return `disk failure (${text}); check the system log`;
  return text;
}

/** Whether an error of SQLite comes from the disk below it, not from what was asked. */
export function isOfDisk(error: unknown): boolean {
  // What befell an image is the matter of one request.
  if (error instanceof StoreError) return false;
  return /I\/O error|is full|readonly database|unable to open|malformed|out of memory/i.test(
    messageOf(error),
  );
}

/** Whether an error of SQLite heals without a restart: nothing was written. */
export function heals(error: unknown): boolean {
  return /is full|readonly database|unable to open/i.test(messageOf(error));
}

/** Whether a statement could not be run because another one of the same connection is not finished. */
export function isLocked(error: unknown): boolean {
  return /table is locked/i.test(messageOf(error));
}

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /**
   * Runs it for its effect. Inside of a transaction what goes wrong may be thrown by the next statement that
   * answers something: nobody waits for another process only to hear that all is well.
   */
  run(...values: SqlValue[]): void;
}

/** In what databases differ for those who make statements. */
export interface DatabaseTraits {
  /** `CROSS JOIN ... ON` goes through its tables in the order in which they are named. */
  readonly joinsInOrder: boolean;
  /** Another process looks for the rows: to go through a table in many statements gains nothing. */
  readonly isRemote: boolean;
}

export interface Database {
  readonly traits: DatabaseTraits;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Has the numbers that a column of a table is given go on behind those that are there. */
  continueNumbers(table: string, column: string): void;
  close(): void;
}

interface NativeStatement {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  run(...values: SqlValue[]): { changes: number | bigint };
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
}

type NativeConstructor = new (
  path: string,
  options?: { readonly readOnly: boolean },
) => NativeDatabase;

/**
 * Opens the database file, or one in memory for `:memory:`. Throws with what to install when this
 * Node has no SQLite and the optional package is missing.
 */
export async function openDatabase(path: string): Promise<Database> {
  return (await databaseOpener())(path);
}

/** Opens a database file whose content this connection cannot change, nor its log. */
export async function openReadOnly(path: string): Promise<Database> {
  const Native = await nativeDatabase();
  // libsql knows this by the address of the file alone.
  return databaseOf(
    hasOwnDriver()
      ? new Native(path, { readOnly: true })
      : new Native(`${pathToFileURL(path).href}?mode=ro`),
  );
}

/** Loads what opens databases, and returns it. Throws as `openDatabase` does. */
export async function databaseOpener(): Promise<(path: string) => Database> {
  const Native = await nativeDatabase();
  return (path) => databaseOf(new Native(path));
}

function databaseOf(native: NativeDatabase): Database {
  return {
    traits: { joinsInOrder: true, isRemote: false },
    exec: (sql) => {
      native.exec(sql);
    },
    prepare: (sql) => wrap(native.prepare(sql), sql.startsWith('EXPLAIN ')),
    // SQLite goes on behind the greatest by itself.
    continueNumbers: () => {},
    close: () => native.close(),
  };
}

function wrap(statement: NativeStatement, isExplained: boolean): Statement {
  return {
    get: (...values) => statement.get(...values) ?? undefined,
    all: (...values) => {
      const rows = statement.all(...values);
      // libsql leaves a plan open when its rows were read, and with it a transaction that keeps the log
      // from being emptied; to read one row resets the statement.
      if (isExplained) statement.get(...values);
      return rows;
    },
    run: (...values) => {
      statement.run(...values);
    },
  };
}

/** Whether this Node has a driver of its own. */
function hasOwnDriver(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

async function nativeDatabase(): Promise<NativeConstructor> {
  if (hasOwnDriver()) {
    return silently(async () => {
      const name = 'node:sqlite';
      const module = await import(name);
      const found = module['Database'] ?? module['DatabaseSync'];
      if (!found) throw new Error('node:sqlite has no Database.');
      return found;
    });
  }
  try {
    const module = await import('libsql');
    // Its types leave open what rows are; values of other types are none that SQLite has.
    return module.default as NativeConstructor;
  } catch (cause) {
    throw new Error(
      `Node ${process.versions.node} lacks SQLite and the optional package libsql is not installed. Use Node 22.13 or newer, or run: npm install libsql`,
      { cause },
    );
  }
}

/** Node 22 warns that its SQLite is experimental; that is no news for the users of the server. */
async function silently<T>(load: () => Promise<T>): Promise<T> {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return await load();
  } finally {
    process.emitWarning = emit;
  }
}
