/** Private files: readable only by their owner, replaced atomically. */

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
import { getErrorCode } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/**
 * Protection of a file: `secret` against readers, `trusted` against writers. An `owned` file only
 * needs the right owner, and is a regular file.
 */
export type Protection = 'secret' | 'trusted' | 'owned';

const forbiddenBits: Readonly<Record<Protection, number>> = {
  secret: 0o077,
  trusted: 0o022,
  owned: 0,
};

/**
 * Reads a file; `undefined` if it does not exist. Throws `UsageError` if another user owns the
 * file, can read it (`secret`) or can write it (`secret` and `trusted`).
 */
export function readPrivate(path: string, protection: Protection): string | undefined {
  let file: number;
  try {
    // A named pipe without a writer would block the command.
    const noWait = protection === 'owned' ? (constants.O_NONBLOCK ?? 0) : 0;
    file = openSync(path, constants.O_RDONLY | noFollow | noWait);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') {
      throw new UsageError(`${path} is a symbolic link`, {
        code: 'unsafe_file',
        hint: 'replace the link with the file',
      });
    }
    throw readError(path, error);
  }
  try {
    const stats = fstatSync(file);
    const { mode, uid } = stats;
    if (protection === 'owned' && !stats.isFile()) {
      throw new UsageError(`${path} is not a regular file`, { code: 'unsafe_file' });
    }
    const self = process.getuid?.();
    if (self !== undefined && uid !== self && uid !== 0) {
      throw new UsageError(`${path} belongs to another user (${uid})`, {
        code: 'unsafe_file',
        hint: `check its contents, then remove it, or run chown ${self} ${path}`,
      });
    }
    if (self !== undefined && (mode & forbiddenBits[protection]) !== 0) {
      const may = protection === 'secret' ? 'read' : 'change';
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

function readError(path: string, error: unknown): UsageError {
  return new UsageError(`cannot read "${path}": ${systemReason(error)}`, {
    code: 'unreadable_file',
    hint: 'check the permissions of the file and its directories',
    cause: error,
  });
}

/** Replaces a file and creates its directory if necessary, both closed to other users. */
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

/** Creates a directory for its owner only, or closes an existing one to other users. */
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

const lockTimeoutMs = 5_000;
const staleLockMs = 10_000;

/**
 * Runs a change under a lock file between processes. After five seconds it runs `otherwise`, or
 * throws `UsageError`.
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
      if (getErrorCode(error) !== 'EEXIST') throw error;
      removeStaleLock(lock);
      if (Date.now() - began > lockTimeoutMs) {
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

/** Removes a lock whose owner must have died. */
function removeStaleLock(lock: string): void {
  try {
    if (Date.now() - statSync(lock).mtimeMs > staleLockMs) rmSync(lock, { force: true });
  } catch {
    // Another process removed it.
  }
}

/**
 * Opens a private file to append to it, and creates it if necessary. Returns the descriptor. Throws
 * `UsageError` if other users can read it, or if it is not writable.
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

/** Checks a file that the command writes at its end. Throws the `UsageError` of the write. */
export function requireWritable(option: string, path: string): void {
  try {
    const folder = dirname(path);
    accessSync(folder, constants.W_OK);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw Object.assign(new Error(), { code: 'EISDIR' });
    }
  } catch (error) {
    throw writeError(option, path, error);
  }
}

/** Writes a file atomically. Throws `UsageError` if it is not writable. */
export function writeOptionFile(
  option: string,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): void {
  try {
    replaceFile(path, content, mode);
  } catch (error) {
    throw writeError(option, path, error);
  }
}

function writeError(option: string, path: string, error: unknown): UsageError {
  return new UsageError(`${option}: cannot write "${path}": ${systemReason(error)}`, {
    code: 'unwritable_file',
    cause: error,
  });
}

/** Writes the ready file for the process that started a server, once the server responds. */
export function writeReadyFile(path: string, ready: object, mode?: number): void {
  writeOptionFile('--ready-file', path, `${JSON.stringify(ready, null, 2)}\n`, mode);
}
