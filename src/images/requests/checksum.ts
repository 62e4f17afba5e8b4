// GET of an image's checksum, and of the algorithms it can be made with.
import type { Extent } from '../backends/backend.ts';
import { algorithms, DEFAULT_ALGORITHM } from '../hash/algorithms.ts';
import type { Checksum } from '../hash/hash-thread.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpError } from '../http/http-error.ts';
import type { Operation } from '../ticket.ts';
import { PieceReader } from './piece-reader.ts';
import type { Services } from './services.ts';

const MEBIBYTE = 2 ** 20;
const DEFAULT_BLOCK = 4 * MEBIBYTE;
const SMALLEST_BLOCK = MEBIBYTE;
const LARGEST_BLOCK = 16 * MEBIBYTE;
const BLOCK_UNIT = 4096;
/** Zero blocks counted before it is asked whether the result is still wanted. */
const ZEROS_PER_TURN = 4096;

/** Answers the checksum with the parameters that led to it. Throws 400, 403, 500. */
export async function getChecksum(
  exchange: Exchange,
  services: Services,
  id: string,
): Promise<void> {
  const operation = services.tickets.find(id).begin('read');
  let checksum = '';
  const algorithm = exchange.query.get('algorithm') ?? DEFAULT_ALGORITHM;
  let blockSize = DEFAULT_BLOCK;
  try {
    exchange.authorised(operation.live);
    if (!algorithms().includes(algorithm)) {
      throw new HttpError(400, `Parameter algorithm must be one of ${algorithms().join(', ')}.`);
    }
    blockSize = readBlockSize(exchange.query.get('block_size'));
    const hash = services.hashing.start(algorithm, blockSize);
    try {
      checksum = await compute(exchange, services, operation, hash, blockSize);
    } finally {
      hash.close();
    }
  } finally {
    operation.finish();
  }
  await exchange.json({ algorithm, block_size: blockSize, checksum });
}

/** Answers the names of the algorithms; needs no ticket. */
export async function getAlgorithms(exchange: Exchange): Promise<void> {
  await exchange.json(algorithms());
}

function readBlockSize(text: string | null): number {
  if (text === null) return DEFAULT_BLOCK;
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

async function compute(
  exchange: Exchange,
  services: Services,
  operation: Operation,
  hash: Checksum,
  blockSize: number,
): Promise<string> {
  const backend = await operation.backend();
  /** Between two slices of work: is the result still wanted? */
  const check = () => {
    operation.check();
    if (exchange.connection.socket.destroyed) throw new HttpError(400, 'The client has left.');
  };
  const { size } = operation.ticket;
  for await (const run of runs(backend.extents(), blockSize, size)) {
    if (run.zero) {
      for (let left = (run.end - run.start) / blockSize; left > 0; left -= ZEROS_PER_TURN) {
        check();
        await hash.zeroBlocks(Math.min(left, ZEROS_PER_TURN));
      }
    } else {
      const pieces = new PieceReader(backend, services.memory, run);
      try {
        await pieces.next();
        for (let piece = pieces.current; piece; piece = pieces.current) {
          check();
          pieces.readAhead();
          await hash.update(piece);
          await pieces.next();
        }
      } finally {
        await pieces.close();
      }
    }
    operation.transferred(run.start, run.end);
  }
  return await hash.digest();
}

interface Run {
  start: number;
  end: number;
  /** Whole blocks of zeros; other runs have to be read. */
  zero: boolean;
}

/** Splits an image at block boundaries into runs of zero blocks and the rest. */
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
