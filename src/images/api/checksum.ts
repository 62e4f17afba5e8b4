/** GET of the checksum of an image, and of the available algorithms. */

import { DEFAULT_ALGORITHM, listAlgorithms } from '../../hash/algorithms.ts';
import type { Hash } from '../../hash/thread-pool.ts';
import type { Extent } from '../backends/backend.ts';
import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ByteRange } from '../http/range-header.ts';
import { SMALL_PIECE } from '../system/piece-memory.ts';
import type { Operation } from '../tickets/ticket.ts';
import { BLOCK } from '../tickets/written-digests.ts';
import { ImageChecksum } from './image-checksum.ts';
import { PieceReader } from './piece-io.ts';
import type { Services } from './services.ts';

const MEBIBYTE = 2 ** 20;
const SMALLEST_BLOCK = MEBIBYTE;
const LARGEST_BLOCK = 16 * MEBIBYTE;
const BLOCK_UNIT = 4096;
/** Known blocks to add before the daemon checks whether the client still waits. */
const BLOCKS_PER_TURN = 4096;

/** Answers with the checksum and its parameters. Throws 400, 403, 500. */
export async function getChecksum(
  exchange: Exchange,
  services: Services,
  id: string,
): Promise<void> {
  const operation = services.tickets.find(id).begin('read');
  let checksum = '';
  const algorithm = exchange.query.get('algorithm') ?? DEFAULT_ALGORITHM;
  let blockSize = BLOCK;
  try {
    exchange.authorised(operation.live);
    if (!listAlgorithms().includes(algorithm)) {
      throw new HttpError(
        400,
        `Parameter algorithm must be one of ${listAlgorithms().join(', ')}.`,
      );
    }
    blockSize = readBlockSize(exchange.query.get('block_size'));
    const hash = new ImageChecksum(services.hashThreads, algorithm, blockSize);
    try {
      checksum = await computeChecksum(exchange, services, operation, hash);
    } finally {
      await hash.close();
    }
  } finally {
    operation.finish();
  }
  await exchange.json({ algorithm, block_size: blockSize, checksum });
}

/** Answers with the names of the algorithms. Requires no ticket. */
export async function getAlgorithms(
  exchange: Exchange,
  { wrapsAlgorithms }: Services,
): Promise<void> {
  await exchange.json(wrapsAlgorithms ? { algorithms: listAlgorithms() } : listAlgorithms());
}

function readBlockSize(text: string | null): number {
  if (text === null) return BLOCK;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size < SMALLEST_BLOCK || size > LARGEST_BLOCK || size % BLOCK_UNIT !== 0) {
    const bounds = `${SMALLEST_BLOCK} to ${LARGEST_BLOCK}`;
    throw new HttpError(
      400,
      `Parameter block_size must be a multiple of ${BLOCK_UNIT} from ${bounds}.`,
    );
  }
  return size;
}

/** Hashes all pieces of a block. `check` throws if the work must stop. */
async function hashBlock(pieces: PieceReader, into: Hash, check: () => void): Promise<void> {
  try {
    await pieces.next();
    for (let piece = pieces.current; piece; piece = pieces.current) {
      check();
      pieces.readAhead();
      await into.update(piece);
      await pieces.next();
    }
  } finally {
    await pieces.close();
  }
}

async function computeChecksum(
  exchange: Exchange,
  services: Services,
  operation: Operation,
  hash: ImageChecksum,
): Promise<string> {
  const { algorithm, blockSize } = hash;
  const backend = await operation.backend();
  /** Stops the work if the ticket was removed or the client has left. */
  const check = () => {
    operation.check();
    if (exchange.connection.isClosed) throw new HttpError(400, 'The client has disconnected.');
  };
  const read = async (block: ByteRange, into: Hash) => {
    await hashBlock(new PieceReader(backend, services.memory, block), into, check);
    operation.transferred(block.start, block.end);
  };
  /**
   * Adds blocks without reading them, from the start of a block. Returns the end of these blocks.
   */
  const addKnown = async ({ start, end, zero }: Run): Promise<number> => {
    if (zero) {
      await hash.addZeros((end - start) / blockSize);
      return end;
    }
    if (blockSize !== BLOCK) return start;
    const { writtenDigests } = operation.live;
    const { count, digests } = writtenDigests.run(algorithm, start / BLOCK, Math.ceil(end / BLOCK));
    if (count > 0) await hash.addDigests(digests);
    return Math.min(start + count * BLOCK, end);
  };
  const image = runs(backend.extents(), blockSize, operation.ticket.size);
  for await (const { zero, start, end } of image) {
    for (let at = start; at < end; ) {
      check();
      const turn = { start: at, end: Math.min(at + BLOCKS_PER_TURN * blockSize, end), zero };
      at = await addKnown(turn);
      operation.transferred(turn.start, at);
      if (at > turn.start) continue;
      const block = { start: at, end: Math.min(at + blockSize, end) };
      // A request is guaranteed one buffer. Reading ahead needs an additional one.
      const spare = services.memory.free.large > 0 && block.end - block.start > SMALL_PIECE;
      if (!spare) await hash.settle();
      await hash.add((one) => read(block, one));
      at = block.end;
    }
  }
  return await hash.digest();
}

interface Run {
  start: number;
  end: number;
  /** Whether the run consists of complete blocks of zeros. Other runs must be read. */
  zero: boolean;
}

/** Splits an image at block boundaries into runs of zero blocks and other runs. */
async function* runs(
  extents: AsyncIterable<Extent>,
  blockSize: number,
  size: number,
): AsyncGenerator<Run> {
  let done = 0;
  for await (const extent of extents) {
    if (!extent.zero) continue;
    const start = Math.max(done, Math.ceil(extent.start / blockSize) * blockSize);
    const end = Math.floor((extent.start + extent.length) / blockSize) * blockSize;
    if (end <= start) continue;
    if (start > done) yield { start: done, end: start, zero: false };
    yield { start, end, zero: true };
    done = end;
  }
  if (done < size) yield { start: done, end: size, zero: false };
}
