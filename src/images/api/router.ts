/** Routes of the image API. */

import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { answerGeneralOptions, answerOptions } from './capabilities.ts';
import { getAlgorithms, getChecksum } from './checksum.ts';
import { getImage } from './download.ts';
import { getExtents } from './extents.ts';
import { patchImage } from './patch.ts';
import type { Services } from './services.ts';
import { putImage } from './upload.ts';

/** Serves a request for the ticket `id`. Throws `HttpError`. */
type Handler = (exchange: Exchange, services: Services, id: string) => Promise<void>;
/** Handlers by method. The keys are the Allow header. */
type Route = Readonly<Record<string, Handler>>;

const IMAGE: Route = {
  OPTIONS: (exchange, services, id) =>
    // `*` means any image; no ticket has this id.
    id === '*' ? answerGeneralOptions(exchange, services) : answerOptions(exchange, services, id),
  GET: getImage,
  PUT: putImage,
  PATCH: patchImage,
};
const EXTENTS: Route = { GET: getExtents };
const CHECKSUM: Route = { GET: getChecksum };
const ALGORITHMS: Route = { GET: getAlgorithms };
const INFO: Route = {
  GET: (exchange, services) => exchange.json({ version: services.version }),
};

/** Routes a request to its handler. Throws 400, 404, 405, and the errors of handlers. */
export async function routeImages(exchange: Exchange, services: Services): Promise<void> {
  const [found, id] = find(exchange.path);
  const method = exchange.request.method ?? '';
  const handler = Object.hasOwn(found, method) ? found[method] : undefined;
  if (!handler) {
    throw new HttpError(405, `Method ${method} is not allowed here.`, {
      headers: { Allow: Object.keys(found).join(',') },
    });
  }
  await handler(exchange, services, id);
}

function find(path: string): [Route, string] {
  const [root, area, rawId, part, detail, ...rest] = path.split('/');
  if (root === '' && rest.length === 0) {
    if (area === 'info' && rawId === '' && part === undefined) return [INFO, ''];
    if (area === 'images' && rawId !== undefined) {
      const found = findImageRoute(part, detail);
      if (found) return [found, decodeId(rawId)];
    }
  }
  throw new HttpError(404, 'Unknown address.');
}

function findImageRoute(part?: string, detail?: string): Route | undefined {
  if (part === undefined) return IMAGE;
  if (detail === undefined) return { extents: EXTENTS, checksum: CHECKSUM }[part];
  return part === 'checksum' && detail === 'algorithms' ? ALGORITHMS : undefined;
}

function decodeId(raw: string): string {
  let id = '';
  try {
    id = decodeURIComponent(raw);
  } catch {}
  if (id === '') throw new HttpError(400, 'The address has no ticket id.');
  return id;
}
