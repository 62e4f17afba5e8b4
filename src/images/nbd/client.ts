/**
 * NBD client: requests spread over connections and cut to the limits of the server.
 * Own code rather than a library: no maintained NBD client for Node reads into given memory.
 */

import { NbdConnection, type NbdConnectionOptions } from './connection.ts';
import type { ExportInfo } from './handshake.ts';
import { Command, ExportFlag, NO_HOLE, systemError } from './protocol.ts';
import type { NbdRequestOptions, RunsByContext } from './request.ts';

/** Connections worth having to one export: more gain nothing. */
const MAX_CONNECTIONS = 4;
/** Bytes of one request without data: what 32 bits hold, on a boundary of any block. */
const MAX_LENGTH = 2 ** 31;

/**
 * Reads and writes one export. Offsets and lengths are multiples of its smallest block and inside
 * of it. Once any connection is lost, the client is.
 */
export class NbdClient {
  readonly info: ExportInfo;
  readonly #options: NbdConnectionOptions;
  readonly #connections: NbdConnection[] = [];
  #limit: number;
  #isOpening = false;
  #isClosed = false;

  private constructor(first: NbdConnection, options: NbdConnectionOptions) {
    this.info = first.info;
    this.#options = options;
    this.#limit = this.#has(ExportFlag.multipleConnections) ? MAX_CONNECTIONS : 1;
    this.#add(first);
  }

  /** Opens the first connection; rejects with a system code. */
  static async open(options: NbdConnectionOptions): Promise<NbdClient> {
    return new NbdClient(await NbdConnection.open(options), options);
  }

  get alive(): boolean {
    return !this.#isClosed && this.#connections.every(({ alive }) => alive);
  }

  get isReadOnly(): boolean {
    return this.#has(ExportFlag.readOnly);
  }

  /** The server can zero a range by itself. */
  get canZero(): boolean {
    return this.#has(ExportFlag.writeZeroes);
  }

  async read(offset: number, buffer: Buffer): Promise<void> {
    await this.#inPieces(Command.read, offset, buffer);
  }

  async write(offset: number, buffer: Buffer): Promise<void> {
    await this.#inPieces(Command.write, offset, buffer);
  }

  /** Makes a range read as zeros; `keepSpace` keeps it from becoming a hole. */
  async zero(offset: number, length: number, keepSpace: boolean): Promise<void> {
    const flags = keepSpace ? NO_HOLE : 0;
    for (let done = 0; done < length; done += MAX_LENGTH) {
      const part = Math.min(MAX_LENGTH, length - done);
      const parts = { command: Command.writeZeroes, offset: offset + done, length: part, flags };
      await this.#send(parts);
    }
  }

  /**
   * Brings what was written before the call to stable storage, whatever connection it took. A
   * server that cannot do that claims to have done so before it replied.
   */
  async flush(): Promise<void> {
    if (!this.#has(ExportFlag.flush)) return;
    await this.#send({ command: Command.flush, offset: 0, length: 0 });
  }

  /** What is known of the blocks from `offset` on: of some of them, at least. */
  blocks(offset: number, length: number): Promise<RunsByContext> {
    const part = Math.min(length, MAX_LENGTH);
    return this.#send({ command: Command.blockStatus, offset, length: part });
  }

  /** Says good-bye on all connections; only when no request is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Breaks all connections; what is under way fails. */
  abandon(): void {
    for (const connection of this.#connections) connection.abandon();
  }

  #has(flag: number): boolean {
    return (this.info.flags & flag) !== 0;
  }

  async #inPieces(
    command: typeof Command.read | typeof Command.write,
    offset: number,
    buffer: Buffer,
  ): Promise<void> {
    const { length } = buffer;
    const limit = this.info.maximumPayload;
    if (length === 0) return;
    if (length <= limit) {
      await this.#send({ command, offset, length, buffer });
      return;
    }
    const pieces: Promise<unknown>[] = [];
    for (let done = 0; done < length; done += limit) {
      const piece = buffer.subarray(done, done + limit);
      const place = { offset: offset + done, length: piece.length };
      pieces.push(this.#send({ command, ...place, buffer: piece }));
    }
    // None may touch the buffer any more when the caller hears of the first failure.
    for (const result of await Promise.allSettled(pieces)) {
      if (result.status === 'rejected') throw result.reason;
    }
  }

  #send(parts: NbdRequestOptions): Promise<RunsByContext> {
    let best: NbdConnection | undefined;
    for (const connection of this.#connections) {
      if (!best || connection.load < best.load) best = connection;
    }
    if (!best) return Promise.reject(systemError('ENOTCONN', 'not connected'));
    if (best.load > 0 && this.#connections.length < this.#limit) this.#openAnother();
    return best.send(parts);
  }

  /** All connections are busy: this request does not wait for another one, later ones may use it. */
  #openAnother(): void {
    if (this.#isOpening || !this.alive) return;
    this.#isOpening = true;
    NbdConnection.open(this.#options).then(
      (connection) => {
        this.#isOpening = false;
        const { size, flags } = connection.info;
        const isSame = size === this.info.size && flags === this.info.flags;
        if (isSame && this.alive) this.#add(connection);
        else void connection.close();
        if (!isSame) this.#limit = 1;
      },
      () => {
        // It does without.
        this.#limit = 1;
        this.#isOpening = false;
      },
    );
  }

  #add(connection: NbdConnection): void {
    this.#connections.push(connection);
    // Whatever the reason is, what the other connections still say may be of another server.
    void connection.lost.then(() => {
      for (const other of this.#connections) if (other.alive) void other.close();
    });
  }
}
