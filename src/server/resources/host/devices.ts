/** Devices, processors, hooks and errata that a host reports. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestParts, namedId } from '../../core/random.ts';
import { describeVmSubjects, isRunning } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { isOutdated } from './hardware.ts';

type Host = ObjectOf<'host'>;
type Device = Resource<'host_device'>;
type Erratum = Resource<'katello_erratum'>;

/** The host that owns a collection; undefined before its installation. */
export function findInstalledHost(ctx: RuleContext, ref: CollectionRef): Host | undefined {
  if (ref.owner?.kind !== 'host') return undefined;
  const host = ctx.tx.get('host', ref.owner.id);
  return host?.hardware_information ? host : undefined;
}

const intel = { id: '0x8086', name: 'Intel Corporation' };
const nvidia = { id: '0x10de', name: 'NVIDIA Corporation' };

/** Devices of every simulated host: the computer, its graphics, network and storage. */
const deviceTree: readonly (Device & { readonly parent?: string })[] = [
  { name: 'computer', capability: 'system' },
  {
    name: 'pci_0000_00_02_0',
    capability: 'pci',
    driver: 'nouveau',
    iommu_group: 1,
    vendor: nvidia,
    product: { id: '0x1eb8', name: 'TU104GL [Tesla T4]' },
    m_dev_types: [
      {
        name: 'nvidia-222',
        human_readable_name: 'GRID T4-1B',
        available_instances: 16,
        description: 'num_heads=4, frl_config=45, framebuffer=1024M',
      },
    ],
  },
  ...[0, 1, 2, 3].map((number) => ({
    name: `pci_0000_01_00_${number}`,
    capability: 'pci',
    driver: 'igb',
    iommu_group: 10 + number,
    vendor: intel,
    product: { id: '0x1521', name: 'I350 Gigabit Network Connection' },
    ...(number === 3 ? { virtual_functions: 7 } : {}),
  })),
  {
    name: 'pci_0000_02_00_0',
    capability: 'pci',
    driver: 'nvme',
    iommu_group: 20,
    vendor: intel,
    product: { id: '0x0a54', name: 'NVMe Datacenter SSD' },
  },
  { name: 'scsi_host0', capability: 'scsi_host', parent: 'pci_0000_02_00_0' },
  {
    name: 'usb_usb1',
    capability: 'usb_device',
    vendor: { id: '0x1d6b', name: 'Linux Foundation' },
    product: { id: '0x0002', name: '2.0 root hub' },
  },
];

function deviceId(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** Devices of a host, with the VMs that use them. */
export function listHostDevices(ctx: RuleContext, host: Host): Device[] {
  const owner = { id: host.id ?? '' };
  const assigned = new Map(
    ctx.tx
      .list('host_device', { where: { host_id: owner.id } })
      .map(({ name, vm }) => [name, vm] as const),
  );
  return deviceTree.map(({ name = '', ...device }) => {
    const { parent, ...rest } = device;
    const above = name === 'computer' ? undefined : (parent ?? 'computer');
    const vm = assigned.get(name);
    return {
      ...rest,
      id: deviceId(name),
      name,
      host: owner,
      placeholder: false,
      ...(above ? { parent_device: { id: deviceId(above), name: above } } : {}),
      ...(vm ? { vm } : {}),
    };
  });
}

export const cpuUnitBehavior = defineBehavior('host_cpu_unit', {
  compute(ctx, ref) {
    const host = findInstalledHost(ctx, ref);
    const { sockets = 0, cores = 0, threads = 0 } = host?.cpu?.topology ?? {};
    const perSocket = cores * threads;
    return Array.from({ length: sockets * perSocket }, (_, cpu) => ({
      id: namedId(host?.id ?? '', 'cpu', String(cpu)),
      socket_id: Math.floor(cpu / perSocket),
      core_id: Math.floor((cpu % perSocket) / threads),
      cpu_id: cpu,
      runs_vdsm: cpu === 1,
    }));
  },
});

const hookNames = [
  ['before_vm_start', '50_hostedengine'],
  ['before_vm_start', '50_localdisk'],
  ['after_network_setup', '30_ethtool_options'],
  ['before_network_setup', '50_fcoe'],
] as const;

export const hookBehavior = defineBehavior('hook', {
  compute(ctx, ref) {
    const host = findInstalledHost(ctx, ref);
    if (!host) return [];
    return hookNames.map(([event, name]) => ({
      id: namedId(host.id ?? '', event, name),
      name,
      event_name: event,
      md5: digestParts(event, name).toString('hex'),
      host: { id: host.id ?? '' },
    }));
  },
});

/** Errata that an upgrade of a host installs. */
const errata = [
  {
    name: 'VMSA-2026:0101',
    title: 'Important: kernel security update',
    type: 'security',
    severity: 'Important',
    issued: '2026-01-20T00:00:00.000Z',
    summary: 'Security fix for the network code of the kernel.',
    packages: ['kernel-5.14.0-570.el9', 'kernel-core-5.14.0-570.el9'],
  },
  {
    name: 'VMBA-2026:0117',
    title: 'vdsm bug fix update',
    type: 'bugfix',
    severity: '',
    issued: '2026-02-03T00:00:00.000Z',
    summary: 'Fix for NUMA statistics of vdsm.',
    packages: ['vdsm-4.50.6-1.el9'],
  },
  {
    name: 'VMEA-2026:0123',
    title: 'libvirt enhancement update',
    type: 'enhancement',
    severity: '',
    issued: '2026-02-10T00:00:00.000Z',
    summary: 'New CPU models in libvirt.',
    packages: ['libvirt-10.0.0-6.el9'],
  },
] as const;

export const erratumBehavior = defineBehavior('katello_erratum', {
  compute(ctx, ref) {
    if (!ref.owner) {
      const open = ctx.tx
        .list('host')
        .some((host) => host.hardware_information && isOutdated(host));
      return open ? errata.map((one) => createErratum(one, '')) : [];
    }
    if (ref.owner.kind === 'vm') {
      // The guest systems of simulated VMs are never updated.
      const vm = ctx.tx.get('vm', ref.owner.id);
      const known = vm?.status === 'up' && !vm.os?.type?.startsWith('windows');
      return known
        ? errata.map((one) => ({ ...createErratum(one, ''), vm: { id: vm.id ?? '' } }))
        : [];
    }
    const host = findInstalledHost(ctx, ref);
    if (!host || !isOutdated(host)) return [];
    return errata.map((one) => ({ ...createErratum(one, ''), host: { id: host.id ?? '' } }));
  },
});

function createErratum(one: (typeof errata)[number], owner: string): Erratum {
  const { packages, ...rest } = one;
  return {
    ...rest,
    id: namedId('erratum', one.name, owner),
    solution: 'Upgrade the host.',
    packages: packages.map((name) => ({ name })),
  };
}

export const hostDeviceBehavior = defineBehavior('host_device', {
  compute(ctx, ref) {
    if (ref.owner?.kind === 'vm') {
      return ctx.tx.list('host_device', { where: { collection: ref.collection } });
    }
    const host = findInstalledHost(ctx, ref);
    return host ? listHostDevices(ctx, host) : [];
  },

  attach: (ctx, ref, sent) => assign(ctx, ref, sent),

  beforeDelete(ctx, { ref }) {
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    if (isRunning(vm)) {
      ctx.refuse('VM_IS_NOT_DOWN', { action: 'remove a device of', status: vm.status });
    }
  },

  remove(ctx, { ref, object }) {
    ctx.tx.remove('host_device', object.id ?? '', ref.collection);
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    ctx.event('HOST_DEVICES_REMOVED', describeVmSubjects(ctx, vm), { Devices: object.name });
  },
});

/** Assigns a device to a VM that is pinned to a single host. */
function assign(ctx: RuleContext, ref: CollectionRef, sent: Device): Device {
  const action = 'add';
  const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
  const { affinity, hosts = [] } = vm.placement_policy ?? {};
  const host = hosts.length === 1 ? ctx.tx.get('host', hosts[0]?.id ?? '') : undefined;
  if (!host || affinity !== 'pinned') ctx.refuse('HOST_DEVICE_VM_NOT_PINNED', { action });
  if (isRunning(vm)) ctx.refuse('VM_IS_NOT_DOWN', { action: 'add a device to', status: vm.status });
  const { id, name } = sent;
  const found =
    listHostDevices(ctx, host).find((one) => (id ? one.id === id : one.name === name)) ??
    ctx.refuse('HOST_DEVICE_NOT_FOUND', { action, host: host.name, name: name ?? id });
  const present = ctx.tx.get('host_device', found.id ?? '', ref.collection);
  if (present) return present;
  const device: Device = { ...found, vm: { id: vm.id ?? '' }, placeholder: false };
  ctx.tx.insert('host_device', ref.collection, device);
  ctx.event('HOST_DEVICES_ADDED', describeVmSubjects(ctx, vm), { Devices: device.name });
  return device;
}
