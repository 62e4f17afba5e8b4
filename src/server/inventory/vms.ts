/** Virtual machines of a generated inventory, with their disks and interfaces. */

import type { RuleContext } from '../rules/context.ts';
import { applyDefaults } from '../rules/input.ts';
import { placeOf } from '../rules/places.ts';
import { addActiveSnapshot } from '../rules/snapshot/images.ts';
import { addConsole } from '../rules/vm/console.ts';
import { vmRules } from '../rules/vm/rules.ts';
import { running } from '../rules/vm/run.ts';
import { cdromId } from '../rules/vm.ts';
import type { StoredObject } from '../store/document.ts';
import { zeroId } from './fresh.ts';
import type { Counts } from './plan.ts';

const gibibyte = 2 ** 30;

/** Adds virtual machines, a thin disk and an interface each; every second one runs. */
export function addVms(
  ctx: RuleContext,
  clusters: readonly string[],
  domains: readonly string[],
  counts: Counts,
): void {
  const hosts = new Map(
    clusters.map((id) => [
      id,
      ctx.tx.list('host', { where: { cluster_id: id } }).map((host) => host.id ?? ''),
    ]),
  );
  const profiles = ctx.tx.list('vnic_profile').map((profile) => profile.id ?? '');
  const vmPlace = placeOf(ctx.tx, '/vms', []);
  const digits = Math.max(2, String(counts.vms).length);
  for (let number = 1; number <= counts.vms; number++) {
    const cluster = clusters[(number - 1) % clusters.length] ?? '';
    const available = hosts.get(cluster) ?? [];
    const host = available[Math.floor((number - 1) / 2 / clusters.length) % available.length];
    const id = ctx.site.newId();
    let vm: StoredObject = {
      id,
      name: `vm-${String(number).padStart(digits, '0')}`,
      description: '',
      comment: '',
      cluster: { id: cluster },
      template: { id: zeroId },
      memory: gibibyte,
    };
    vmRules.prepare?.(ctx, vm, vmPlace, {});
    applyDefaults('vm', vm);
    if (host && number % 2 === 1) {
      vm = running(ctx, { ...vm, status: 'up', host: { id: host } }) as StoredObject;
    }
    ctx.tx.insert('vm', '/vms', vm);
    ctx.tx.insert('cdrom', `/vms/${id}/cdroms`, { id: cdromId, vm: { id } });
    addConsole(ctx, vm);
    addActiveSnapshot(ctx, vm);
    addNic(ctx, id, number, profiles[0]);
    const domain = domains[(number - 1) % domains.length];
    if (domain && number <= counts.disks) addDisk(ctx, id, String(vm['name']), domain);
  }
}

function addNic(ctx: RuleContext, vm: string, number: number, profile: string | undefined): void {
  const tail = number.toString(16).padStart(6, '0').match(/../g) ?? [];
  ctx.tx.insert('nic', `/vms/${vm}/nics`, {
    id: ctx.site.newId(),
    name: 'nic1',
    vm: { id: vm },
    interface: 'virtio',
    linked: true,
    plugged: true,
    synced: true,
    // Apart from the addresses of the default pool, which new interfaces take.
    mac: { address: `56:6f:2a:${tail.join(':')}` },
    ...(profile ? { vnic_profile: { id: profile } } : {}),
  });
}

function addDisk(ctx: RuleContext, vm: string, name: string, domain: string): void {
  const id = ctx.site.newId();
  const disk: StoredObject = {
    id,
    name: `${name}_Disk1`,
    alias: `${name}_Disk1`,
    description: '',
    format: 'raw',
    sparse: true,
    provisioned_size: gibibyte,
    actual_size: 0,
    total_size: 0,
    status: 'ok',
    storage_type: 'image',
    content_type: 'data',
    image_id: ctx.site.newId(),
    storage_domains: [{ id: domain }],
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
