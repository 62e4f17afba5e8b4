/** PostgreSQL for tests: a cluster of its own in a temporary folder, and databases in it. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { quickFolder } from './temporary.ts';

/** Where all servers of tests keep their state in PostgreSQL: the folder of the socket of a cluster. */
export const storeVariable = 'VMCTL_TEST_POSTGRES';

export interface Cluster {
  /** Folder of its socket, and of its data. */
  readonly folder: string;
  /** The process that listens. */
  readonly pid: () => number;
  start(): void;
  stop(): void;
  /** Ends it for good, and removes its data. */
  remove(): void;
}

/** The folder of the programs of PostgreSQL; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const newest = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
  return newest === undefined ? undefined : join(versions, newest, 'bin');
}

/** Makes and starts a cluster that nobody reaches but through its socket. What it writes is not flushed. */
export function startCluster(settings: readonly string[] = ['fsync=off']): Cluster {
  const programs = postgresPrograms();
  if (programs === undefined)
    throw new Error('PostgreSQL is not installed: apt install postgresql');
  const folder = mkdtempSync(join(quickFolder, 'vmctl-pg-'));
  // It refuses to run as root; Debian's package brings a user for it.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  if (isRoot) chownSync(folder, id('-u'), id('-g'));
  const data = join(folder, 'data');
  const run = (program: string, ...words: string[]) => {
    const line = [join(programs, program), '-D', data, ...words];
    const [command = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...line] : line;
    return execFileSync(command, rest, {
      encoding: 'utf8',
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  run('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const options = [
    `listen_addresses=`,
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    ...settings,
  ];
  const words = options.map((option) => `-c ${option}`).join(' ');
  const cluster: Cluster = {
    folder,
    pid: () =>
      Number(execFileSync('head', ['-1', join(data, 'postmaster.pid')], { encoding: 'utf8' })),
    start: () => void run('pg_ctl', '-l', join(folder, 'log'), '-o', words, '-w', 'start'),
    stop: () => void run('pg_ctl', '-m', 'immediate', '-w', 'stop'),
    remove() {
      try {
        cluster.stop();
      } catch {
        // It has ended already.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  cluster.start();
  return cluster;
}

export interface TestDatabase {
  /** For `vmctl serve --store`. */
  readonly address: string;
  drop(): Promise<void>;
}

let count = 0;

/** Makes a database in a cluster; a copy of another one where that is named. */
export async function createDatabase(
  folder: string,
  template?: string,
  name = `test_${process.pid}_${++count}`,
): Promise<TestDatabase> {
  const copied = template === undefined ? '' : ` TEMPLATE ${template}`;
  await administer(folder, `CREATE DATABASE ${name}${copied}`);
  return {
    address: `postgres://postgres@/${name}?host=${encodeURIComponent(folder)}`,
    drop: () => administer(folder, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** The database whose copies are the empty sites of tests. */
export const templateName = 'empty_site';

/** Databases of the sites whose data stays from one server to the next, by the folder of the data. */
const kept = new Map<string, TestDatabase>();

/**
 * A database for one server, where servers of tests keep their state in PostgreSQL; the one that the server
 * before had, where both have a folder of data.
 */
export async function ownDatabase(data?: string): Promise<TestDatabase | undefined> {
  const folder = process.env[storeVariable];
  if (!folder) return undefined;
  const before = data === undefined ? undefined : kept.get(data);
  const database = before ?? (await createDatabase(folder, templateName));
  if (data !== undefined) kept.set(data, database);
  return database;
}

async function administer(folder: string, sql: string): Promise<void> {
  const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
