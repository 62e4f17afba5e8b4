/** Pool of connections for ranges of one image. */
import { getErrorCode } from '../caught-errors.ts';
import {
  type DaemonEndpoint,
  RangeConnection,
  type RangeRequest,
  type RangeResponse,
} from './range-connection.ts';

/** Errors of a connection that was idle for too long. */
const closed: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export class RangePool {
  readonly #idle = new Map<string, RangeConnection[]>();
  readonly #busy = new Set<RangeConnection>();
  #isOver = false;

  /** Requests a range over an idle or new connection. */
  async get(endpoint: DaemonEndpoint, request: RangeRequest): Promise<RangeResponse> {
    const key = endpoint.socketPath ?? endpoint.origin;
    for (;;) {
      const connection = this.#taken(key) ?? (await opened(endpoint));
      this.#busy.add(connection);
      try {
        return await connection.get(request);
      } catch (error) {
        // The server closed an idle connection, which does not concern the request.
        const isClosed = closed.has(getErrorCode(error));
        const stale = connection.isUsed && !connection.hasBegun && isClosed;
        if (!stale || request.signal.aborted || this.#isOver) throw error;
      } finally {
        this.#busy.delete(connection);
        if (this.#isOver) connection.close();
        else if (connection.isUsable)
          this.#idle.set(key, [...(this.#idle.get(key) ?? []), connection]);
      }
    }
  }

  #taken(key: string): RangeConnection | undefined {
    const idle = this.#idle.get(key) ?? [];
    for (let found = idle.pop(); found; found = idle.pop()) if (found.isUsable) return found;
    return undefined;
  }

  /** Closes all connections and their requests. */
  close(): void {
    this.#isOver = true;
    for (const connection of this.#busy) connection.close();
    for (const connection of [...this.#idle.values()].flat()) connection.close();
    this.#idle.clear();
  }
}

async function opened(endpoint: DaemonEndpoint): Promise<RangeConnection> {
  // Connections on this computer need no proxy.
  const socket =
    endpoint.socketPath === undefined ? await endpoint.connectThroughProxy?.() : undefined;
  return new RangeConnection(endpoint, socket);
}
