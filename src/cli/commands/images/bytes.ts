/** `vmctl images read`, `write`, `zero` and `flush`: access to the bytes of an image. */

import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { getErrorCode } from '../../../caught-errors.ts';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { systemReason } from '../../../system-errors.ts';
import { PartialFile } from '../../../transfer/index.ts';
import { parseLong } from '../../args/values.ts';
import { formatBytes } from '../../output/cells.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { parseByteSize, parseTransferRetries } from '../disks/transfer-options.ts';
import { RangeReader, RangeWriter, type RetryPolicy } from './ranges.ts';
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

/** Bytes per write request. */
const pieceLength = 8 * 2 ** 20;

/** Reads a range to a file or to stdout. Resumes after the last byte if the connection is lost. */
export async function readBytes(
  cli: CommandContext,
  text: string,
  flags: ReadFlags,
): Promise<void> {
  const offset = parseOffset(flags.offset);
  const size = parseByteSize(flags.size, '--size');
  const { outputFile: file } = flags;
  if (file === undefined && cli.io.stdout.isTTY) {
    throw new UsageError('standard output is a terminal', {
      hint: 'use -O FILE, or a pipe: | xxd',
    });
  }
  await TicketUrl.use(cli, text, async (url) => {
    const reading = new RangeReader(url, { offset, size, again: createRetryOptions(cli) });
    await reading.begin();
    // A dry run writes no file.
    if (cli.isDryRun && file !== undefined) return;
    const target =
      file === undefined ? undefined : await PartialFile.create(file, flags.force === true);
    try {
      await reading.run(async (bytes, at) => {
        if (target) await target.write(at, bytes);
        else await writeChunk(cli.io.stdout, bytes);
      });
      await target?.finish();
    } catch (error) {
      await target?.remove().catch(() => undefined);
      if (target && !(error instanceof VmctlError) && getErrorCode(error) !== undefined) {
        throw new VmctlError(`cannot write "${target.path}": ${systemReason(error)}`, {
          code: 'unwritable_file',
          cause: error,
        });
      }
      throw error;
    }
    if (file !== undefined) cli.note(`${file}: ${formatBytes(reading.received)}`);
  });
}

/**
 * Retry options of the flags. Each retry is reported, because the bytes may have different ages.
 */
function createRetryOptions(cli: CommandContext): RetryPolicy {
  return {
    retries: parseTransferRetries(cli),
    signal: cli.signal,
    onRepeat: (why) => cli.warn(`${why}; retrying`),
  };
}

async function writeChunk(out: Writable, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    out.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes a file or stdin to an offset. */
export async function writeBytes(
  cli: CommandContext,
  text: string,
  file: string,
  flags: WriteFlags,
): Promise<void> {
  const offset = parseOffset(flags.offset);
  if (file === '-' && cli.io.stdin.isTTY) {
    throw new UsageError('standard input is a terminal', { hint: 'use a file or a pipe' });
  }
  const input: Readable = file === '-' ? cli.io.stdin : createReadStream(file);
  const pieces = readPieces(input, file);
  await TicketUrl.use(cli, text, async (url) => {
    const writing = new RangeWriter(url, offset, flags.flush ? createRetryOptions(cli) : undefined);
    let piece = await pieces.next();
    if (piece.done) throw new UsageError(`${file} is empty`, { code: 'empty_file' });
    try {
      while (!piece.done) {
        const following = await pieces.next();
        // The last request also flushes the previous ones.
        await writing.write(piece.value, following.done === true);
        piece = following;
      }
    } catch (error) {
      const { sent, flushed } = writing;
      if (sent > 0)
        cli.warn(
          `${sent} bytes were accepted before the failure, ${flushed} of them flushed to stable storage`,
        );
      throw error;
    }
    const later = flags.flush ? '' : '; vmctl images flush flushes them to storage';
    cli.note(`${formatBytes(writing.sent)} written at ${offset}${later}`);
  });
}

async function* readPieces(input: Readable, file: string): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of input) {
      for (let used = 0; used < chunk.length; ) {
        const part = chunk.subarray(used, used + pieceLength - length);
        gathered.push(part);
        length += part.length;
        used += part.length;
        if (length < pieceLength) continue;
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

export async function zeroRange(
  cli: CommandContext,
  text: string,
  flags: ZeroFlags,
): Promise<void> {
  const offset = parseOffset(flags.offset);
  const size = parseByteSize(flags.size, '--size') ?? 0;
  const operation = { op: 'zero', offset, size, flush: flags.flush === true };
  await sendPatch(cli, text, `zero ${size} bytes at ${offset}`, operation);
  cli.note(`${formatBytes(size)} at ${offset} zeroed`);
}

export async function flushImage(cli: CommandContext, text: string): Promise<void> {
  await sendPatch(cli, text, 'flush the image', { op: 'flush' }, true);
  cli.note('all written data is on stable storage');
}

async function sendPatch(
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

function parseOffset(text: string): number {
  const offset = Number(parseLong(text, 'bytes', '--offset'));
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new UsageError(`--offset ${text}: not a valid offset in an image`);
}
