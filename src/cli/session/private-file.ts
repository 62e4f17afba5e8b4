/** Files that only their owner may read: made so from the first byte, replaced as a whole. */

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/** Whether the file holds secrets, or only must not be changed by others. */
export type Protection = 'secret' | 'trusted';

const forbiddenBits: Readonly<Record<Protection, number>> = { secret: 0o077, trusted: 0o022 };

/**
 * The text of a file, or `undefined` when there is none. Refuses a file that somebody else owns,
 * or that others may read (secrets) or write (all).
 */
export function readPrivate(path: string, protectedContextGuard: Protection): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | noFollow);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') {
      throw new UsageError(`${path} is a symbolic link`, {
        code: 'unsafe_file',
        hint: 'replace the link with the file',
      });
    }
    throw unreadable(path, error);
  }
  try {
    const { mode, uid } = fstatSync(file);
    const self = process.getuid?.();
    if (self !== undefined && uid !== self && uid !== 0) {
      throw new UsageError(`${path} belongs to another user (${uid})`, {
        code: 'unsafe_file',
        hint: `check its contents, then remove it, or run chown ${self} ${path}`,
      });
    }
    if (self !== undefined && (mode & forbiddenBits[protectedContextGuard]) !== 0) {
      const may = protectedContextGuard === 'secret' ? 'read' : 'change';
      throw new UsageError(`other users can ${may} ${path}`, {
        code: 'unsafe_file',
        hint: `chmod 600 ${path}`,
      });
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
    code: 'unreadable_file',
    hint: 'check the permissions of the file and its directories',
    cause: error,
  });
}

/** Replaces a file in a directory of our own, which is made if need be and closed to others. */
export function writePrivate(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  replaceFile(path, text);
}

/** Replaces a file atomically, and flushes it to the disk. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.${process.pid}.${Date.now().toString(36)}`;
  const file = openSync(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
    mode,
  );
  try {
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** A directory of our own; one that others may look into is closed to them. */
export function makePrivateDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { mode, uid } = statSync(directory);
    if (process.getuid?.() === uid && (mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    throw new UsageError(`cannot create "${directory}": ${systemReason(error)}`, {
      code: 'unwritable_directory',
      hint: 'set VMCTL_CONFIG_DIR or XDG_STATE_HOME to another path',
      cause: error,
    });
  }
}

const lockPatience = 5_000;
const lockAge = 10_000;

/**
 * Changes a file while no other process does: the change starts from what is there now. Throws a usage
 * error after five seconds of waiting, unless `otherwise` says what to do then.
 */
export async function withLock<T>(
  path: string,
  change: () => T | Promise<T>,
  otherwise?: () => T | Promise<T>,
): Promise<T> {
  const lock = `${path}.lock`;
  makePrivateDirectory(dirname(path));
  const began = Date.now();
  for (;;) {
    try {
      closeSync(openSync(lock, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      dropStale(lock);
      if (Date.now() - began > lockPatience) {
        if (otherwise) return await otherwise();
        throw new UsageError(`another vmctl has the lock ${lock}`, {
          code: 'locked',
          hint: `wait for it, or remove ${lock} if no vmctl is running`,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
    }
  }
  try {
    return await change();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whoever held the lock this long has died. */
function dropStale(lock: string): void {
  try {
    if (Date.now() - statSync(lock).mtimeMs > lockAge) rmSync(lock, { force: true });
  } catch {
    // It is gone already.
  }
}

/**
 * Opens a file that only its owner may read, to add to it; it is made where it is not there. Throws a
 * usage error where others may read it, or where it cannot be written.
 */
export function openAppending(option: string, path: string): number {
  const { O_WRONLY, O_CREAT, O_APPEND } = constants;
  let file: number;
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | noFollow, 0o600);
  } catch (error) {
    throw new UsageError(`${option}: cannot write "${path}": ${systemReason(error)}`, {
      cause: error,
    });
  }
  const stats = fstatSync(file);
  if (stats.isFile() && process.getuid !== undefined && (stats.mode & 0o077) !== 0) {
    closeSync(file);
    throw new UsageError(`${option} ${path}: other users can read this file`, {
      code: 'unsafe_file',
      hint: `run chmod 600 ${path}, or use a new file`,
    });
  }
  return file;
}

/** Checks a file that is written later, when it would be too late. Throws the usage error of a write. */
export function requireWritable(option: string, path: string): void {
  try {
    const folder = dirname(path);
    accessSync(folder, constants.W_OK);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw Object.assign(new Error(), { code: 'EISDIR' });
    }
  } catch (error) {
    throw unwritable(option, path, error);
  }
}

/** Writes the file in one step. Throws a usage error where it cannot be written. */
export function writeOptionFile(
  option: string,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): void {
  try {
    replaceFile(path, content, mode);
  } catch (error) {
    throw unwritable(option, path, error);
  }
}

function unwritable(option: string, path: string, error: unknown): UsageError {
  return new UsageError(`${option}: cannot write "${path}": ${systemReason(error)}`, {
    code: 'unwritable_file',
    cause: error,
  });
}

/** Tells whoever started a server where it is, once it answers. */
export function writeReadyFile(path: string, ready: object, mode?: number): void {
  writeOptionFile('--ready-file', path, `${JSON.stringify(ready, null, 2)}\n`, mode);
}
