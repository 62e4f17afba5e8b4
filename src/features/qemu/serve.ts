/** QEMU in `vmctl serve`: finds QEMU, and refuses flags that do not fit. */
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { UsageError } from '../../client/errors.ts';
import { QemuHypervisor } from './driver.ts';
import { findInstallation } from './installation.ts';

interface QemuFlags {
  readonly hypervisor?: 'simulated' | 'qemu';
  readonly memory?: boolean;
  readonly store?: string;
}

export const handlers: ServeHandlers<QemuFlags> = {
  async createHypervisor(flags) {
    if (flags.hypervisor !== 'qemu') return undefined;
    refuseFlags(flags);
    const installation = await findInstallation();
    if (!installation) {
      throw new UsageError('--hypervisor qemu: QEMU is not installed', {
        hint: 'install qemu-system-x86 (Debian, Ubuntu) or qemu-kvm (Enterprise Linux)',
      });
    }
    const { accelerator, version } = installation;
    return {
      create: (parts) => new QemuHypervisor(installation, parts),
      nature: `hosts are simulated; VMs run in QEMU ${version} (${accelerator})`,
    };
  },
};

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
