/**
 * NBD client: distributes requests over connections, and splits them at the limits of the server.
 * No maintained NBD library for Node reads into provided memory.
 */

import { NbdConnection, type NbdConnectionOptions } from './connection.ts';
import type { ExportInfo } from './handshake.ts';
import { Command, ExportFlag, NO_HOLE, systemError } from './protocol.ts';
import type { NbdRequestOptions, RunsByContext } from './request.ts';

/** Useful connections to one export. More are not faster. */
const MAX_CONNECTIONS = 4;
/** Maximum length of a request without data: fits into 32 bits, and is aligned to any block. */
const MAX_LENGTH = 2 ** 31;

/**
 * Reads and writes one export. Offsets and lengths are multiples of its minimum block, and within
 * the export. A lost connection ends the client.
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

  /** Opens the first connection. Rejects with a system error code. */
  static async open(options: NbdConnectionOptions): Promise<NbdClient> {
    return new NbdClient(await NbdConnection.open(options), options);
  }

  get alive(): boolean {
    return !this.#isClosed && this.#connections.every(({ alive }) => alive);
  }

  get isReadOnly(): boolean {
    return this.#has(ExportFlag.readOnly);
  }

  /** Whether the server supports zeroing. */
  get canZero(): boolean {
    return this.#has(ExportFlag.writeZeroes);
  }

  async read(offset: number, buffer: Buffer): Promise<void> {
    await this.#inPieces(Command.read, offset, buffer);
  }

  async write(offset: number, buffer: Buffer): Promise<void> {
    await this.#inPieces(Command.write, offset, buffer);
  }

  /** Makes a range read as zeros. `keepSpace` keeps it allocated. */
  async zero(offset: number, length: number, keepSpace: boolean): Promise<void> {
    const flags = keepSpace ? NO_HOLE : 0;
    for (let done = 0; done < length; done += MAX_LENGTH) {
      const part = Math.min(MAX_LENGTH, length - done);
      const parts = { command: Command.writeZeroes, offset: offset + done, length: part, flags };
      await this.#send(parts);
    }
  }

  /**
   * Flushes earlier writes of all connections to stable storage. A server without the command
   * promises that its replies imply this.
   */
  async flush(): Promise<void> {
    if (!this.#has(ExportFlag.flush)) return;
    await this.#send({ command: Command.flush, offset: 0, length: 0 });
  }

  /** Status of blocks from `offset`, at least of the first ones. */
  blocks(offset: number, length: number): Promise<RunsByContext> {
    const part = Math.min(length, MAX_LENGTH);
    return this.#send({ command: Command.blockStatus, offset, length: part });
  }

  /** Disconnects all connections. Only without pending requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Closes all connections. Pending requests fail. */
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
      const location = { offset: offset + done, length: piece.length };
      pieces.push(this.#send({ command, ...location, buffer: piece }));
    }
    // Wait for all parts, so that none accesses the buffer after the first failure.
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

  /** Opens another connection for later requests. This one does not wait for it. */
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
        // Continue with one connection.
        this.#limit = 1;
        this.#isOpening = false;
      },
    );
  }

  #add(connection: NbdConnection): void {
    this.#connections.push(connection);
    // The remaining connections can belong to another instance of the server.
    void connection.lost.then(() => {
      for (const other of this.#connections) if (other.alive) void other.close();
    });
  }
}
