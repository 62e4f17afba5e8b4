/** Files of a folder of backups: read if they are there, written durably. */

import { open, readdir, readFile, rename } from 'node:fs/promises';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';

/** The names in a folder; none where it is not there. */
export async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
      code: 'unreadable_file',
    });
  }
}

/** The JSON object in a file, with its positions; undefined if there is no file. Throws as `objectIn` does. */
export async function readJson(path: string): Promise<ParsedFile | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  return objectIn(text, path);
}

/** The JSON object in the text of a file, with its positions. Throws `damaged_file` with the position of the mistake. */
export function objectIn(text: string, path: string): ParsedFile {
  try {
    return parseJsonFile(text, path);
  } catch (cause) {
    throw new UsageError((cause as Error).message, {
      code: 'damaged_file',
      hint: 'restore the file from a copy of the folder, or move it away',
      cause,
    });
  }
}

/** The text of a file; nothing where there is none. One that cannot be read is not one that is not there. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
      code: 'unreadable_file',
      cause: error,
    });
  }
}

/** Puts a text in the place of a file, in one step that a loss of power does not undo. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

/** Makes durable which names a folder has. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Does something with the folder; says which one it was when the system refuses. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VmctlError) throw error;
    throw new VmctlError(`cannot write "${path}": ${systemReason(error)}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
}
