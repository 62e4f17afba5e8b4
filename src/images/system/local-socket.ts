/** Faster transfers over local sockets, where waking up costs more than copying. */
import type { Socket } from 'node:net';
import type { KoffiFunc } from 'koffi';
import { cLibrary } from '../../c-library.ts';

/** Bytes a local socket should hold for its reader; the usual 200 KiB wake it five times a MiB. */
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
 * Gives a local socket a larger buffer for what is sent. Node has no call for that, nor a public
 * name for the descriptor; where either cannot be reached the transfer is slower, nothing else.
 */
export async function widenSendBuffer(socket: Socket): Promise<void> {
  const { _handle: handle } = socket as { _handle?: { fd?: number } };
  const fd = handle?.fd;
  const library = await cLibrary();
  if (fd === undefined || fd < 0 || !library || socket.destroyed) return;
  setOption ??= library.func(
    'int setsockopt(int, int, int, _In_ int *, uint32_t)',
  ) as KoffiFunc<SetSocketOption>;
  setOption(fd, SOL_SOCKET, SO_SNDBUF, [SEND_BUFFER], 4);
}

/** Milliseconds to look for the next chunk before going to sleep. */
const SPIN_TIME = 0.15;
/** Chunks to sleep through after waiting in vain: doubled each time, up to this. */
const MAX_SKIP = 256;

/**
 * Keeps the event loop awake for the next chunk of a fast local upload. Its sender fills the
 * socket's small buffer in no time and then sleeps until it is read, and so would the reader: both
 * spend most of their time being woken. Looking again for a moment instead nearly doubles the rate.
 * Where chunks come too slowly for that, hardly any time is spent on trying.
 */
export class SpinningReader {
  readonly #now: () => number;
  #until = 0;
  #turning = false;
  #skip = 0;
  #nextSkip = 1;

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** To be called when a chunk has come and another one is expected. */
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
