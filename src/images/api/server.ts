/** Listeners of the daemon: settings, and responses to requests. */
import type { IncomingMessage } from 'node:http';
import { forbiddenCharacter } from '../../allowed-characters.ts';
import { Admission } from '../../http-listener/admission.ts';
import { findAmbiguity } from '../../http-listener/ambiguous-request.ts';
import { HttpListener } from '../../http-listener/listener.ts';
import { HttpError, textType, toHttpError } from '../http/errors.ts';
import { Exchange } from '../http/exchange.ts';
import { CONTROL_CONNECTIONS, defaultLimits, type Limits } from '../http/limits.ts';
import { routeControl } from './control.ts';
import { routeImages } from './router.ts';
import type { Services } from './services.ts';

const maxHeadBytes = 16 << 10;

/** Serves a request. Throws `HttpError`. */
type Router = (exchange: Exchange, services: Services) => Promise<void>;

/**
 * Creates a listener.
 * @param kind images over the network, images over a unix socket, or the control API over a unix
 * socket
 * @param tls key and certificate for TLS
 */
export type CreateListener = (
  kind: 'network' | 'local' | 'control',
  tls?: { key: string; cert: string },
) => HttpListener;

/** Prepares listeners with shared limits. */
export function prepareListeners(
  services: Services,
  limits: Limits = defaultLimits,
): CreateListener {
  const { head, handshake, unauthorised, perAddress } = limits;
  const connections = Math.min(limits.connections, services.memory.connections);
  const admission = new Admission({ connections, perAddress });
  const control = new Admission({
    connections: CONTROL_CONNECTIONS,
    perAddress: CONTROL_CONNECTIONS,
  });
  return (kind, tls) => {
    const router = kind === 'control' ? routeControl : routeImages;
    return new HttpListener({
      tls,
      maxHeadBytes,
      headMs: head,
      handshakeMs: handshake,
      // Tickets replace both limits.
      idleMs: unauthorised,
      stallMs: unauthorised,
      reportsIdleLimit: false,
      admission: kind === 'control' ? control : admission,
      formatErrorBody: (detail) => ({ type: textType, text: `${detail}\n` }),
      serve: (request, response, connection) =>
        serve(router, new Exchange({ request, response, connection }), services),
    });
  };
}

async function serve(router: Router, exchange: Exchange, services: Services): Promise<void> {
  try {
    requireAcceptable(exchange.request);
    await router(exchange, services);
  } catch (error) {
    try {
      await exchange.fail(toHttpError(error));
    } catch {
      exchange.connection.socket.destroy();
    }
  }
}

/** Refuses ambiguous requests, unknown expectations, and invalid targets. */
function requireAcceptable(request: IncomingMessage): void {
  const ambiguity = findAmbiguity(request);
  if (ambiguity) throw new HttpError(ambiguity.status, ambiguity.detail, { close: true });
  const { expect } = request.headers;
  if (expect !== undefined && !/\b100-continue\b/i.test(expect)) {
    throw new HttpError(417, 'Only 100-continue is supported.', { close: true });
  }
  if (!isAllowedTarget(request.url ?? '')) {
    throw new HttpError(400, 'The address is not correctly encoded.');
  }
}

/** Whether the percent-encoding of a target is valid and contains only allowed characters. */
function isAllowedTarget(target: string): boolean {
  try {
    return forbiddenCharacter(decodeURIComponent(target)) === undefined;
  } catch {
    return false;
  }
}
