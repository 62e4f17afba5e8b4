/** Frozen file systems of a guest, for a consistent copy of its disks. */
import type { RunningVm } from './running-vm.ts';

/** Attempts to thaw: a guest must not stay frozen because one response was late. */
const maxAttempts = 3;

/**
 * Runs work while the file systems of the guest are frozen. Without an agent, or if the agent
 * refuses, the work runs without that.
 */
export async function withFrozenGuest<T>(vm: RunningVm, work: () => Promise<T>): Promise<T> {
  let running: Promise<T> | undefined;
  await vm.withAgent(async (agent) => {
    // Frozen file systems belong to the client that has frozen them.
    if ((await agent.execute('guest-fsfreeze-status')) !== 'thawed') return;
    await agent.execute('guest-fsfreeze-freeze').catch(() => undefined);
    running = work();
    await running.catch(() => undefined);
    await agent.execute('guest-fsfreeze-thaw').catch(() => undefined);
  });
  if (!running) return await work();
  await requireThawed(vm);
  return await running;
}

/** Thaws file systems that are still frozen. */
async function requireThawed(vm: RunningVm): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const state = await vm.withAgent((agent) => agent.execute('guest-fsfreeze-status'));
    if (state !== 'frozen') return;
    await vm.withAgent((agent) => agent.execute('guest-fsfreeze-thaw'));
  }
}
