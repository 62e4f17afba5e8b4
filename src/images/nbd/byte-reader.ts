/** Byte stream of an NBD connection. Long payloads are read directly into their destination. */
import { connect, type Socket } from 'node:net';
import { protocolError, systemError } from './protocol.ts';

/** Address of an NBD server: a unix socket or a network address. */
export type NbdAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

/** Size of the buffer for short messages, which also limits the bytes that are copied twice. */
const STAGING_SIZE = 4096;
/** Maximum bytes that a server may send in advance. */
const MAX_STAGING_SIZE = 1 << 20;

/**
 * Socket that reads on demand: the caller provides a buffer, and a callback for the full buffer.
 * The system reads directly into a large buffer.
 */
export class ByteReader {
  readonly socket: Socket;
  #stage = Buffer.allocUnsafeSlow(STAGING_SIZE);
  #staged = 0;
  #used = 0;
  #target: Buffer | undefined;
  #filled = 0;
  #whenFull: () => void = () => {};
  #failure: Error | undefined;

  /**
   * Connects. `onClose` is called once, also after a failed attempt. After it, no buffer is
   * accessed.
   */
  constructor(address: NbdAddress, onClose: (error: Error) => void) {
    const onread = {
      buffer: () => this.#nextBuffer(),
      callback: (count: number, buffer: Uint8Array) => this.#take(count, buffer),
    };
    this.socket = connect(
      'path' in address
        ? { path: address.path, onread }
        : { host: address.host, port: address.port, noDelay: true, onread },
    );
    this.socket.on('error', (error) => {
      this.#failure ??= error;
    });
    this.socket.once('close', () => {
      onClose(this.#failure ?? systemError('ECONNRESET', 'the NBD server closed the connection'));
    });
  }

  /** Fills `target` with the next bytes, then calls `whenFull`, which requests further bytes. */
  expect(target: Buffer, whenFull: () => void): void {
    this.#target = target;
    this.#filled = 0;
    this.#whenFull = whenFull;
  }

  /** Reads `length` bytes, for the handshake. */
  read(length: number): Promise<Buffer> {
    return new Promise((resolve) => {
      const buffer = Buffer.alloc(length);
      this.expect(buffer, () => resolve(buffer));
      // Outside of a callback, received bytes must be processed here.
      this.#drain();
    });
  }

  /** Closes the connection because of an error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#target = undefined;
    this.socket.destroy();
  }

  /** Buffer for the next bytes: a long target, otherwise the stage. */
  #nextBuffer(): Buffer {
    if (this.#used === this.#staged) {
      this.#used = 0;
      this.#staged = 0;
      const rest = this.#target ? this.#target.length - this.#filled : 0;
      if (this.#target && rest >= STAGING_SIZE) return this.#target.subarray(this.#filled);
    }
    if (this.#staged === this.#stage.length) this.#growStage();
    return this.#stage.subarray(this.#staged);
  }

  #growStage(): void {
    const rest = this.#stage.subarray(this.#used, this.#staged);
    let size = this.#stage.length;
    if (this.#used === 0) size *= 2;
    if (size > MAX_STAGING_SIZE) {
      this.#failure ??= protocolError('it sends unrequested data');
      // Deferred, because this runs within the socket's callback.
      setImmediate(() => this.socket.destroy());
      size = STAGING_SIZE;
    }
    const stage = Buffer.allocUnsafeSlow(size);
    this.#staged = size > rest.length ? rest.copy(stage) : 0;
    this.#used = 0;
    this.#stage = stage;
  }

  #take(count: number, buffer: Uint8Array): boolean {
    if (buffer.buffer === this.#stage.buffer) {
      this.#staged += count;
    } else {
      this.#filled += count;
      if (this.#target && this.#filled === this.#target.length) this.#finish();
    }
    this.#drain();
    return true;
  }

  /** Moves staged bytes to the targets until no target is left. */
  #drain(): void {
    while (this.#target) {
      const wanted = this.#target.length - this.#filled;
      const available = this.#staged - this.#used;
      if (wanted > 0 && available === 0) break;
      const count = Math.min(wanted, available);
      this.#stage.copy(this.#target, this.#filled, this.#used, this.#used + count);
      this.#used += count;
      this.#filled += count;
      if (count === wanted) this.#finish();
    }
  }

  #finish(): void {
    this.#target = undefined;
    this.#whenFull();
  }
}
