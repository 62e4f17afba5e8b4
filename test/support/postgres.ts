/** PostgreSQL for tests: a separate cluster in a temporary folder, and its databases. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { fastFolder } from './temporary.ts';

/** Variable with the socket folder of the cluster, if all test servers use PostgreSQL. */
export const storeVariable = 'VMCTL_TEST_POSTGRES';

export interface Cluster {
  /** Folder of the socket and of the data. */
  readonly folder: string;
  /** Process id of the server. */
  readonly pid: () => number;
  start(): void;
  stop(): void;
  /** Stops the cluster and removes its data. */
  remove(): void;
}

/** Folder of the PostgreSQL programs; undefined if not installed. */
export function postgresPrograms(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const newest = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
  return newest === undefined ? undefined : join(versions, newest, 'bin');
}

/** Creates and starts a cluster that listens only on its socket. Writes are not flushed. */
export function startCluster(settings: readonly string[] = ['fsync=off']): Cluster {
  const programs = postgresPrograms();
  if (programs === undefined)
    throw new Error('PostgreSQL is not installed: apt install postgresql');
  const folder = mkdtempSync(join(fastFolder, 'vmctl-pg-'));
  // PostgreSQL refuses to run as root; the Debian package creates a user for it.
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
        // The process has exited already.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  cluster.start();
  return cluster;
}

export interface TestDatabase {
  /** Address for `vmctl serve --store`. */
  readonly address: string;
  drop(): Promise<void>;
}

let count = 0;

/** Creates a database in a cluster, optionally as a copy of another one. */
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

/** Template database of empty sites. */
export const templateName = 'empty_site';

/** Databases of sites with persistent data, by data folder. */
const kept = new Map<string, TestDatabase>();

/**
 * Database for a server, if all test servers use PostgreSQL. Servers with the same data folder
 * share a database.
 */
export async function getServerDatabase(data?: string): Promise<TestDatabase | undefined> {
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
