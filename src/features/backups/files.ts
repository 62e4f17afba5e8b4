/** File access for backup folders: optional reads and durable writes. */

import { open, readdir, readFile, rename } from 'node:fs/promises';
import { getErrorCode, getErrorMessage } from '../../caught-errors.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';

/** Names in a folder; an empty list if the folder does not exist. */
export async function listNames(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
      code: 'unreadable_file',
    });
  }
}

/**
 * JSON object in a file, with source positions; undefined if the file does not exist. Throws as
 * `parseObject` does.
 */
export async function readJson(path: string): Promise<ParsedFile | undefined> {
  const text = await readOptional(path);
  if (text === undefined) return undefined;
  return parseObject(text, path);
}

/**
 * JSON object in the text of a file, with source positions. Throws `damaged_file` with the position
 * of the error.
 */
export function parseObject(text: string, path: string): ParsedFile {
  try {
    return parseJsonFile(text, path);
  } catch (cause) {
    throw new UsageError(getErrorMessage(cause), {
      code: 'damaged_file',
      hint: 'restore the file from a copy of the folder, or move it away',
      cause,
    });
  }
}

/**
 * Text of a file; undefined if the file does not exist. Throws `unreadable_file` for every other
 * failure.
 */
export async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
      code: 'unreadable_file',
      cause: error,
    });
  }
}

/** Replaces a file atomically and flushes it to disk before the rename. */
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

/** Flushes the directory entries of a folder to disk. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Runs file operations below `path`. Reports system errors as `unwritable_file` with that path. */
export async function reportingWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
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
