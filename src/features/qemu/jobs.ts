/** Jobs of QEMU: their list, and the wait for one. */
import { setTimeout as wait } from 'node:timers/promises';
import { isRecord, toRecord } from '../../records.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import type { RunningVm } from './running-vm.ts';

const pollMs = 100;

/** Jobs of QEMU by id. */
export async function listJobs(
  vm: RunningVm,
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const found = await vm.execute('query-jobs');
  const jobs = Array.isArray(found) ? found.filter(isRecord) : [];
  return new Map(jobs.map((job) => [String(job['id']), toRecord(job)]));
}

/**
 * Waits for the end of a job during which QEMU does not respond, and removes it. Resolves with false
 * if the job does not exist. Rejects with a `HypervisorError` if it has failed, or QEMU has ended.
 */
export async function endSlowJob(vm: RunningVm, id: string): Promise<boolean> {
  for (;;) {
    const jobs = await listJobs(vm).catch((error: unknown) => {
      if (!vm.isAlive || !(error instanceof HypervisorError)) throw error;
      return undefined;
    });
    const job = jobs?.get(id);
    if (jobs && !job) return false;
    if (job?.['status'] === 'concluded') {
      await vm.execute('job-dismiss', { id });
      if (job['error'] === undefined) return true;
      throw new HypervisorError(String(job['error']));
    }
    await wait(pollMs);
  }
}
