/** Graceful shutdown of long-running commands. */

/** Resolves when the process is asked to stop (SIGTERM, SIGINT); a second time it exits at once, with 1. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = () => {
      if (asked) process.exit(1);
      asked = true;
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
