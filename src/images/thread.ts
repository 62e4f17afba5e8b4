/** The daemon in a worker thread: starts the thread and forwards calls to it. */
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';
import type { ImageDaemon, ImageDaemonOptions } from './types.ts';

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** A thread that loads the program of the daemon, and waits for its options. */
export interface PreparedDaemon {
  /** Starts the daemon. Rejects when it cannot listen. */
  start(options: StartOptions): Promise<ImageDaemon>;
  /** Ends the thread, and the daemon where it was started. */
  close(): Promise<void>;
}

/**
 * Begins a thread for the daemon: to load its program takes a while, in which others can work. Until it is
 * started it keeps no process alive.
 * @param program the thread's program, looked for when not given
 */
export function prepareThread(program: URL = builtFile('images-worker.js')): PreparedDaemon {
  const thread = new DaemonThread(program);
  return {
    start: (options) => startIn(thread, options),
    close: () => thread.close(),
  };
}

async function startIn(thread: DaemonThread, options: StartOptions): Promise<ImageDaemon> {
  const { url, port } = await thread.start(options);
  return {
    url,
    port,
    ...(options.unixSocket === undefined ? {} : { unixSocket: options.unixSocket }),
    ...(options.controlSocket === undefined ? {} : { controlSocket: options.controlSocket }),
    add: (ticket) => thread.call('add', ticket),
    state: (id) => thread.call('state', id),
    extend: (id, timeout) => thread.call('extend', id, timeout),
    touch: (id) => thread.call('touch', id),
    remove: (id, waitMs) => thread.call('remove', id, waitMs),
    close: () => thread.close(),
  };
}

class DaemonThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingCall>();
  readonly #started: Promise<Started>;
  #isAsked = false;
  #lastId = 0;
  #stopped: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(program: URL) {
    this.#worker = new Worker(program, { name: 'images' });
    let cause = 'it exited';
    this.#worker.on('error', (error) => {
      cause = error.message;
    });
    this.#started = new Promise((resolve, reject) => {
      this.#worker.on('message', (reply: ReplyMessage) => {
        if (reply.kind === 'started') resolve(reply);
        else if (reply.kind === 'failed') reject(new Error(reply.message));
        else this.#settle(reply);
      });
      this.#worker.once('exit', () => {
        this.#stopped = new Error(`the image daemon thread has stopped: ${cause}`);
        reject(this.#stopped);
        for (const { reject: rejectCall } of this.#waiting.values()) rejectCall(this.#stopped);
        this.#waiting.clear();
      });
    });
    // Whoever starts the daemon is told; nobody may ever do that.
    this.#started.catch(() => undefined);
    // Whoever waits for messages holds the process; nobody does before it is asked for anything.
    this.#worker.unref();
  }

  async start(options: StartOptions): Promise<Started> {
    this.#isAsked = true;
    this.#worker.ref();
    this.#worker.postMessage(options);
    return this.#started;
  }

  call<N extends DaemonCallName>(
    name: N,
    ...parameters: Parameters<DaemonCalls[N]>
  ): ReturnType<DaemonCalls[N]> {
    const result = new Promise((resolve, reject) => {
      if (this.#stopped) throw this.#stopped;
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, parameters });
    });
    // The other side ran the method of that name: the answer has its type.
    return result as ReturnType<DaemonCalls[N]>;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#stopped) return;
    const isRunning = this.#isAsked && (await this.#started.then(() => true).catch(() => false));
    if (isRunning) await this.call('close');
    await this.#worker.terminate();
  }

  #settle(reply: Exclude<ReplyMessage, Started | { kind: 'failed' }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'result') waiting?.resolve(reply.value);
    else waiting?.reject(new Error(reply.message));
  }
}

/** The calls that cross the border, with the types the daemon itself has. */
export type DaemonCalls = Pick<
  ImageDaemon,
  'add' | 'state' | 'extend' | 'touch' | 'remove' | 'close'
>;
export type DaemonCallName = keyof DaemonCalls;

/** From the caller: run a call. */
export type CallMessage = {
  [N in DaemonCallName]: { id: number; name: N; parameters: Parameters<DaemonCalls[N]> };
}[DaemonCallName];

/** From the daemon: how a call ended. */
export type ReplyMessage =
  | { kind: 'result'; id: number; value: Awaited<ReturnType<DaemonCalls[DaemonCallName]>> }
  | { kind: 'error'; id: number; message: string }
  | Started
  | { kind: 'failed'; message: string };

/** From the daemon, first of all: it listens. */
export interface Started {
  kind: 'started';
  url: string;
  port: number;
}

/** What the thread is started with. */
export type StartOptions = Omit<ImageDaemonOptions, 'inThread'>;
