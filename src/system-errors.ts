/** Errors of the operating system, in words for users. */
import { getErrorCode } from './caught-errors.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file exceeds a limit of the file system',
  EIO: 'input/output error',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a symbolic link, or has too many of them',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  EXDEV: 'it is on another file system',
  ENXIO: 'no such device',
  ENODEV: 'no such device',
  EADDRINUSE: 'another program uses the address',
  EADDRNOTAVAIL: 'the address does not belong to this computer',
  ENOTFOUND: 'host not found',
};

const actions: Readonly<Record<string, string>> = {
  open: 'open',
  read: 'read',
  write: 'write',
  writev: 'write',
  ftruncate: 'write',
  fsync: 'write',
  mkdir: 'create',
  mkdtemp: 'create',
  unlink: 'remove',
  rmdir: 'remove',
  rm: 'remove',
  rename: 'rename',
  link: 'create',
  symlink: 'create',
  chmod: 'change the mode of',
  fchmod: 'change the mode of',
  scandir: 'read',
  stat: 'read',
  lstat: 'read',
  readlink: 'read',
  copyfile: 'copy',
};

/** Whether an error comes from a system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!/^E[A-Z0-9]+$/.test(getErrorCode(error) ?? '')) return false;
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
}

/**
 * Meaning of a system error code, for example `permission denied` for `EACCES`. `undefined` for an
 * unknown code.
 */
export function reasonOfCode(code: string): string | undefined {
  return reasons[code];
}

/** Reason without the name of a file: `permission denied`. For other errors, their message. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = getErrorCode(error);
  const known = code === undefined ? undefined : reasonOfCode(code);
  if (known !== undefined) return known;
  // Node.js adds the call and the path after a comma.
  return isSystemError(error) ? (error.message.split(',', 1)[0] ?? '') : error.message;
}

/** Complete message of a system error: `cannot open "x": permission denied`. */
export function systemMessage(error: NodeJS.ErrnoException): string {
  const { syscall = '', path } = error;
  const command = syscall.startsWith('spawn ') ? syscall.slice('spawn '.length) : undefined;
  if (command !== undefined) return `cannot run "${command}": ${systemReason(error)}`;
  const action = actions[syscall];
  const object = path === undefined ? 'a file' : `"${path}"`;
  return action === undefined
    ? `${syscall} failed${path === undefined ? '' : ` for ${object}`}: ${systemReason(error)}`
    : `cannot ${action} ${object}: ${systemReason(error)}`;
}
