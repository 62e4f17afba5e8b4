/** What a host that was reached reports beside what is kept of it. */
import { createHash } from 'node:crypto';
import type { Resource } from '../../../model/resource.ts';
import type { StoredObject } from '../../store/document.ts';

type Host = Resource<'host'>;

/** The certificate by which a host is known, for its address. */
export function certificateOf(host: Host): NonNullable<Host['certificate']> {
  return { organization: 'vmctl', subject: `O=vmctl,CN=${host.address}` };
}

/** How a host shows that it is the one that was installed. */
export function fingerprintOf(id: string): string {
  const digest = createHash('sha256').update(`ssh ${id}`).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** Members that every host has once it was reached, whenever and however it was added. */
export function shownReports(host: Host): StoredObject {
  if (!host.hardware_information) return {};
  const custom = host.os?.custom_kernel_cmdline ?? '';
  const booted = 'BOOT_IMAGE=/vmlinuz root=/dev/mapper/system-root ro crashkernel=auto';
  return {
    certificate: host.certificate ?? certificateOf(host),
    libvirt_version: { revision: 0, ...host.libvirt_version },
    version: { revision: 0, ...host.version },
    os: {
      reported_kernel_cmdline: `${booted} ${custom}`.trimEnd(),
      ...host.os,
      custom_kernel_cmdline: custom,
    },
    ssh: { fingerprint: fingerprintOf(host.id ?? ''), ...host.ssh },
  };
}
