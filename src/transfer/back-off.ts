/** How long to wait before something is tried again that failed for a reason that may pass. */
import { pause } from '../client/retry.ts';

const FIRST_DELAY = 250;
const LONGEST_DELAY = 15_000;

/** Waits the longer the more attempts in a row have failed. Rejects when the signal ends the wait. */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY), signal);
}
