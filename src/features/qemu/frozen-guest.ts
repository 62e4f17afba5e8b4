/** Frozen file systems of a guest, for a consistent copy of its disks. */
import type { RunningVm } from './running-vm.ts';

/** Attempts to thaw: a guest must not stay frozen because one response was late. */
const maxAttempts = 3;

/**
 * Runs work while the file systems of the guest are frozen. Without an agent, or if the agent
 * refuses, the work runs without that.
 */
export async function withFrozenGuest<T>(vm: RunningVm, work: () => Promise<T>): Promise<T> {
  const state = await vm.withAgent((agent) => agent.execute('guest-fsfreeze-status'));
  // Frozen file systems belong to the client that has frozen them.
  if (state !== 'thawed') return await work();
  await vm.withAgent((agent) => agent.execute('guest-fsfreeze-freeze'));
  try {
    return await work();
  } finally {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const thawed = await vm.withAgent((agent) => agent.execute('guest-fsfreeze-thaw'));
      if (thawed !== undefined) break;
    }
  }
}
