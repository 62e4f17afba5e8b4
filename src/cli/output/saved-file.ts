/** Output files of commands, which replace existing files only with `--force`. */

import { existsSync, writeFileSync } from 'node:fs';
import { getErrorCode } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { replaceFile } from '../session/private-file.ts';
import { getFormat, isTable, printView } from './print.ts';

export interface SavedFile {
  readonly path: string;
  /** Replace an existing file. */
  readonly force?: boolean | undefined;
  /** Permissions of the new file (default 0o644, reduced by the umask). */
  readonly mode?: number;
}

/** Throws `UsageError` (`file_exists`) if the file exists and `force` is not set. */
export function requireFreePath({ path, force }: SavedFile): void {
  if (force !== true && existsSync(path)) throw createFileExistsError(path);
}

/**
 * Writes a file. `force` replaces a file atomically, and a symbolic link itself rather than its
 * target. Throws `UsageError`: `file_exists`, or `unwritable_file` with the reason of the system.
 */
export function saveFile(file: SavedFile, content: string | Uint8Array): void {
  const { path, force, mode = 0o644 } = file;
  try {
    if (force === true) replaceFile(path, content, mode);
    else writeFileSync(path, content, { flag: 'wx', mode });
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') throw createFileExistsError(path);
    throw createWriteError(path, error);
  }
}

/** Prints the path of a written file: as a line, or as `{"file": PATH}` for programs. */
export async function printSavedPath(cli: CommandContext, path: string): Promise<void> {
  if (isTable(getFormat(cli))) await write(cli.io.stdout, `${escapeControlChars.line(path)}\n`);
  else await printView(cli, { noun: 'vms', items: [{ file: path }], single: true });
}

function createFileExistsError(path: string): UsageError {
  return new UsageError(`${path} already exists`, {
    code: 'file_exists',
    hint: 'replace it with --force, or use another --file',
  });
}

function createWriteError(path: string, error: unknown): UsageError {
  return new UsageError(`cannot write "${path}": ${systemReason(error)}`, {
    code: 'unwritable_file',
    cause: error,
  });
}
