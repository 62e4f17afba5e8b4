/** Access to the data folder for its owner alone, and messages for file system errors. */

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

/** Causes with what the administrator of the server can do; `system-errors.ts` has the others. */
const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota of the user is exceeded; free some space',
  EROFS: 'the file system is read-only; mount it read-write',
  EACCES: 'permission denied; make it readable and writable for the user of the server',
  EPERM: 'the operation is not permitted to the user of the server',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  EIO: 'disk failure (input/output error); check the system log',
};

/** The cause of an error of the system in words; undefined for any other error. */
export function knownCauseOf(error: unknown): string | undefined {
  const { code } = systemError(error);
  return code === undefined ? undefined : (causes[code] ?? reasonOfCode(code));
}

/** Why something failed: in words where the system's code is known. */
export function causeOf(error: unknown): string {
  return knownCauseOf(error) ?? systemError(error).message ?? String(error);
}

/** What somebody has to put right before a server can start; `hint` says how. */
export class FolderError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** Another server has the folder. */
export class FolderInUse extends FolderError {}

const others = 0o077;
const writtenByOthers = 0o022;

/**
 * Makes the folder, for its owner alone, or takes one that is there: it must belong to whoever runs
 * the server, and nobody else may write it. Throws a `FolderError`.
 */
export function ownFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemError(error).code === 'EEXIST') throw notAFolder(path, error);
    if (systemError(error).code === 'ENOTDIR') throw notAFolder(path, error);
    throw new FolderError(`cannot create folder "${path}": ${causeOf(error)}`, undefined, error);
  }
  // Windows has other ways to say who may do what.
  if (!process.geteuid) return;
  const found = statSync(path);
  requireOwn(path, found);
  if ((found.mode & writtenByOthers) !== 0) {
    throw new FolderError(
      `Other users can write to ${path} (mode ${modeOf(found)}) and may have changed its contents.`,
      `if you trust its contents: chmod go-w ${path}`,
    );
  }
  if ((found.mode & others) !== 0) {
    tighten(path, () => chmodSync(path, found.mode & ~others & 0o7777));
  }
}

/** Makes a file that only its owner may read, or takes what it is from others where it is there. */
export function ownFile(path: string, make = false): void {
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
    throw new FolderError(`cannot write "${path}": ${causeOf(error)}`, undefined, error);
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
      `other users can read ${path}, and its mode cannot be changed: ${causeOf(error)}`,
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

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
