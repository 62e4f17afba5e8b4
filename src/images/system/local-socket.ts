/** Optimizations for local sockets: a wake-up costs more than a copy. */
import type { Socket } from 'node:net';
import type { KoffiFunc } from 'koffi';
import { cLibrary } from '../../c-library.ts';
import { toRecord } from '../../records.ts';

/** Bytes of the send buffer. The default of 200 KiB wakes the reader five times a MiB. */
const SEND_BUFFER = 1 << 20;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;

type SetSocketOption = (
  fd: number,
  level: number,
  option: number,
  value: number[],
  length: number,
) => number;

let setOption: KoffiFunc<SetSocketOption> | undefined;

/**
 * Enlarges the send buffer of a local socket. Node.js has neither a call for this nor a public name
 * for the descriptor. Without them, the transfer is only slower.
 */
export async function widenSendBuffer(socket: Socket): Promise<void> {
  const fd = '_handle' in socket ? toRecord(socket._handle)['fd'] : undefined;
  const library = await cLibrary();
  if (typeof fd !== 'number' || fd < 0 || !library || socket.destroyed) return;
  // The declaration in C has these parameters.
  setOption ??= library.func(
    'int setsockopt(int, int, int, _In_ int *, uint32_t)',
  ) as KoffiFunc<SetSocketOption>;
  setOption(fd, SOL_SOCKET, SO_SNDBUF, [SEND_BUFFER], 4);
}

/** Milliseconds to poll for the next chunk. */
const SPIN_TIME = 0.15;
/** Maximum chunks without polling after a poll failed. Each failure doubles their number. */
const MAX_SKIP = 256;

/**
 * Polls for the next chunk of a fast local upload, which nearly doubles the rate. The sender fills
 * the small buffer of the socket quickly and then sleeps until the reader empties it. Without
 * polling, the reader sleeps too, and both spend most of their time on wake-ups. For slow senders,
 * it rarely polls.
 */
export class SpinningReader {
  readonly #now: () => number;
  #until = 0;
  #turning = false;
  #skip = 0;
  #nextSkip = 1;

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The caller calls this after each chunk except the last. */
  expectMore(): void {
    if (this.#turning) this.#nextSkip = 1;
    else if (this.#skip > 0) {
      this.#skip -= 1;
      return;
    }
    this.#until = this.#now() + SPIN_TIME;
    if (this.#turning) return;
    this.#turning = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    if (this.#now() < this.#until) {
      setImmediate(() => this.#turn());
      return;
    }
    this.#turning = false;
    this.#skip = this.#nextSkip;
    this.#nextSkip = Math.min(this.#nextSkip * 2, MAX_SKIP);
  }
}
