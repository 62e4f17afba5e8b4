/** How commands that serve until they are told to stop are told. */

/** Resolves when the process is asked to stop; a second time it stops at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.removeAllListeners(name);
      process.on(name, stop);
    }
  });
}
