/** Owner-only access to the data folder, and messages for file system errors. */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { reasonOfCode } from '../../system-errors.ts';
import { systemError } from './system-error.ts';

/** Causes with a remedy for the administrator; `system-errors.ts` contains the others. */
const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota of the user is exceeded; free some space',
  EROFS: 'the file system is read-only; mount it read-write',
  EACCES: 'permission denied; make it readable and writable for the user of the server',
  EPERM: 'the operation is not permitted to the user of the server',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  EIO: 'disk failure (input/output error); check the system log',
};

/** The cause of a system error in words; undefined for any other error. */
export function findKnownCause(error: unknown): string | undefined {
  const { code } = systemError(error);
  return code === undefined ? undefined : (causes[code] ?? reasonOfCode(code));
}

/** The cause of an error, in words for known system codes. */
export function describeCause(error: unknown): string {
  return findKnownCause(error) ?? systemError(error).message ?? String(error);
}

/** Problem that prevents a start of the server until it is fixed; `hint` contains the remedy. */
export class FolderError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** Error for a folder in use by another server. */
export class FolderInUse extends FolderError {}

const others = 0o077;
const writtenByOthers = 0o022;

/**
 * Creates the folder for its owner only, or validates an existing one: it must belong to the user
 * of the server and must not be writable by others. Throws a `FolderError`.
 */
export function restrictFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemError(error).code === 'EEXIST') throw notAFolder(path, error);
    if (systemError(error).code === 'ENOTDIR') throw notAFolder(path, error);
    throw new FolderError(
      `cannot create folder "${path}": ${describeCause(error)}`,
      undefined,
      error,
    );
  }
  // Windows has a different permission system.
  if (!process.geteuid) return;
  const found = statSync(path);
  requireOwn(path, found);
  if ((found.mode & writtenByOthers) !== 0) {
    throw new FolderError(
      `Other users can write to ${path} (mode ${formatMode(found)}) and may have changed its contents.`,
      `if you trust its contents: chmod go-w ${path}`,
    );
  }
  if ((found.mode & others) !== 0) {
    tighten(path, () => chmodSync(path, found.mode & ~others & 0o7777));
  }
}

/** Creates a file with owner-only access, or restricts the access to an existing one. */
export function restrictFile(path: string, make = false): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found && !make) return;
  if (found?.isDirectory()) {
    throw new FolderError(
      `${path} is a folder; expected a file.`,
      `move it away, or use another folder with --data`,
    );
  }
  if (found && !found.isFile()) {
    throw new FolderError(
      `${path} is not a regular file.`,
      'move it away; links are not followed here',
    );
  }
  const flags = constants.O_RDWR | (make ? constants.O_CREAT : 0) | (constants.O_NOFOLLOW ?? 0);
  let file: number;
  try {
    file = openSync(path, flags, 0o600);
  } catch (error) {
    throw new FolderError(`cannot write "${path}": ${describeCause(error)}`, undefined, error);
  }
  try {
    const opened = fstatSync(file);
    requireOwn(path, opened);
    if ((opened.mode & others) !== 0) tighten(path, () => fchmodSync(file, 0o600));
  } finally {
    closeSync(file);
  }
}

function tighten(path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    throw new FolderError(
      `other users can read ${path}, and its mode cannot be changed: ${describeCause(error)}`,
      `chmod go-rwx ${path}`,
      error,
    );
  }
}

function requireOwn(path: string, found: Stats): void {
  const me = process.geteuid?.();
  if (me === undefined || found.uid === me) return;
  throw new FolderError(
    `${path} belongs to another user (${found.uid}; this is ${me}).`,
    'run the server as that user, or use your own folder with --data',
  );
}

function notAFolder(path: string, cause: unknown): FolderError {
  return new FolderError(
    `${path} cannot be the data folder: it, or a part of its path, is a file.`,
    'use a folder with --data',
    cause,
  );
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
