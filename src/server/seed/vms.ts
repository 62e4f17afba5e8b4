/** VMs of a generated inventory, with their disks and NICs. */

import { cdromId } from '../../model/resources/vm-device.ts';
import type { RuleContext } from '../core/context.ts';
import { applyDefaults } from '../core/input.ts';
import { ascendingIds } from '../core/random.ts';
import { findDefaultQuota } from '../inventory/quota.ts';
import { addActiveSnapshot } from '../inventory/snapshot-contents.ts';
import { firstBlock } from '../inventory/storage-space.ts';
import { zeroId } from '../reference-data/default-ids.ts';
import { addConsole } from '../resources/vm/console.ts';
import { prepareVm } from '../resources/vm/create.ts';
import { describeRunning } from '../resources/vm/running.ts';
import { type BulkValues, BulkWriter, type Prototype } from '../store/bulk.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Counts } from './counts.ts';

const gibibyte = 2 ** 30;

/** Number of VMs from which building the indexes afterwards is faster. */
const many = 1_000;
const kinds = [
  'vm',
  'nic',
  'disk',
  'disk_attachment',
  'cdrom',
  'graphics_console',
  'snapshot',
] as const;

/** Parts of a VM with an id. */
const idNames = ['vm', 'nic', 'disk', 'image', 'snapshot'] as const;

/** Values that differ between VMs of one prototype; VMs that are down have no host. */
const valueNames = [...idNames, 'name', 'mac', 'domain', 'profile', 'host', 'address'] as const;

type ValueName = (typeof valueNames)[number];
type MachineValues = BulkValues<ValueName>;

/** Adds VMs with a thin disk and a NIC each. Every second VM runs. */
export function addVms(
  ctx: RuleContext,
  clusters: readonly string[],
  domains: readonly string[],
  counts: Counts,
): void {
  BulkWriter.write(ctx.tx, kinds, valueNames, counts.vms >= many, (bulk) =>
    buildVms(ctx, bulk, clusters, domains, counts),
  );
}

function buildVms(
  ctx: RuleContext,
  bulk: BulkWriter<ValueName>,
  clusters: readonly string[],
  domains: readonly string[],
  counts: Counts,
): void {
  const hosts = new Map(
    clusters.map((id) => [id, ctx.tx.list('host', { where: { cluster_id: id } })]),
  );
  const profile = ctx.tx.list('vnic_profile', { limit: 1 })[0]?.id;
  const owners = new Map(domains.map((id) => [id, findOwners(ctx, id)]));
  const digits = Math.max(2, String(counts.vms).length);
  const prototypes = new Map<string, Prototype>();
  const newId = ascendingIds(ctx.site.newId, idNames.length * counts.vms);
  for (let number = 1; number <= counts.vms; number++) {
    const cluster = clusters[(number - 1) % clusters.length] ?? '';
    const available = hosts.get(cluster) ?? [];
    const ref = Math.floor((number - 1) / 2 / clusters.length) % available.length;
    const host = number % 2 === 1 ? available[ref] : undefined;
    const domain = number <= counts.disks ? domains[(number - 1) % domains.length] : undefined;
    const values: MachineValues = {
      vm: newId(),
      nic: newId(),
      disk: newId(),
      image: newId(),
      snapshot: newId(),
      name: `vm-${String(number).padStart(digits, '0')}`,
      // Outside of the default pool, from which new NICs take addresses.
      mac: `56:6f:2a:${number.toString(16).padStart(6, '0').match(/../g)?.join(':')}`,
      domain: domain ?? '',
      profile: owners.get(domain ?? '')?.profile ?? '',
      host: host?.id ?? '',
      address: host?.address ?? '',
    };
    const quota = owners.get(domain ?? '')?.quota;
    const key = `${cluster} ${host ? 'up' : 'down'} ${domain === undefined ? '' : 'disk'} ${quota ?? ''}`;
    const known = prototypes.get(key);
    if (known !== undefined) {
      bulk.copy(known, values);
      continue;
    }
    const make = () => addVm(ctx, { cluster, profile, quota }, values);
    prototypes.set(key, bulk.prototype(values, make));
  }
}

/** The profile and quota of disks on a storage domain. */
function findOwners(ctx: RuleContext, domain: string) {
  const attached = ctx.tx.find('attached_storage_domain', { id: domain });
  return {
    profile: ctx.tx.find('disk_profile', { storage_domain_id: domain })?.id,
    quota: findDefaultQuota(ctx, attached?.data_center?.id ?? '')?.id,
  };
}

/** Location of the VMs of one prototype, and the owners of their NICs and disks. */
interface Surroundings {
  readonly cluster: string;
  readonly profile: string | undefined;
  readonly quota: string | undefined;
}

function addVm(
  ctx: RuleContext,
  { cluster, profile, quota }: Surroundings,
  values: MachineValues,
): void {
  let vm: StoredObject = {
    id: values.vm,
    name: values.name,
    description: '',
    comment: '',
    cluster: { id: cluster },
    template: { id: zeroId },
    memory: gibibyte,
  };
  prepareVm(ctx, vm, {});
  applyDefaults('vm', vm);
  if (values.host !== '')
    vm = describeRunning(ctx, { ...vm, status: 'up', host: { id: values.host } });
  ctx.tx.insert('vm', '/vms', vm);
  ctx.tx.insert('cdrom', `/vms/${values.vm}/cdroms`, {
    id: cdromId,
    vm: { id: values.vm },
  });
  addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm, values.snapshot);
  addNic(ctx, values, profile);
  if (values.domain !== '') addDisk(ctx, values, quota);
}

function addNic(
  ctx: RuleContext,
  { vm, nic, mac }: MachineValues,
  profile: string | undefined,
): void {
  ctx.tx.insert('nic', `/vms/${vm}/nics`, {
    id: nic,
    name: 'nic1',
    vm: { id: vm },
    interface: 'virtio',
    linked: true,
    plugged: true,
    synced: true,
    mac: { address: mac },
    ...(profile ? { vnic_profile: { id: profile } } : {}),
  });
}

function addDisk(ctx: RuleContext, values: MachineValues, quota: string | undefined): void {
  const { vm, name, domain, image, disk: id } = values;
  const disk: StoredObject = {
    id,
    name: `${name}_Disk1`,
    alias: `${name}_Disk1`,
    description: '',
    format: 'raw',
    sparse: true,
    provisioned_size: gibibyte,
    actual_size: firstBlock,
    total_size: firstBlock,
    status: 'ok',
    storage_type: 'image',
    content_type: 'data',
    wipe_after_delete: false,
    image_id: image,
    storage_domains: [{ id: domain }],
    ...(values.profile ? { disk_profile: { id: values.profile } } : {}),
    ...(quota ? { quota: { id: quota } } : {}),
  };
  applyDefaults('disk', disk);
  ctx.tx.insert('disk', '/disks', disk);
  ctx.tx.insert('disk_attachment', `/vms/${vm}/diskattachments`, {
    id,
    disk: { id },
    vm: { id: vm },
    bootable: true,
    active: true,
    interface: 'virtio_scsi',
    read_only: false,
    pass_discard: false,
    uses_scsi_reservation: false,
  });
}
