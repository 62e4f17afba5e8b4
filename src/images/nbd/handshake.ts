/** Fixed newstyle handshake with an NBD server, and selection of the export. */

import type { ByteReader } from './byte-reader.ts';
import {
  DEFAULT_MAX_PAYLOAD,
  GREETING,
  HandshakeFlag,
  Info,
  MAX_NAME,
  OPTION_MAGIC,
  OPTION_REFUSED,
  OPTION_REPLY_MAGIC,
  Option,
  OptionReply,
  protocolError,
  systemError,
} from './protocol.ts';

/** Properties of an export. Sizes are bytes. */
export interface ExportInfo {
  readonly size: number;
  /** Bits of `ExportFlag`. */
  readonly flags: number;
  /** Every offset and length must be a multiple of it. */
  readonly minimumBlock: number;
  /** Maximum data of one request or reply. */
  readonly maximumPayload: number;
  readonly structured: boolean;
  /** Numbers of the negotiated metadata contexts, by name. */
  readonly contexts: ReadonlyMap<string, number>;
}

/** Requested export and metadata contexts. */
export interface ExportRequest {
  readonly exportName: string;
  /**
   * Names of contexts. A name that ends with a colon selects the first context with this prefix.
   */
  readonly contexts: readonly string[];
}

/** Maximum length of the reply to an option, in bytes. */
const MAX_REPLY = 64 << 10;
const MAX_CONTEXTS = 10_000;
const MAX_BLOCK = 2 ** 20;

/** Negotiates the export. The wire accepts commands when the promise resolves. */
export async function negotiate(wire: ByteReader, wanted: ExportRequest): Promise<ExportInfo> {
  await readGreeting(wire);
  sendOption(wire, Option.structuredReply);
  const structured = (await replyTo(wire, Option.structuredReply)).type === OptionReply.ack;
  // Contexts require structured replies.
  const contexts = structured ? await negotiateContexts(wire, wanted) : new Map<string, number>();
  return { ...(await chooseExport(wire, wanted.exportName)), structured, contexts };
}

async function readGreeting(wire: ByteReader): Promise<void> {
  const greeting = await wire.read(18);
  if (greeting.readBigUInt64BE(0) !== GREETING) throw protocolError('not an NBD greeting');
  if (greeting.readBigUInt64BE(8) !== OPTION_MAGIC) {
    throw systemError('EPROTO', 'the NBD server only supports the old handshake');
  }
  const flags = greeting.readUInt16BE(16);
  if ((flags & HandshakeFlag.fixedNewstyle) === 0) {
    throw systemError('EPROTO', 'the NBD server only supports the first newstyle handshake');
  }
  const answer = Buffer.alloc(4);
  answer.writeUInt32BE(flags & (HandshakeFlag.fixedNewstyle | HandshakeFlag.noZeroes));
  wire.socket.write(answer);
}

function sendOption(wire: ByteReader, option: number, data = Buffer.alloc(0)): void {
  const head = Buffer.alloc(16);
  head.writeBigUInt64BE(OPTION_MAGIC, 0);
  head.writeUInt32BE(option, 8);
  head.writeUInt32BE(data.length, 12);
  wire.socket.write(Buffer.concat([head, data]));
}

interface Reply {
  readonly type: number;
  readonly data: Buffer;
}

async function replyTo(wire: ByteReader, option: number): Promise<Reply> {
  const head = await wire.read(20);
  if (head.readBigUInt64BE(0) !== OPTION_REPLY_MAGIC)
    throw protocolError('not a reply to an option');
  if (head.readUInt32BE(8) !== option) throw protocolError('a reply to another option');
  const length = head.readUInt32BE(16);
  if (length > MAX_REPLY) throw protocolError(`a reply of ${length} bytes to an option`);
  return { type: head.readUInt32BE(12), data: await wire.read(length) };
}

/** Error of a refused option, with the message of the server. */
function optionError({ type, data }: Reply, what: string): Error {
  const text = data.subarray(0, MAX_NAME).toString().trim();
  const reasons: Readonly<Record<number, [string, string]>> = {
    1: ['ENOTSUP', 'it does not support it'],
    2: ['EACCES', 'permission denied'],
    5: ['EACCES', 'it requires TLS'],
    6: ['ENOENT', 'unknown export'],
    7: ['ESHUTDOWN', 'it is shutting down'],
  };
  const [code, reason] = reasons[type - OPTION_REFUSED] ?? ['EIO', `error ${type}`];
  return systemError(code, `the NBD server refuses ${what}: ${text === '' ? reason : text}`);
}

/** Text with a 32-bit length before it. */
function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

async function negotiateContexts(
  wire: ByteReader,
  wanted: ExportRequest,
): Promise<Map<string, number>> {
  const names: string[] = [];
  for (const name of wanted.contexts) {
    if (!name.endsWith(':')) names.push(name);
    else names.push(...(await listContextNames(wire, wanted.exportName, name)).slice(0, 1));
  }
  const agreed = new Map<string, number>();
  if (names.length === 0) return agreed;
  for await (const [id, name] of requestContexts(
    wire,
    Option.setMetaContext,
    wanted.exportName,
    names,
  )) {
    if (names.includes(name)) agreed.set(name, id);
  }
  return agreed;
}

/** Names of the contexts with a prefix. */
async function listContextNames(
  wire: ByteReader,
  exportName: string,
  beginning: string,
): Promise<string[]> {
  const names: string[] = [];
  const listed = requestContexts(wire, Option.listMetaContext, exportName, [beginning]);
  for await (const [, name] of listed) {
    if (name.startsWith(beginning) && name.length > beginning.length) names.push(name);
  }
  return names;
}

/** Requests contexts of an export. A server that does not support the option has none. */
async function* requestContexts(
  wire: ByteReader,
  option: number,
  exportName: string,
  queries: readonly string[],
): AsyncGenerator<[id: number, name: string]> {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(queries.length);
  sendOption(
    wire,
    option,
    Buffer.concat([lengthPrefixed(exportName), count, ...queries.map(lengthPrefixed)]),
  );
  // The caller must read all replies, because the remainder would precede the reply to the next
  // option.
  for (let listed = 0; ; listed++) {
    const reply = await replyTo(wire, option);
    if (reply.type !== OptionReply.metaContext) return;
    if (listed === MAX_CONTEXTS) throw protocolError('too many contexts');
    if (reply.data.length < 4) throw protocolError('a context without a number');
    yield [reply.data.readUInt32BE(0), reply.data.toString('utf8', 4)];
  }
}

type ExportLimits = Pick<ExportInfo, 'size' | 'flags' | 'minimumBlock' | 'maximumPayload'>;

/** Selects the export. The server must send its size, and may send its limits. */
async function chooseExport(wire: ByteReader, exportName: string): Promise<ExportLimits> {
  const requests = Buffer.alloc(4);
  requests.writeUInt16BE(1, 0);
  requests.writeUInt16BE(Info.blockSize, 2);
  sendOption(wire, Option.go, Buffer.concat([lengthPrefixed(exportName), requests]));
  let size: number | undefined;
  let flags = 0;
  let minimumBlock = 1;
  let maximumPayload = DEFAULT_MAX_PAYLOAD;
  for (;;) {
    const reply = await replyTo(wire, Option.go);
    const { type, data } = reply;
    if (type === OptionReply.ack) break;
    if (type >= OPTION_REFUSED)
      throw optionError(reply, `the export ${JSON.stringify(exportName)}`);
    if (type !== OptionReply.info || data.length < 2) continue;
    const kind = data.readUInt16BE(0);
    if (kind === Info.export && data.length === 12) {
      size = Number(data.readBigUInt64BE(2));
      flags = data.readUInt16BE(10);
    } else if (kind === Info.blockSize && data.length === 14) {
      minimumBlock = data.readUInt32BE(2);
      maximumPayload = Math.min(data.readUInt32BE(10), DEFAULT_MAX_PAYLOAD);
    }
  }
  if (size === undefined || !Number.isSafeInteger(size))
    throw protocolError('no size of the export');
  const isPower = minimumBlock > 0 && (minimumBlock & (minimumBlock - 1)) === 0;
  if (!isPower || minimumBlock > MAX_BLOCK || maximumPayload < minimumBlock) {
    throw protocolError('invalid block sizes');
  }
  maximumPayload -= maximumPayload % minimumBlock;
  return { size, flags, minimumBlock, maximumPayload };
}
