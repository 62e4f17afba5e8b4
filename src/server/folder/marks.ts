/** Marks of a data folder: identity of the site, and clean shutdown. */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { causeOf } from '../files/access.ts';
import { syncFolder, writeDurably } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import { valueAt } from '../store/kinds.ts';

interface Mark {
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modified: string;
  readonly sha256: string;
}

/** How a database was left. */
export type Left =
  /** It was closed, and is as it was. */
  | 'closed'
  /** Its server has not ended by itself, or it was never opened by one that leaves marks. */
  | 'open'
  /** It was closed, and has another content now. */
  | 'changed';

/** Path of the mark of a database. */
export function markOf(database: string): string {
  return `${database}.closed`;
}

/** Leaves the mark. The database must be closed, with nothing left in its log. */
export async function markClosed(database: string): Promise<void> {
  const { size, modified } = looksOf(database);
  const mark: Mark = { size, modified, sha256: await sumOf(database) };
  writeDurably(markOf(database), `${JSON.stringify(mark)}\n`, 0o600);
}

/** How the database was left, by its mark. */
export async function howLeft(database: string): Promise<Left> {
  let mark: Mark;
  try {
    // `markClosed` wrote it.
    mark = JSON.parse(readFileSync(markOf(database), 'utf8')) as Mark;
  } catch {
    return 'open';
  }
  // It was empty when the database was closed: whatever is in it does not belong there.
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return 'changed';
  const { size, modified } = looksOf(database);
  if (mark.size === size && mark.modified === modified) return 'closed';
  return mark.size === size && mark.sha256 === (await sumOf(database)) ? 'closed' : 'changed';
}

/** Takes the mark away, before anything is changed: from here on the database is open. */
export function markOpen(database: string): void {
  rmSync(markOf(database), { force: true });
  syncFolder(dirname(database));
}

function looksOf(path: string): { size: number; modified: string } {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return { size: Number(size), modified: String(mtimeNs) };
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

export interface SiteMark {
  readonly site: string;
  /** How often the site was started. */
  readonly starts: number;
}

/** Name of the mark in a folder of images. */
const markName = '.site';

const imageName = /^[0-9a-f-]{36}$/;

/** The mark of a new site. */
export function newSite(): SiteMark {
  return { site: randomUUID(), starts: 0 };
}

/** The mark of a folder of images; undefined where it has none. Throws where it cannot be read. */
export function readMark(images: string): SiteMark | undefined {
  const path = join(images, markName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = systemError(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`cannot read "${path}": ${causeOf(error)}`, { cause: error });
  }
  const { site, starts } = siteMarkIn(text);
  if (site === undefined || starts === undefined) {
    throw new Error(`${path} is damaged: the site id of these images is missing`);
  }
  return { site, starts };
}

/** What a text says of a site, as far as it says it. */
export function siteMarkIn(text: string): Partial<SiteMark> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  const [site, starts] = [valueAt(value, ['site']), valueAt(value, ['starts'])];
  return {
    ...(typeof site === 'string' ? { site } : {}),
    ...(typeof starts === 'number' ? { starts } : {}),
  };
}

/** Writes the mark of a folder of images; it is durable when this returns. */
export function writeMark(images: string, mark: SiteMark): void {
  writeDurably(join(images, markName), `${JSON.stringify(mark)}\n`, 0o600);
}

/** What a folder of images holds beside those that are known. */
export interface Strangers {
  readonly names: readonly string[];
  /** Bytes that they take on the disk. */
  readonly bytes: number;
}

/**
 * Image files that are not known and hold something. Those that hold nothing are left by transactions
 * that came to nothing, and prove nothing.
 */
export function strangersIn(images: string, known: ReadonlySet<string>): Strangers {
  const names: string[] = [];
  let bytes = 0;
  for (const name of namesIn(images)) {
    if (!imageName.test(name) || known.has(name)) continue;
    const { blocks = 0, size = 0 } = lstatSync(join(images, name), { throwIfNoEntry: false }) ?? {};
    // Small files may lie where a file system counts no blocks.
    if (blocks === 0 && (size === 0 || size >= 2 ** 16)) continue;
    names.push(name);
    bytes += blocks * 512;
  }
  return { names, bytes };
}

/** Names of the files in a folder; none where there is no folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemError(error).code === 'ENOENT') return [];
    throw error;
  }
}
