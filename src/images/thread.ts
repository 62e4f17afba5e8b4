/** Daemon in a worker thread: start of the thread, and calls to it. */
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';
import type { ImageDaemon, ImageDaemonOptions } from './types.ts';

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Thread with the loaded program of the daemon, ready to start it. */
export interface PreparedDaemon {
  /** Starts the daemon. Rejects if it cannot listen. */
  start(options: StartOptions): Promise<ImageDaemon>;
  /** Ends the thread, and the daemon if it is running. */
  close(): Promise<void>;
}

/**
 * Starts loading the program of the daemon in a thread. Until the daemon is started, the thread
 * does not keep the process alive.
 * @param program program of the thread (default: the built one)
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
    // The caller of `start` receives the error. Without a call, it is ignored.
    this.#started.catch(() => undefined);
    // The message listener keeps the process alive, so detach it until the first call.
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
    // The other side ran the method of this name, so the result has its type.
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

/** Calls between threads, with the types of the daemon. */
export type DaemonCalls = Pick<
  ImageDaemon,
  'add' | 'state' | 'extend' | 'touch' | 'remove' | 'close'
>;
export type DaemonCallName = keyof DaemonCalls;

/** Message from the owner: a call. */
export type CallMessage = {
  [N in DaemonCallName]: { id: number; name: N; parameters: Parameters<DaemonCalls[N]> };
}[DaemonCallName];

/** Message from the daemon: the result of a call. */
export type ReplyMessage =
  | { kind: 'result'; id: number; value: Awaited<ReturnType<DaemonCalls[DaemonCallName]>> }
  | { kind: 'error'; id: number; message: string }
  | Started
  | { kind: 'failed'; message: string };

/** First message from the daemon: it listens. */
export interface Started {
  kind: 'started';
  url: string;
  port: number;
}

/** Options for the start of the daemon. */
export type StartOptions = Omit<ImageDaemonOptions, 'inThread'>;
