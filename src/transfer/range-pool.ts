/** Pool of the connections through which ranges of one image are fetched. */
import {
  type DaemonEndpoint,
  RangeConnection,
  type RangeRequest,
  type RangeResponse,
} from './range-connection.ts';

/** What a connection ends with that nobody used for too long. */
const closed: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export class RangePool {
  readonly #idle = new Map<string, RangeConnection[]>();
  readonly #busy = new Set<RangeConnection>();
  #isOver = false;

  /** Asks for a range, over a connection that is free or a new one. */
  async get(endpoint: DaemonEndpoint, request: RangeRequest): Promise<RangeResponse> {
    const key = endpoint.socketPath ?? endpoint.origin;
    for (;;) {
      const connection = this.#taken(key) ?? (await opened(endpoint));
      this.#busy.add(connection);
      try {
        return await connection.get(request);
      } catch (error) {
        // The other side closed what nobody used; that says nothing about the request.
        const { code } = error as NodeJS.ErrnoException;
        const stale = connection.isUsed && !connection.hasBegun && closed.has(code);
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

  /** Ends all connections, and what is asked for over them. */
  close(): void {
    this.#isOver = true;
    for (const connection of this.#busy) connection.close();
    for (const connection of [...this.#idle.values()].flat()) connection.close();
    this.#idle.clear();
  }
}

async function opened(endpoint: DaemonEndpoint): Promise<RangeConnection> {
  // What is on this machine needs no proxy.
  const socket =
    endpoint.socketPath === undefined ? await endpoint.connectThroughProxy?.() : undefined;
  return new RangeConnection(endpoint, socket);
}
