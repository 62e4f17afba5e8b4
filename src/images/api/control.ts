/** Control API of tickets for the owner of the daemon: add, read, extend, remove. */

import { Mistake } from '../../source-place.ts';
import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { formatTicket, parseTicket, parseTimeout } from '../tickets/ticket-document.ts';
import type { Ticket } from '../tickets/types.ts';
import { type JsonBody, readJson } from './json-body.ts';
import type { Services } from './services.ts';

type Handler = (exchange: Exchange, services: Services, id: string) => Promise<void>;
type Route = Readonly<Record<string, Handler>>;

const ONE: Route = { PUT: putTicket, GET: getTicket, PATCH: patchTicket, DELETE: deleteTicket };
const ALL: Route = { DELETE: deleteAll };

/** Routes a request to its handler. Throws 400, 404, 405, 409, 413. */
export async function routeControl(exchange: Exchange, services: Services): Promise<void> {
  const [root, area, rawId, ...rest] = exchange.path.split('/');
  if (root !== '' || area !== 'tickets' || rawId === undefined || rest.length > 0) {
    throw new HttpError(404, 'Unknown address.');
  }
  const found = rawId === '' ? ALL : ONE;
  const method = exchange.request.method ?? '';
  const handler = Object.hasOwn(found, method) ? found[method] : undefined;
  if (!handler) {
    throw new HttpError(405, `Method ${method} is not allowed here.`, {
      headers: { Allow: Object.keys(found).join(',') },
    });
  }
  await handler(exchange, services, decode(rawId));
}

/** Adds a ticket, or replaces the ticket with the same id and stops its operations. */
async function putTicket(exchange: Exchange, services: Services, id: string): Promise<void> {
  const body = await readJson(exchange);
  const ticket = parseOrRefuse<Ticket>(body, parseTicket, 'Invalid ticket');
  if (ticket.id !== id) {
    const position = body.position(['uuid']);
    throw new HttpError(
      400,
      `Invalid ticket: ${position}: uuid differs from the id in the address.`,
    );
  }
  await remove(services, id);
  try {
    services.tickets.add(ticket);
  } catch {
    throw new HttpError(409, 'Another client has just added this ticket.');
  }
  await exchange.answer(200, {});
}

async function getTicket(exchange: Exchange, services: Services, id: string): Promise<void> {
  const { ticket, state } = services.tickets.get(id) ?? missing();
  // Monotonic clock of the host, which cannot be adjusted.
  const now = Number(process.hrtime.bigint()) / 1e9;
  await exchange.json(formatTicket(ticket, state, now));
}

/** Sets the expiry of a ticket to some seconds from now. An expired ticket becomes valid again. */
async function patchTicket(exchange: Exchange, services: Services, id: string): Promise<void> {
  const body = await readJson(exchange);
  const timeout = parseOrRefuse(body, parseTimeout, 'Invalid document');
  if (!services.tickets.get(id)) missing();
  services.tickets.extend(id, timeout);
  await exchange.answer(200, {});
}

async function deleteTicket(exchange: Exchange, services: Services, id: string): Promise<void> {
  await remove(services, id);
  await noContent(exchange);
}

/** Removes all tickets. Stops their operations and waits for them. */
async function deleteAll(exchange: Exchange, services: Services): Promise<void> {
  const removals = services.tickets.ids().map((id) => remove(services, id));
  for (const result of await Promise.allSettled(removals)) {
    if (result.status === 'rejected') throw result.reason;
  }
  await noContent(exchange);
}

async function remove(services: Services, id: string): Promise<void> {
  try {
    await services.tickets.remove(id);
  } catch {
    throw new HttpError(409, 'Operations on the ticket are still running, try again.');
  }
}

async function noContent(exchange: Exchange): Promise<void> {
  exchange.head(204, {});
  await exchange.end();
}

function missing(): never {
  throw new HttpError(404, 'Ticket not found.');
}

/** Parses a document. Throws 400 with the position of the first error. */
function parseOrRefuse<T>(
  { value, position }: JsonBody,
  read: (document: unknown) => T,
  what: string,
): T {
  try {
    return read(value);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new HttpError(400, `${what}: ${position(error.steps)}: ${error.message}.`);
  }
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new HttpError(400, 'The address is not correctly encoded.');
  }
}
