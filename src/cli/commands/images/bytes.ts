/** `vmctl images read`, `write`, `zero` and `flush`: the bytes of an image. */

import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { systemReason } from '../../../system-errors.ts';
import { PartialFile } from '../../../transfer/index.ts';
import { longOf } from '../../args/values.ts';
import { humanBytes } from '../../output/cells.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { retriesOf, sizeOf } from '../disks/transfer-options.ts';
import { RangeReading, RangeWriting, type Repeating } from './ranges.ts';
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

/** Reads a range into a file or to stdout; goes on behind the last byte when it is cut off. */
export async function read(cli: CommandContext, text: string, flags: ReadFlags): Promise<void> {
  const offset = offsetOf(flags.offset);
  const size = sizeOf(flags.size, '--size');
  const { outputFile: file } = flags;
  if (file === undefined && cli.io.stdout.isTTY) {
    throw new UsageError('standard output is a terminal', {
      hint: 'use -O FILE, or a pipe: | xxd',
    });
  }
  await TicketUrl.use(cli, text, async (url) => {
    const reading = new RangeReading(url, { offset, size, again: repeating(cli) });
    await reading.begin();
    // A dry run writes no file.
    if (cli.isDryRun && file !== undefined) return;
    const target =
      file === undefined ? undefined : await PartialFile.create(file, flags.force === true);
    try {
      await reading.run(async (bytes, at) => {
        if (target) await target.write(at, bytes);
        else await send(cli.io.stdout, bytes);
      });
      await target?.finish();
    } catch (error) {
      await target?.remove().catch(() => undefined);
      if (target && !(error instanceof VmctlError) && 'code' in (error as Error)) {
        throw new VmctlError(`cannot write "${target.path}": ${systemReason(error)}`, {
          code: 'unwritable_file',
          cause: error,
        });
      }
      throw error;
    }
    if (file !== undefined) cli.note(`${file}: ${humanBytes(reading.received)}`);
  });
}

/** Repetitions as the flags say; each is told, as the bytes may come from different moments. */
function repeating(cli: CommandContext): Repeating {
  return {
    retries: retriesOf(cli),
    signal: cli.signal,
    onRepeat: (why) => cli.warn(`${why}; retrying`),
  };
}

async function send(out: Writable, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    out.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes what is in a file, or comes through stdin, at an offset. */
export async function writeBytes(
  cli: CommandContext,
  text: string,
  file: string,
  flags: WriteFlags,
): Promise<void> {
  const offset = offsetOf(flags.offset);
  if (file === '-' && (cli.io.stdin as { isTTY?: boolean }).isTTY) {
    throw new UsageError('standard input is a terminal', { hint: 'use a file or a pipe' });
  }
  const input: Readable = file === '-' ? cli.io.stdin : createReadStream(file);
  const pieces = inPieces(input, file);
  await TicketUrl.use(cli, text, async (url) => {
    const writing = new RangeWriting(url, offset, flags.flush ? repeating(cli) : undefined);
    let piece = await pieces.next();
    if (piece.done) throw new UsageError(`${file} is empty`, { code: 'empty_file' });
    try {
      while (!piece.done) {
        const following = await pieces.next();
        // The last request brings those before it to stable storage as well.
        await writing.write(piece.value, following.done === true);
        piece = following;
      }
    } catch (error) {
      const { sent, safe } = writing;
      if (sent > 0)
        cli.warn(
          `${sent} bytes were accepted before the failure, ${safe} of them flushed to stable storage`,
        );
      throw error;
    }
    const later = flags.flush ? '' : '; vmctl images flush flushes them to storage';
    cli.note(`${humanBytes(writing.sent)} written at ${offset}${later}`);
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
    throw new UsageError(`cannot read "${file}": ${systemReason(error)}`, {
      code: 'unreadable_file',
      cause: error,
    });
  }
  if (length > 0) yield Buffer.concat(gathered);
}

/** Zeroes a range. */
export async function zero(cli: CommandContext, text: string, flags: ZeroFlags): Promise<void> {
  const offset = offsetOf(flags.offset);
  const size = sizeOf(flags.size, '--size') ?? 0;
  const operation = { op: 'zero', offset, size, flush: flags.flush === true };
  await patch(cli, text, `zero ${size} bytes at ${offset}`, operation);
  cli.note(`${humanBytes(size)} at ${offset} zeroed`);
}

/** Flushes the whole image. */
export async function flush(cli: CommandContext, text: string): Promise<void> {
  await patch(cli, text, 'flush the image', { op: 'flush' }, true);
  cli.note('all written data is on stable storage');
}

async function patch(
  cli: CommandContext,
  text: string,
  what: string,
  operation: object,
  isHarmless = false,
): Promise<void> {
  await TicketUrl.use(cli, text, async (url) => {
    await url.send(what, {
      method: 'PATCH',
      isHarmless,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(operation),
    });
  });
}

function offsetOf(text: string): number {
  const offset = Number(longOf(text, 'bytes', '--offset'));
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new UsageError(`--offset ${text}: not a valid offset in an image`);
}
