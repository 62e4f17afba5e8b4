/** Simulated hardware, software and certificate of a host, derived from its id. */
import { createHash } from 'node:crypto';
import type { RuleContext } from '../../core/context.ts';
import { digestParts, namedId } from '../../core/random.ts';
import { installNics } from '../../inventory/host-nics.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Host = ObjectOf<'host'>;

/** The certificate of a host, for its address. */
export function createHostCertificate(host: Host): NonNullable<Host['certificate']> {
  return { organization: 'vmctl', subject: `O=vmctl,CN=${host.address}` };
}

/** The SSH fingerprint of a host. */
export function createSshFingerprint(id: string): string {
  const digest = createHash('sha256').update(`ssh ${id}`).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** Members of every host that was ever reached. */
export function showReports(host: Host, asEngine: boolean): StoredObject {
  if (!host.hardware_information) return {};
  const custom = host.os?.custom_kernel_cmdline ?? '';
  const booted = 'BOOT_IMAGE=/vmlinuz root=/dev/mapper/system-root ro crashkernel=auto';
  return {
    certificate: host.certificate ?? createHostCertificate(host),
    libvirt_version: { revision: 0, ...host.libvirt_version },
    version: { revision: 0, ...host.version },
    os: {
      reported_kernel_cmdline: `${booted} ${custom}`.trimEnd(),
      ...host.os,
      custom_kernel_cmdline: custom,
    },
    ssh: {
      fingerprint: createSshFingerprint(host.id ?? ''),
      ...host.ssh,
      ...(asEngine ? { user: undefined } : {}),
    },
    ...(asEngine ? { cpu: { ...host.cpu, architecture: undefined } } : {}),
  };
}

const gibibyte = 2 ** 30;

/** Software versions of a host, before and after an upgrade. */
const releases = [
  { vdsm: 5, os: 4 },
  { vdsm: 6, os: 5 },
] as const;

/** Whether an upgrade is available for a host. */
export function isOutdated(host: Host): boolean {
  return (host.version?.build ?? 0) < releases[1].vdsm;
}

/** The versions of a host, before or after its upgrade. */
export function simulateSoftware(upgraded: boolean): Pick<Host, 'os' | 'version'> {
  const { vdsm, os } = releases[upgraded ? 1 : 0];
  return {
    os: {
      type: 'RHEL',
      description: `Simulated Linux 9.${os}`,
      version: { full_version: `9.${os}`, major: 9, minor: os },
    },
    version: { full_version: `vdsm-4.50.${vdsm}`, major: 4, minor: 50, build: vdsm },
  };
}

/** Simulated hardware report of a host. */
export function simulateHardware(id: string): Host {
  const digest = digestParts(id, 'hardware').toString('hex');
  return {
    type: 'rhel',
    memory: 64 * gibibyte,
    max_scheduling_memory: 63 * gibibyte,
    cpu: {
      name: 'Intel Xeon Processor (Simulated)',
      speed: 2400,
      topology: { sockets: 2, cores: 8, threads: 2 },
      type: 'Intel Nehalem Family',
      architecture: 'x86_64',
    },
    ...simulateSoftware(false),
    libvirt_version: { full_version: 'libvirt-10.0.0', major: 10, minor: 0, build: 0 },
    hardware_information: {
      manufacturer: 'vmctl',
      product_name: 'Simulated host',
      family: 'Simulated',
      version: '1.0',
      uuid: namedId(id, 'hardware'),
      serial_number: namedId(id, 'serial number'),
      supported_rng_sources: ['random', 'hwrng'],
    },
    iscsi: { initiator: `iqn.2026-01.example.vmctl:${digest.slice(8, 20)}` },
    ksm: { enabled: true },
    transparent_hugepages: { enabled: true },
    se_linux: { mode: 'enforcing' },
    kdump_status: 'disabled',
    numa_supported: true,
    auto_numa_status: 'unknown',
    device_passthrough: { enabled: true },
    ovn_configured: false,
    hosted_engine: {
      configured: false,
      active: false,
      score: 0,
      global_maintenance: false,
      local_maintenance: false,
    },
    update_available: false,
  };
}

/** Creates the interfaces and NUMA nodes of a host, after its first connection. */
export function installHardware(ctx: RuleContext, host: Host): void {
  const id = host.id ?? '';
  if (ctx.tx.count('numa_node', { where: { collection: `/hosts/${id}/numanodes` } }) === 0) {
    addNumaNodes(ctx, host);
  }
  installNics(ctx, id);
}

function addNumaNodes(ctx: RuleContext, host: Host): void {
  const { sockets = 1, cores = 1, threads = 1 } = host.cpu?.topology ?? {};
  const perNode = cores * threads;
  for (let index = 0; index < sockets; index++) {
    ctx.tx.insert('numa_node', `/hosts/${host.id}/numanodes`, {
      id: namedId(host.id ?? '', 'numa', String(index)),
      name: `node${index}`,
      index,
      // Megabytes, unlike the memory of the host.
      memory: Number(BigInt(host.memory ?? 0) / BigInt(sockets) / 1_048_576n),
      node_distance: Array.from({ length: sockets }, (_, to) => (to === index ? 10 : 20)).join(' '),
      cpu: {
        cores: Array.from({ length: perNode }, (_, core) => ({ index: index * perNode + core })),
      },
      host: { id: host.id ?? '' },
    });
  }
}
