// Errors of NBD servers as the system's error codes, which the rest of the daemon knows.

/** The protocol's error numbers are those of Linux, whatever the system of either side. */
const CODES: Readonly<Record<number, string>> = {
  1: 'EPERM',
  5: 'EIO',
  12: 'ENOMEM',
  22: 'EINVAL',
  28: 'ENOSPC',
  75: 'EOVERFLOW',
  95: 'ENOTSUP',
  108: 'ESHUTDOWN',
};

/** An error with a system code, as the file system's errors have one. */
export function systemError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** The error that a server names by number; unknown numbers are input/output errors. */
export function serverError(number: number, what: string, text = ''): NodeJS.ErrnoException {
  const said = text === '' ? '' : `: ${text}`;
  return systemError(CODES[number] ?? 'EIO', `the NBD server refused to ${what}${said}`);
}

/** The server did something that the protocol does not allow: nothing it says can be trusted. */
export function violation(what: string): NodeJS.ErrnoException {
  return systemError('EPROTO', `the NBD server broke the protocol: ${what}`);
}
