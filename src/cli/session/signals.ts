/** Signal handling: interruption of commands, shutdown of servers. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { InterruptedError } from '../../client/errors.ts';

/**
 * Resolves on the first SIGTERM or SIGINT. The second exits immediately with code 1, except in the
 * background, where two programs may send signals at the same time.
 */
export function waitForStopSignal(isInBackground = false): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping && !isInBackground) process.exit(1);
      stopping = true;
      resolve();
    };
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      const others = process.rawListeners(name);
      process.on(name, stop);
      // The other listeners must stay until now: without a listener, a pending signal would end the
      // process.
      // Right because `rawListeners` returns the listeners of this signal.
      for (const other of others) process.off(name, other as NodeJS.SignalsListener);
    }
  });
}

/** Milliseconds between checks for a stop file. */
const stopFileInterval = 200;

/**
 * Resolves on a stop request for a server in the background: a signal; on Windows, where signals
 * end a process without a shutdown, a file next to its record.
 */
export async function waitForStopRequest(
  record: string,
  platform: string = process.platform,
): Promise<void> {
  const signal = waitForStopSignal(true);
  if (platform !== 'win32') return signal;
  const file = `${record}.stop`;
  // A server that crashed may have left its request.
  rmSync(file, { force: true });
  let timer: NodeJS.Timeout | undefined;
  const request = new Promise<void>((resolve) => {
    // `watchFile` would miss a file that exists at its first, asynchronous check.
    timer = setInterval(() => existsSync(file) && resolve(), stopFileInterval);
  });
  await Promise.race([signal, request]);
  clearInterval(timer);
  rmSync(file, { force: true });
}

/** Requests the stop of a server in the background. Throws a system error. */
export function requestStop(
  pid: number,
  record: string,
  platform: string = process.platform,
): void {
  if (platform === 'win32') writeFileSync(`${record}.stop`, '', { mode: 0o600 });
  else process.kill(pid, 'SIGTERM');
}

/**
 * Aborts the command on the first signal and exits on the second. Commands with their own
 * listeners, such as the server, handle signals themselves. Returns the function that stops
 * listening.
 */
export function listenToSignals(controller: AbortController): () => void {
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (process.listenerCount(signal) > 1) return;
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    controller.abort(new InterruptedError(signal));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
