/** GET of the extents of an image: data, zeros, and changes since a backup. */
import type { Backend, DirtyExtent, Extent } from '../backends/backend.ts';
import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Operation } from '../tickets/ticket.ts';
import type { Services } from './services.ts';

/** Characters to buffer before sending. A shorter list is sent with its length. */
const BATCH = 64 << 10;

/**
 * Answers with a JSON list of extents that cover the image in order, with adjacent extents of the
 * same kind merged. The list is streamed, because that of a fragmented image can exceed the memory.
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
    const context = exchange.enumParameter('context', ['zero', 'dirty']);
    const backend = await operation.backend();
    const extents: AsyncIterable<Extent | DirtyExtent> =
      context === 'zero' ? backend.extents() : dirtyExtents(operation, backend);
    let separator = '';
    for await (const extent of merged(extents)) {
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

function dirtyExtents({ ticket }: Operation, backend: Backend): AsyncIterable<DirtyExtent> {
  if (!ticket.dirty || !backend.dirtyExtents) {
    throw new HttpError(404, 'This image has no dirty extents.');
  }
  return backend.dirtyExtents();
}

/** Merges adjacent extents of the same kind. */
async function* merged<T extends Extent | DirtyExtent>(
  extents: AsyncIterable<T>,
): AsyncGenerator<T> {
  let last: T | undefined;
  for await (const extent of extents) {
    if (last && isAlike(last, extent)) {
      last = { ...last, length: last.length + extent.length };
      continue;
    }
    if (last) yield last;
    last = extent;
  }
  if (last) yield last;
}

function isAlike(one: Extent | DirtyExtent, other: Extent | DirtyExtent): boolean {
  if (one.zero !== other.zero) return false;
  if ('hole' in one) return 'hole' in other && one.hole === other.hole;
  return 'dirty' in other && one.dirty === other.dirty;
}
