/** GET of an image or a range of it, from the backend straight to the socket. */
import type { Socket } from 'node:net';
import type { Exchange } from '../http/exchange.ts';
import { requestedRange } from '../http/range-header.ts';
import { widenSendBuffer } from '../system/local-socket.ts';
import { LARGE_PIECE, SMALL_PIECE } from '../system/piece-memory.ts';
import type { Operation } from '../tickets/ticket.ts';
import { PieceReader } from './piece-io.ts';
import type { Services } from './services.ts';

/** Answers 200 with the whole image or 206 with one range. Throws 400, 403, 416, 500. */
export async function getImage(exchange: Exchange, services: Services, id: string): Promise<void> {
  const operation = services.tickets.find(id).begin('read');
  try {
    exchange.authorised(operation.live);
    if (exchange.enumParameter('close', ['n', 'y']) === 'y') exchange.closeAfterwards();
    const { size, filename } = operation.ticket;
    const range = requestedRange(exchange.request.headers.range, size);
    const { start, end } = range ?? { start: 0, end: size };
    const pieces = new PieceReader(await operation.backend(), services.memory, { start, end });
    try {
      // The first piece is read before the answer begins, while an error can still be told.
      await pieces.next();
      exchange.head(range ? 206 : 200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': end - start,
        'Content-Disposition': disposition(filename),
        ...(range ? { 'Content-Range': `bytes ${start}-${end - 1}/*` } : {}),
      });
      if (exchange.connection.local && end - start > LARGE_PIECE) {
        await widenSendBuffer(exchange.connection.socket);
      }
      await send(exchange, operation, pieces, end - start <= SMALL_PIECE);
    } finally {
      await pieces.close();
    }
  } finally {
    operation.finish();
  }
  await exchange.end();
}

async function send(
  exchange: Exchange,
  operation: Operation,
  pieces: PieceReader,
  short: boolean,
): Promise<void> {
  const { response, connection } = exchange;
  const { socket } = connection;
  // What has left already is still told of: the client may have been quicker to say that it is done.
  operation.onCancel = () => setImmediate(() => socket.destroy());
  // One packet for head and body of a short answer. Joining a long one would copy it.
  if (short) socket.cork();
  response.flushHeaders();
  for (let piece = pieces.current; piece; piece = pieces.current) {
    pieces.readAhead();
    const sent = write(socket, piece);
    if (short) socket.uncork();
    await connection.waitForClient(sent);
    operation.transferred(pieces.position - piece.length, pieces.position);
    operation.check();
    await pieces.next();
  }
  if (short) socket.uncork();
}

/**
 * Writes past the response object, which would queue and count every piece once more. Resolves
 * when nothing refers to the piece any more; rejects when the connection is gone.
 */
function write(socket: Socket, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

function disposition(filename: string | undefined): string {
  if (filename === undefined) return 'attachment';
  const ascii = filename.replace(/[^ !#-[\]-~]/g, '_');
  // Through UTF-8 and back: half a surrogate pair cannot be encoded.
  const wellFormed = Buffer.from(filename).toString();
  const encoded = encodeURIComponent(wellFormed).replace(/['()*]/g, (c) => {
    return `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
