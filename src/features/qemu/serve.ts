/** QEMU in `vmctl serve`: finds QEMU, and refuses flags and folders that do not fit. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { UsageError } from '../../client/errors.ts';
import { findProcesses } from './processes.ts';
import { listSuspended } from './saved-memory.ts';

interface QemuFlags {
  readonly hypervisor?: 'simulated' | 'qemu';
  readonly memory?: boolean;
  readonly store?: string;
}

export const handlers: ServeHandlers<QemuFlags> = {
  async createHypervisor(folder, flags) {
    if (flags.hypervisor !== 'qemu') {
      if (!flags.memory) refuseRunningVms(folder);
      return undefined;
    }
    refuseFlags(flags);
    const { findInstallation } = await import('./installation.ts');
    const installation = await findInstallation();
    if (!installation) {
      throw new UsageError('--hypervisor qemu: QEMU is not installed', {
        hint: 'install qemu-system-x86 (Debian, Ubuntu) or qemu-kvm (Enterprise Linux)',
      });
    }
    const { QemuHypervisor } = await import('./driver.ts');
    const { accelerator, version } = installation;
    return {
      create: (parts) => new QemuHypervisor(installation, parts),
      nature: `hosts are simulated; VMs run in QEMU ${version} (${accelerator})`,
    };
  },
};

/**
 * Refuses a data folder with QEMU processes, which write to disks that another server changes, or
 * with saved memory, which requires unchanged disks.
 */
function refuseRunningVms(folder: string): void {
  const root = join(folder, 'vms');
  if (process.platform !== 'linux' || !existsSync(root)) return;
  const count = findProcesses(realpathSync(root)).size;
  const suspended = listSuspended(root).length;
  if (suspended > 0) {
    throw new UsageError(`cannot use ${folder}: ${suspended} of its VMs are suspended by QEMU`, {
      hint: 'use --hypervisor qemu',
    });
  }
  if (count === 0) return;
  throw new UsageError(`cannot use ${folder}: ${count} of its VMs run in QEMU`, {
    hint: 'use --hypervisor qemu',
  });
}

/** VMs outlive the server, and need the files of one server. */
function refuseFlags({ memory, store }: QemuFlags): void {
  if (process.platform !== 'linux') {
    throw new UsageError('--hypervisor qemu requires Linux', { hint: 'remove --hypervisor' });
  }
  if (memory) {
    throw new UsageError('--hypervisor qemu and --memory exclude each other', {
      hint: 'use --data DIR: VMs continue to run when the server stops',
    });
  }
  if (store !== undefined && !store.startsWith('sqlite:')) {
    throw new UsageError('--hypervisor qemu and a store for several servers exclude each other', {
      hint: 'use --data DIR',
    });
  }
}
