/** Marks of a data folder: identity of the site, and clean shutdown. */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeCause } from '../files/access.ts';
import { syncFolder, writeDurably } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import { getValueAt } from '../store/kinds.ts';

interface Mark {
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modified: string;
  readonly sha256: string;
}

/** State of a database since its last use. */
export type DatabaseState =
  /** Closed and unchanged since. */
  | 'closed'
  /** Not closed cleanly, or never opened by a version with marks. */
  | 'open'
  /** Changed after it was closed. */
  | 'changed';

/** Path of the mark of a database. */
export function closedMarkPath(database: string): string {
  return `${database}.closed`;
}

/** Writes the mark. The database must be closed with an empty log. */
export async function markClosed(database: string): Promise<void> {
  const { size, modified } = readAttributes(database);
  const mark: Mark = { size, modified, sha256: await computeChecksum(database) };
  writeDurably(closedMarkPath(database), `${JSON.stringify(mark)}\n`, 0o600);
}

/** State of the database according to its mark. */
export async function readDatabaseState(database: string): Promise<DatabaseState> {
  let mark: Mark;
  try {
    // `markClosed` wrote this text.
    mark = JSON.parse(readFileSync(closedMarkPath(database), 'utf8')) as Mark;
  } catch {
    return 'open';
  }
  // The log was empty when the database was closed: its content is foreign.
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return 'changed';
  const { size, modified } = readAttributes(database);
  if (mark.size === size && mark.modified === modified) return 'closed';
  return mark.size === size && mark.sha256 === (await computeChecksum(database))
    ? 'closed'
    : 'changed';
}

/** Removes the mark before any change: the database counts as open from now on. */
export function markOpen(database: string): void {
  rmSync(closedMarkPath(database), { force: true });
  syncFolder(dirname(database));
}

function readAttributes(path: string): { size: number; modified: string } {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return { size: Number(size), modified: String(mtimeNs) };
}

async function computeChecksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

export interface SiteMark {
  readonly site: string;
  /** Number of starts of the site. */
  readonly starts: number;
}

/** Name of the mark in an image folder. */
const markName = '.site';

const imageName = /^[0-9a-f-]{36}$/;

/** The mark of a new site. */
export function createSiteMark(): SiteMark {
  return { site: randomUUID(), starts: 0 };
}

/** The mark of an image folder; undefined without one. Throws if it cannot be read. */
export function readMark(images: string): SiteMark | undefined {
  const path = join(images, markName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = systemError(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`cannot read "${path}": ${describeCause(error)}`, { cause: error });
  }
  const { site, starts } = parseSiteMark(text);
  if (site === undefined || starts === undefined) {
    throw new Error(`${path} is damaged: the site id of these images is missing`);
  }
  return { site, starts };
}

/** The parts of a site mark in a text. */
export function parseSiteMark(text: string): Partial<SiteMark> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  const [site, starts] = [getValueAt(value, ['site']), getValueAt(value, ['starts'])];
  return {
    ...(typeof site === 'string' ? { site } : {}),
    ...(typeof starts === 'number' ? { starts } : {}),
  };
}

/** Writes the mark of an image folder durably. */
export function writeMark(images: string, mark: SiteMark): void {
  writeDurably(join(images, markName), `${JSON.stringify(mark)}\n`, 0o600);
}

/** Unlisted files in an image folder. */
export interface UnlistedImages {
  readonly names: readonly string[];
  /** Allocated bytes on the disk. */
  readonly bytes: number;
}

/**
 * Unlisted image files with content. Empty ones come from rolled-back transactions and do not
 * indicate a mismatch.
 */
export function findUnlistedImages(images: string, known: ReadonlySet<string>): UnlistedImages {
  const names: string[] = [];
  let bytes = 0;
  for (const name of listNamesIn(images)) {
    if (!imageName.test(name) || known.has(name)) continue;
    const { blocks = 0, size = 0 } = lstatSync(join(images, name), { throwIfNoEntry: false }) ?? {};
    // Some file systems store small files without allocated blocks.
    if (blocks === 0 && (size === 0 || size >= 2 ** 16)) continue;
    names.push(name);
    bytes += blocks * 512;
  }
  return { names, bytes };
}

/** Names of the files in a folder; empty if the folder does not exist. */
export function listNamesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemError(error).code === 'ENOENT') return [];
    throw error;
  }
}
