/** Files that a command writes for its user: never over another file without `--force`. */

import { existsSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { replaceFile } from '../session/private-file.ts';
import { formatOf, isTable, print } from './print.ts';

/** A file to write. */
export interface SavedFile {
  readonly path: string;
  /** Replace an existing file. */
  readonly force?: boolean | undefined;
  /** Permissions of the new file (default 0o644, reduced by the umask). */
  readonly mode?: number;
}

/** Throws a usage error (`file_exists`) if the file exists and `force` is not set. */
export function requireFreePath({ path, force }: SavedFile): void {
  if (force !== true && existsSync(path)) throw fileExists(path);
}

/**
 * Writes the file. With `force` the file is replaced in one step, and a symbolic link is replaced rather than
 * followed. Throws a usage error: `file_exists`, or `unwritable_file` with the reason of the system.
 */
export function saveFile(file: SavedFile, content: string | Uint8Array): void {
  const { path, force, mode = 0o644 } = file;
  try {
    if (force === true) replaceFile(path, content, mode);
    else writeFileSync(path, content, { flag: 'wx', mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(path);
    throw unwritable(path, error);
  }
}

/** Prints the path of a file that was written: as a line, or as `{"file": PATH}` for programs. */
export async function printSavedPath(cli: CommandContext, path: string): Promise<void> {
  if (isTable(formatOf(cli))) await write(cli.io.stdout, `${escapeControlChars.line(path)}\n`);
  else await print(cli, { noun: 'vms', items: [{ file: path }], single: true });
}

function fileExists(path: string): UsageError {
  return new UsageError(`${path} already exists`, {
    code: 'file_exists',
    hint: 'replace it with --force, or use another --file',
  });
}

function unwritable(path: string, error: unknown): UsageError {
  return new UsageError(`cannot write "${path}": ${systemReason(error)}`, {
    code: 'unwritable_file',
    cause: error,
  });
}
