// GET of an image's extents: where there is data, and where only zeros.
import type { Extent } from '../backends/backend.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpError } from '../http/http-error.ts';
import type { Services } from './services.ts';

/** Characters gathered before they are sent; a shorter list is sent with its length. */
const BATCH = 64 << 10;

/**
 * Answers a JSON list covering the image in order, neighbours of a kind merged. It is sent as it
 * is found, as the list of a fragmented image may be longer than memory allows.
 * Throws 400, 403, 404, 500.
 */
export async function getExtents(
  exchange: Exchange,
  services: Services,
  id: string,
): Promise<void> {
  const operation = services.tickets.find(id).begin('read');
  let text = '[';
  try {
    exchange.authorised(operation.live);
    if (exchange.choose('context', ['zero', 'dirty']) === 'dirty') {
      throw new HttpError(404, 'This image has no dirty extents.');
    }
    const backend = await operation.backend();
    let separator = '';
    for await (const extent of merged(backend.extents())) {
      operation.check();
      text += separator + JSON.stringify(extent);
      separator = ',\n';
      if (text.length < BATCH) continue;
      if (!exchange.response.headersSent) {
        exchange.head(200, { 'Content-Type': 'application/json' });
        operation.onCancel = () => exchange.connection.socket.destroy();
      }
      await exchange.send(text);
      text = '';
    }
  } finally {
    operation.finish();
  }
  text += ']\n';
  if (exchange.response.headersSent) await exchange.end(text);
  else await exchange.answer(200, { 'Content-Type': 'application/json' }, text);
}

/** Joins neighbours of a kind. */
async function* merged(extents: AsyncIterable<Extent>): AsyncGenerator<Extent> {
  let last: Extent | undefined;
  for await (const extent of extents) {
    if (last && last.zero === extent.zero && last.hole === extent.hole) {
      last = { ...last, length: last.length + extent.length };
      continue;
    }
    if (last) yield last;
    last = extent;
  }
  if (last) yield last;
}
