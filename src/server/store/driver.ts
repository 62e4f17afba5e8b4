/** SQLite driver: node:sqlite or libsql, and disk errors. */

import { pathToFileURL } from 'node:url';
import { getErrorMessage } from '../../caught-errors.ts';

/** Failure to read or write the database: answered with 503, the request had no effect. */
export class StoreError extends Error {}

/** The message of a thrown value. */
export function readMessage(cause: unknown): string {
  return getErrorMessage(cause);
}

/** A disk error message of SQLite or the system, with a remedy for known causes. */
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

/** Whether an error of SQLite comes from the disk, not from the statement. */
export function isDiskError(error: unknown): boolean {
  // Problems with an image affect a single request.
  if (error instanceof StoreError) return false;
  return /I\/O error|is full|readonly database|unable to open|malformed|out of memory/i.test(
    readMessage(error),
  );
}

/** Whether the database can recover from an error without a restart: nothing was written. */
export function canRecover(error: unknown): boolean {
  return /is full|readonly database|unable to open/i.test(readMessage(error));
}

/** Whether a statement failed because another one of the same connection is not finished. */
export function isLocked(error: unknown): boolean {
  return /table is locked/i.test(readMessage(error));
}

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /**
   * Runs the statement for its effect. Inside a transaction, a later statement with a result may
   * throw the error, which saves a round trip to a remote database.
   */
  run(...values: SqlValue[]): void;
}

/** Properties of databases that affect the choice of statements. */
export interface DatabaseTraits {
  /** `CROSS JOIN ... ON` joins its tables in the written order. */
  readonly joinsInOrder: boolean;
  /** The database is another process: splitting a scan into many statements has no benefit. */
  readonly isRemote: boolean;
}

export interface Database {
  readonly traits: DatabaseTraits;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Sets the sequence of a column to continue after its maximum. */
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
 * Opens the database file, or one in memory for `:memory:`. Throws with an install hint if Node has
 * no SQLite and the optional package is missing.
 */
export async function openDatabase(path: string): Promise<Database> {
  return (await databaseOpener())(path);
}

/** Opens a database file read-only, including its log. */
export async function openReadOnly(path: string): Promise<Database> {
  const Native = await nativeDatabase();
  // libsql supports read-only mode in file URLs only.
  return wrapDatabase(
    hasOwnDriver()
      ? new Native(path, { readOnly: true })
      : new Native(`${pathToFileURL(path).href}?mode=ro`),
  );
}

/** Loads the driver and returns its open function. Throws like `openDatabase`. */
export async function databaseOpener(): Promise<(path: string) => Database> {
  const Native = await nativeDatabase();
  return (path) => wrapDatabase(new Native(path));
}

function wrapDatabase(native: NativeDatabase): Database {
  return {
    traits: { joinsInOrder: true, isRemote: false },
    exec: (sql) => {
      native.exec(sql);
    },
    prepare: (sql) => wrap(native.prepare(sql), sql.startsWith('EXPLAIN ')),
    // SQLite continues after the maximum automatically.
    continueNumbers: () => {},
    close: () => native.close(),
  };
}

function wrap(statement: NativeStatement, isExplained: boolean): Statement {
  return {
    get: (...values) => statement.get(...values) ?? undefined,
    all: (...values) => {
      const rows = statement.all(...values);
      // libsql leaves a plan open when its rows were read, and with it a transaction that keeps the
      // log from being emptied; to read one row resets the statement.
      if (isExplained) statement.get(...values);
      return rows;
    },
    run: (...values) => {
      statement.run(...values);
    },
  };
}

/** Whether this Node version includes SQLite. */
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
    // Its types do not declare rows; SQLite has only values of these types.
    return module.default as NativeConstructor;
  } catch (cause) {
    throw new Error(
      `Node ${process.versions.node} lacks SQLite and the optional package libsql is not installed. Use Node 22.13 or newer, or run: npm install libsql`,
      { cause },
    );
  }
}

/** Loads a module without the warning of Node 22 that its SQLite is experimental. */
async function silently<T>(load: () => Promise<T>): Promise<T> {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return await load();
  } finally {
    process.emitWarning = emit;
  }
}
