/** Opens SQLite: Node's own where it has one, the libsql package elsewhere; behind one small face. */

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  run(...values: SqlValue[]): { changes: number };
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
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

type NativeConstructor = new (path: string) => NativeDatabase;

/**
 * Opens the database file, or one in memory for `:memory:`. Throws with what to install when this
 * Node has no SQLite and the optional package is missing.
 */
export async function openDatabase(path: string): Promise<Database> {
  const Native = await nativeDatabase();
  const native = new Native(path);
  return {
    exec: (sql) => {
      native.exec(sql);
    },
    prepare: (sql) => wrap(native.prepare(sql)),
    close: () => native.close(),
  };
}

function wrap(statement: NativeStatement): Statement {
  return {
    get: (...values) => statement.get(...values) ?? undefined,
    all: (...values) => statement.all(...values),
    run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
  };
}

async function nativeDatabase(): Promise<NativeConstructor> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    return silently(async () => {
      const name = 'node:sqlite';
      const module = await import(name);
      const found = module['Database'] ?? module['DatabaseSync'];
      if (!found) throw new Error('node:sqlite has no Database.');
      return found;
    });
  }
  try {
    const module = (await import('libsql')) as { default: NativeConstructor };
    return module.default;
  } catch (cause) {
    throw new Error(
      `Node ${process.versions.node} has no SQLite of its own and the optional package libsql is not installed. Use Node 22.13 or newer, or run: npm install libsql`,
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
