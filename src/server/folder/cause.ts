/** Errors of the file system in words: what is the matter, and what helps. */

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the quota of the user on this disk is used up; free some space',
  EROFS: 'the file system is mounted for reading only; mount it for writing',
  EACCES: 'permission denied; make it readable and writable for the user of the server',
  EPERM: 'the operation is not permitted to the user of the server',
  EMFILE: 'the process has too many files open; raise its limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  EIO: 'the disk failed (input/output error); look at the log of the system',
  ENOTDIR: 'something on the way to it is a file and no folder',
  EISDIR: 'it is a folder and no file',
  ENOENT: 'it is not there',
  EFBIG: 'it is larger than files may be here',
  ELOOP: 'it is a symbolic link',
};

/** Why something failed: in words where the system's code is known. */
export function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && causes[code]) || (message ?? String(error));
}
