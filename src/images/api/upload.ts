/** PUT: writes a request body to the image in large pieces. */

import { ALGORITHM_HEADER, listAlgorithms } from '../../hash/algorithms.ts';
import { forbidden, HttpError, outOfBounds } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { contentRange } from '../http/range-header.ts';
import type { Operation } from '../tickets/ticket.ts';
import { ArrivalHash } from './arrival-hash.ts';
import { PieceWriter } from './piece-io.ts';
import type { Services } from './services.ts';

/** Position and length of a body. */
interface Target {
  start: number;
  /** Length in bytes. `undefined` for a chunked body of unknown length. */
  length: number | undefined;
}

/**
 * Writes the body and answers with 200, after a flush unless `flush=n`. A request that exceeds the
 * image writes nothing. A truncated body is written as far as it was received. Throws 400, 403,
 * 411, 416, 500, 507.
 */
export async function putImage(exchange: Exchange, services: Services, id: string): Promise<void> {
  const operation = services.tickets.find(id).begin('write');
  try {
    exchange.authorised(operation.live);
    if (exchange.enumParameter('close', ['n', 'y']) === 'y') exchange.closeAfterwards();
    const flush = exchange.enumParameter('flush', ['y', 'n']) === 'y';
    const target = findTarget(exchange, operation.ticket.size);
    const backend = await operation.backend();
    const { start, length = operation.ticket.size - start } = target;
    const hash = arrivalHash(exchange, services, operation.ticket.size);
    const change = operation.live.writtenDigests.begin(start, start + length);
    const writer = new PieceWriter({
      memory: services.memory,
      start,
      length,
      write: async (offset, bytes) => {
        const [block] = await Promise.all([
          hash?.update(offset, bytes),
          backend.write(offset, bytes),
        ]);
        if (hash && block) change.note(block.block, hash.algorithm, block.digest);
        operation.transferred(offset, offset + bytes.length);
      },
    });
    try {
      await receive(exchange, operation, target, writer);
    } finally {
      await writer.close();
      change.end();
      hash?.close();
    }
    if (flush) await operation.flush();
  } finally {
    operation.finish();
  }
  await exchange.answer(200, {});
}

/** Hash of the received bytes, if the client names a supported algorithm. */
function arrivalHash(
  { request }: Exchange,
  { hashThreads }: Services,
  size: number,
): ArrivalHash | undefined {
  const algorithm = request.headers[ALGORITHM_HEADER];
  if (typeof algorithm !== 'string' || !listAlgorithms().includes(algorithm)) return undefined;
  return new ArrivalHash(hashThreads, algorithm, size);
}

/**
 * Determines position and length of a body. Throws 400, 411 or 416 if they are unclear or exceed
 * the image.
 */
function findTarget(exchange: Exchange, size: number): Target {
  const { headers } = exchange.request;
  const { start, end } = contentRange(headers['content-range']);
  const declared = headers['content-length'];
  if (declared === undefined && headers['transfer-encoding'] === undefined) {
    throw new HttpError(411, 'Content-Length is missing.', { close: true });
  }
  const length = declared === undefined ? undefined : Number(declared);
  const ranged = end === undefined ? undefined : end - start;
  // Unsafe offsets are infinite here, and out of bounds with any length.
  if (end !== Number.POSITIVE_INFINITY && length !== undefined && ranged !== undefined) {
    if (length !== ranged) {
      throw new HttpError(400, 'Content-Range and Content-Length have different lengths.');
    }
  }
  if (start + (length ?? ranged ?? 0) > size || (end ?? 0) > size) {
    throw outOfBounds(size, 'The body');
  }
  return { start, length: length ?? ranged };
}

/** Resolves when `writer` has received the complete body. */
async function receive(
  exchange: Exchange,
  operation: Operation,
  target: Target,
  writer: PieceWriter,
): Promise<void> {
  const { request, connection } = exchange;
  const limit = target.length ?? operation.ticket.size - target.start;
  let received = 0;
  try {
    await exchange.receive<void>((resolve, reject) => {
      operation.onCancel = () => reject(forbidden());
      request.once('end', resolve);
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > limit) {
          request.pause();
          reject(tooLong(operation, target));
          return;
        }
        const full = writer.push(chunk);
        if (!full) return;
        // The disk is slower than the client, so the idle limit must not apply.
        request.pause();
        connection.expectClient(false);
        full.then(() => {
          connection.expectClient(true);
          request.resume();
        }, reject);
      });
    });
  } finally {
    operation.onCancel = undefined;
    // Write the received bytes after a failure, because the client may resume after them.
    await writer.finish();
  }
  if (target.length !== undefined && received < target.length) {
    throw new HttpError(400, 'The body is shorter than Content-Range.');
  }
}

function tooLong(operation: Operation, target: Target): HttpError {
  if (target.length === undefined) return outOfBounds(operation.ticket.size, 'The body');
  return new HttpError(400, 'The body is longer than Content-Range.');
}
