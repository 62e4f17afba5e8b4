/** Signals: how commands are interrupted, and servers stopped. */
import { InterruptedError } from '../../client/errors.ts';

/**
 * Resolves when the process is asked to stop (SIGTERM, SIGINT); a second time it exits at once, with 1,
 * unless it runs in the background: who asks there is a program, and two may ask at the same time.
 */
export function stopSignal(isInBackground = false): Promise<void> {
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
      // Only now: without any listener for a moment, a signal that is under way would be lost.
      for (const other of others) process.off(name, other as NodeJS.SignalsListener);
    }
  });
}

/**
 * The first signal ends the work in order, the second one at once. A command that listens itself,
 * such as the server, is left alone.
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
