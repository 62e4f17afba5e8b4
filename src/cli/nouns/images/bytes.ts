/** `vmctl images read`, `write`, `zero` and `flush`: the bytes of an image. */
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ConnectionError, UsageError, VmctlError } from '../../../client/errors.ts';
import { PartialFile } from '../../../transfer/index.ts';
import type { Cli } from '../../cli.ts';
import { humanBytes } from '../../output/cells.ts';
import { longOf } from '../../resources/values.ts';
import { sizeOf } from '../disks/transfer-options.ts';
import { TicketUrl } from './ticket.ts';

export interface ReadFlags {
  readonly offset: string;
  readonly size?: string;
  readonly outputFile?: string;
  readonly force?: boolean;
}

export interface WriteFlags {
  readonly offset: string;
  readonly flush: boolean;
}

export interface ZeroFlags {
  readonly offset: string;
  readonly size: string;
  readonly flush?: boolean;
}

/** Bytes of one request to write. */
const PIECE = 8 * 2 ** 20;

/** Reads a range into a file or to stdout. */
export async function read(cli: Cli, text: string, flags: ReadFlags): Promise<void> {
  const offset = offsetOf(flags.offset);
  const size = sizeOf(flags.size, '--size');
  const last = size === undefined ? '' : offset + size - 1;
  const { outputFile: file } = flags;
  if (file === undefined && cli.io.stdout.isTTY) {
    throw new UsageError('standard output is a terminal, which shows no images', {
      hint: 'name a file with -O, or send the bytes on: | xxd',
    });
  }
  await TicketUrl.use(cli, text, async (url) => {
    const answer = await url.ask('read the image', {
      method: 'GET',
      headers: { range: `bytes=${offset}-${last}` },
      isStreamed: true,
    });
    const bytes = answer.rest ?? [answer.body];
    const length = answer.headers['content-length'];
    if (answer.status !== 206) {
      throw new VmctlError('read the image: the image daemon does not know ranges', {
        code: 'bad_answer',
      });
    }
    const target =
      file === undefined ? undefined : await PartialFile.create(file, flags.force === true);
    let at = 0;
    try {
      for await (const chunk of bytes) {
        if (target) await target.write(at, Buffer.from(chunk));
        else await send(cli.io.stdout, chunk);
        at += chunk.length;
      }
      if (length !== undefined && at !== Number(length)) throw cutShort(at, length);
      await target?.finish();
    } catch (error) {
      await target?.remove().catch(() => undefined);
      if (target && !(error instanceof VmctlError) && 'code' in (error as Error)) {
        throw new VmctlError(`${target.path} cannot be written: ${(error as Error).message}`, {
          code: 'unwritable_file',
          cause: error,
        });
      }
      throw error;
    }
    if (file !== undefined) cli.note(`${file}: ${humanBytes(at)}`);
  });
}

function cutShort(at: number, length: string): ConnectionError {
  return new ConnectionError(`read the image: the answer ended after ${at} of ${length} bytes`, {
    code: 'connection_lost',
    retryable: true,
  });
}

async function send(out: Writable, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    out.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes what is in a file, or comes through stdin, at an offset. */
export async function writeBytes(
  cli: Cli,
  text: string,
  file: string,
  flags: WriteFlags,
): Promise<void> {
  const offset = offsetOf(flags.offset);
  if (file === '-' && (cli.io.stdin as { isTTY?: boolean }).isTTY) {
    throw new UsageError('standard input is a terminal', { hint: 'name a file, or use a pipe' });
  }
  const input: Readable = file === '-' ? cli.io.stdin : createReadStream(file);
  const pieces = inPieces(input, file);
  await TicketUrl.use(cli, text, async (url) => {
    let at = offset;
    let piece = await pieces.next();
    if (piece.done) throw new UsageError(`${file} is empty`, { code: 'empty_file' });
    while (!piece.done) {
      const bytes = piece.value;
      const following = await pieces.next();
      // The last request brings those before it to stable storage as well.
      const flush = flags.flush && following.done;
      try {
        await url.ask(`write ${bytes.length} bytes at ${at}`, {
          method: 'PUT',
          suffix: `?flush=${flush ? 'y' : 'n'}`,
          headers: {
            'content-type': 'application/octet-stream',
            'content-range': `bytes ${at}-${at + bytes.length - 1}/*`,
          },
          body: bytes,
        });
      } catch (error) {
        if (at > offset) {
          cli.warn(`${at - offset} bytes before that were taken, perhaps not to stable storage`);
        }
        throw error;
      }
      at += bytes.length;
      piece = following;
    }
    const later = flags.flush ? '' : '; vmctl images flush brings them to stable storage';
    cli.note(`${humanBytes(at - offset)} written at ${offset}${later}`);
  });
}

async function* inPieces(input: Readable, file: string): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      for (let used = 0; used < chunk.length; ) {
        const part = chunk.subarray(used, used + PIECE - length);
        gathered.push(part);
        length += part.length;
        used += part.length;
        if (length < PIECE) continue;
        yield Buffer.concat(gathered);
        gathered = [];
        length = 0;
      }
    }
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`, {
      code: 'unreadable_file',
      cause: error,
    });
  }
  if (length > 0) yield Buffer.concat(gathered);
}

/** Zeroes a range. */
export async function zero(cli: Cli, text: string, flags: ZeroFlags): Promise<void> {
  const offset = offsetOf(flags.offset);
  const size = sizeOf(flags.size, '--size') ?? 0;
  const operation = { op: 'zero', offset, size, flush: flags.flush === true };
  await patch(cli, text, `zero ${size} bytes at ${offset}`, operation);
  cli.note(`${humanBytes(size)} at ${offset} read as zeros now`);
}

/** Flushes the whole image. */
export async function flush(cli: Cli, text: string): Promise<void> {
  await patch(cli, text, 'flush the image', { op: 'flush' });
  cli.note('everything that was written is on stable storage');
}

async function patch(cli: Cli, text: string, what: string, operation: object): Promise<void> {
  await TicketUrl.use(cli, text, async (url) => {
    await url.ask(what, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(operation),
    });
  });
}

function offsetOf(text: string): number {
  const offset = Number(longOf(text, '--offset'));
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new UsageError(`--offset ${text}: not an offset in an image`);
}
