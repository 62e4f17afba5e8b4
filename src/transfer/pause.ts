/** Waiting that can be ended early. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so many milliseconds. Rejects with the reason of the signal when that ends the wait. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
