/**
 * How a store knows that a folder of images is its own: both hold the id of the site, and how often
 * it was started. The store counts first, so it may be one ahead, and never behind.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../files/durable-file.ts';
import { causeOf } from './cause.ts';

export interface SiteMark {
  readonly site: string;
  /** How often the site was started. */
  readonly starts: number;
}

/** Name of the mark in a folder of images. */
export const markName = '.site';

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
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`${path} cannot be read: ${causeOf(error)}`, { cause: error });
  }
  const mark = parsed(text);
  if (typeof mark?.site !== 'string' || typeof mark.starts !== 'number') {
    throw new Error(`${path} is damaged: it does not say of which site these images are`);
  }
  return mark;
}

function parsed(text: string): Partial<SiteMark> & SiteMark {
  try {
    return JSON.parse(text);
  } catch {
    return {} as SiteMark;
  }
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
