// What the caller's thread and the daemon's thread say to each other.
import type { ImageDaemon, ImageDaemonOptions } from './types.ts';

/** The calls that cross the border, with the types the daemon itself has. */
export type Calls = Pick<ImageDaemon, 'add' | 'state' | 'extend' | 'touch' | 'remove' | 'close'>;
export type CallName = keyof Calls;

/** From the caller: run a call. */
export type Request = {
  [N in CallName]: { id: number; name: N; parameters: Parameters<Calls[N]> };
}[CallName];

/** From the daemon: how a call ended. */
export type Reply =
  | { kind: 'result'; id: number; value: Awaited<ReturnType<Calls[CallName]>> }
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
