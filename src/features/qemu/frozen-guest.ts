/** Frozen file systems of a guest, for a consistent copy of its disks. */
import { HypervisorError } from '../../server/core/hypervisor.ts';
import type { RunningVm } from './running-vm.ts';

/** Attempts to thaw: a guest must not stay frozen because one response was late. */
const maxAttempts = 3;

/**
 * Runs work while the file systems of the guest are frozen. Without an agent, or if the agent
 * refuses, the work runs without that; if `isRequired`, it rejects with a `HypervisorError` instead.
 */
export async function withFrozenGuest<T>(
  vm: RunningVm,
  work: () => Promise<T>,
  isRequired = false,
): Promise<T> {
  let running: Promise<T> | undefined;
  let isFrozen = false;
  await vm.withAgent(async (agent) => {
    // Frozen file systems belong to the client that has frozen them.
    const state = await agent.execute('guest-fsfreeze-status');
    isFrozen = state === 'frozen';
    if (state !== 'thawed') return;
    const freezing = agent.execute('guest-fsfreeze-freeze');
    isFrozen = await freezing.then(
      () => true,
      () => false,
    );
    if (isFrozen || !isRequired) running = work();
    await running?.catch(() => undefined);
    await agent.execute('guest-fsfreeze-thaw').catch(() => undefined);
  });
  if (running) {
    await requireThawed(vm);
    return await running;
  }
  if (isRequired && !isFrozen) {
    await requireThawed(vm);
    throw new HypervisorError('the guest agent does not freeze the file systems');
  }
  return await work();
}

/** Thaws file systems that are still frozen. */
async function requireThawed(vm: RunningVm): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const state = await vm.withAgent((agent) => agent.execute('guest-fsfreeze-status'));
    if (state !== 'frozen') return;
    await vm.withAgent((agent) => agent.execute('guest-fsfreeze-thaw'));
  }
}
