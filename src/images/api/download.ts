/** GET of an image or a range of it, sent directly from the backend to the socket. */
import type { Socket } from 'node:net';
import type { Exchange } from '../http/exchange.ts';
import { requestedRange } from '../http/range-header.ts';
import { SMALL_PIECE } from '../system/piece-memory.ts';
import type { Operation } from '../tickets/ticket.ts';
import { PieceReader } from './piece-io.ts';
import type { Services } from './services.ts';

/**
 * Answers with 200 and the complete image, or with 206 and one range. Throws 400, 403, 416, 500.
 */
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
      // Read the first piece before the status, so that an error can still be reported.
      await pieces.next();
      exchange.head(range ? 206 : 200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': end - start,
        'Content-Disposition': disposition(filename),
        ...(range ? { 'Content-Range': `bytes ${start}-${end - 1}/*` } : {}),
      });
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
  // Let sent bytes arrive: the client may have finished before the removal.
  operation.onCancel = () => setImmediate(() => socket.destroy());
  // Send head and body of a short response in one packet. Joining a long one would copy it.
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
 * Writes to the socket directly, because the response object would queue and count each piece
 * again. Resolves when the piece is no longer in use. Rejects if the connection is closed.
 */
function write(socket: Socket, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

function disposition(filename: string | undefined): string {
  if (filename === undefined) return 'attachment';
  const ascii = filename.replace(/[^ !#-[\]-~]/g, '_');
  // Encode as UTF-8 and decode again, to replace unpaired surrogates, which cannot be encoded.
  const wellFormed = Buffer.from(filename).toString();
  const encoded = encodeURIComponent(wellFormed).replace(/['()*]/g, (c) => {
    return `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
