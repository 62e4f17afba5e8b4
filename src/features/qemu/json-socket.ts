/** JSON messages, one per line, over a UNIX socket. */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { getErrorCode } from '../../caught-errors.ts';
import { isRecord } from '../../records.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';

/** Attempts to connect, and milliseconds between them. */
const maxAttempts = 25;
const pauseMs = 20;

/** Maximum length of a line in characters. */
const maxLineLength = 2 ** 22;

export type Message = Readonly<Record<string, unknown>>;

interface Waiter {
  readonly accepts: (message: Message) => boolean;
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
}

export class JsonSocket {
  readonly #socket: Socket;
  /** Name of the peer in errors. */
  readonly #peer: string;
  readonly #onMessage: (message: Message) => void;
  readonly #waiters = new Set<Waiter>();
  #text = '';
  #isClosed = false;
  /** Resolves when the connection ends. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, peer: string, onMessage: (message: Message) => void) {
    this.#socket = socket;
    this.#peer = peer;
    this.#onMessage = onMessage;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        for (const { reject } of this.#waiters) reject(this.#closedError());
        this.#waiters.clear();
        resolve();
      });
    });
  }

  /** Connects to a socket. `onMessage` receives messages that nothing waits for. */
  static async connect(
    path: string,
    peer: string,
    onMessage: (message: Message) => void,
  ): Promise<JsonSocket> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return new JsonSocket(await open(path), peer, onMessage);
      } catch (error) {
        // The file of a socket exists shortly before its program listens.
        if (getErrorCode(error) !== 'ECONNREFUSED' || attempt === maxAttempts) throw error;
      }
      await wait(pauseMs);
    }
  }

  /** Sends a message, after `prefix` bytes. */
  send(message: Message, prefix = ''): void {
    // Characters beyond ASCII are escaped, so that the encoding does not matter.
    const text = JSON.stringify(message).replace(
      /[\u007f-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.#socket.write(`${prefix}${text}\n`, 'latin1');
  }

  /** Resolves with the first message that `accepts`. Rejects after `milliseconds`. */
  wait(accepts: (message: Message) => boolean, milliseconds: number): Promise<Message> {
    if (this.#isClosed) return Promise.reject(this.#closedError());
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        accepts,
        resolve: (message) => {
          end();
          resolve(message);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const timer = setTimeout(
        () => waiter.reject(new HypervisorError(`${this.#peer} does not respond`)),
        milliseconds,
      );
      this.#waiters.add(waiter);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #closedError(): HypervisorError {
    return new HypervisorError(`${this.#peer} has closed the connection`);
  }

  #receive(text: string): void {
    const lines = `${this.#text}${text}`.split('\n');
    this.#text = lines.pop() ?? '';
    if (this.#text.length > maxLineLength) this.close();
    for (const line of lines) {
      const message = parseMessage(line);
      if (message) this.#dispatch(message);
    }
  }

  #dispatch(message: Message): void {
    for (const waiter of this.#waiters) {
      if (!waiter.accepts(message)) continue;
      waiter.resolve(message);
      return;
    }
    this.#onMessage(message);
  }
}

/** A message; undefined for other text, such as the rest of a line before a delimiter. */
function parseMessage(line: string): Message | undefined {
  const start = line.lastIndexOf('\xff') + 1;
  try {
    const value: unknown = JSON.parse(Buffer.from(line.slice(start), 'latin1').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
