/** Constants of the NBD protocol, and its errors as system error codes. */

/** Greeting of a server, and magic numbers of options. */
export const GREETING = 0x4e42_444d_4147_4943n;
export const OPTION_MAGIC = 0x4948_4156_454f_5054n;
export const OPTION_REPLY_MAGIC = 0x0003_e889_0455_65a9n;
export const REQUEST_MAGIC = 0x2560_9513;
export const SIMPLE_REPLY_MAGIC = 0x6744_6698;
export const STRUCTURED_REPLY_MAGIC = 0x668e_33ef;

/** Flags of the greeting and the response. */
export const HandshakeFlag = { fixedNewstyle: 1, noZeroes: 2 } as const;

export const Option = {
  abort: 2,
  go: 7,
  structuredReply: 8,
  listMetaContext: 9,
  setMetaContext: 10,
} as const;

/** Replies to options. A set highest bit is a refusal. */
export const OptionReply = { ack: 1, info: 3, metaContext: 4 } as const;
export const OPTION_REFUSED = 2 ** 31;

/** Types of information about an export. */
export const Info = { export: 0, blockSize: 3 } as const;

/** Features of an export. */
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

/** Flag of write-zeroes: the range remains allocated. */
export const NO_HOLE = 1 << 1;

/** Types of chunks in a structured reply. A set highest bit is an error. */
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
/** Bit of the context of a dirty bitmap. */
export const DIRTY = 1;

export const BASE_ALLOCATION = 'base:allocation';
/** Context of QEMU: depth of the file with the data in a backing chain; 0 if unallocated. */
export const ALLOCATION_DEPTH = 'qemu:allocation-depth';
/** Context of QEMU: prefix of the names of dirty bitmaps. */
export const DIRTY_BITMAP = 'qemu:dirty-bitmap:';

/** Maximum data bytes in a request or reply, unless the server sends a limit. */
export const DEFAULT_MAX_PAYLOAD = 32 * 2 ** 20;
/** Maximum length of names of exports and contexts, in bytes. */
export const MAX_NAME = 4096;

/** The protocol uses the error numbers of Linux on all systems. */
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

/** Error with a system error code, as errors of the file system have. */
export function systemError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Error for an error number of the server. Unknown numbers become input/output errors. */
export function serverError(number: number, what: string, text = ''): NodeJS.ErrnoException {
  const details = text === '' ? '' : `: ${text}`;
  return systemError(CODES[number] ?? 'EIO', `the NBD server refused to ${what}${details}`);
}

/** Error for a protocol violation. Later data of the server are not reliable. */
export function protocolError(what: string): NodeJS.ErrnoException {
  return systemError('EPROTO', `NBD protocol error of the server: ${what}`);
}
