/** Constants of the NBD protocol, and its errors as system error codes. */

/** What a server greets with, and what follows where options are understood. */
export const GREETING = 0x4e42_444d_4147_4943n;
export const OPTION_MAGIC = 0x4948_4156_454f_5054n;
export const OPTION_REPLY_MAGIC = 0x0003_e889_0455_65a9n;
export const REQUEST_MAGIC = 0x2560_9513;
export const SIMPLE_REPLY_MAGIC = 0x6744_6698;
export const STRUCTURED_REPLY_MAGIC = 0x668e_33ef;

/** Of the greeting, and of the answer to it. */
export const HandshakeFlag = { fixedNewstyle: 1, noZeroes: 2 } as const;

export const Option = {
  abort: 2,
  go: 7,
  structuredReply: 8,
  listMetaContext: 9,
  setMetaContext: 10,
} as const;

/** Replies to options; those with the highest bit are refusals. */
export const OptionReply = { ack: 1, info: 3, metaContext: 4 } as const;
export const OPTION_REFUSED = 2 ** 31;

/** Kinds of information about an export. */
export const Info = { export: 0, blockSize: 3 } as const;

/** What an export can do. */
export const ExportFlag = {
  readOnly: 1 << 1,
  flush: 1 << 2,
  writeZeroes: 1 << 6,
  multipleConnections: 1 << 8,
} as const;

export const Command = {
  read: 0,
  write: 1,
  disconnect: 2,
  flush: 3,
  writeZeroes: 6,
  blockStatus: 7,
} as const;
export type Command = (typeof Command)[keyof typeof Command];

/** Of write-zeroes: the range keeps its space. */
export const NO_HOLE = 1 << 1;

/** Kinds of chunks of a structured reply; those with the highest bit tell of an error. */
export const Chunk = {
  none: 0,
  offsetData: 1,
  offsetHole: 2,
  blockStatus: 5,
  errorOffset: (1 << 15) + 2,
} as const;
export const CHUNK_ERROR = 1 << 15;
export const CHUNK_DONE = 1;

/** Bits of the context `base:allocation`. */
export const Allocation = { hole: 1, zero: 2 } as const;
/** The bit of a dirty bitmap's context. */
export const DIRTY = 1;

export const BASE_ALLOCATION = 'base:allocation';
/** Of QEMU: in which file of a chain the data are; 0: in none. */
export const ALLOCATION_DEPTH = 'qemu:allocation-depth';
/** Of QEMU: the beginning of the names of all dirty bitmaps. */
export const DIRTY_BITMAP = 'qemu:dirty-bitmap:';

/** Bytes of data in a request or reply where the server does not say. */
export const DEFAULT_MAX_PAYLOAD = 32 * 2 ** 20;
/** Longest name of an export or a context, in bytes. */
export const MAX_NAME = 4096;

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
export function protocolError(what: string): NodeJS.ErrnoException {
  return systemError('EPROTO', `NBD protocol error of the server: ${what}`);
}
