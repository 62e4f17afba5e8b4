/** A machine that is made from an OVF document: what it takes over, and the disks that it finds. */

import { isPermitted } from '../../auth/permissions.ts';
import type { RuleContext } from '../../core/context.ts';
import type { OvfDisk, OvfMachine, OvfNic } from '../../ovf/machine.ts';
import { readOvf } from '../../ovf/read.ts';
import type { StoredObject } from '../../store/document.ts';
import { dataCenterOf, domainOf, vmsOf } from '../disk/disk.ts';
import { nextMac } from '../network/mac.ts';
import { inherit } from './configuration.ts';
import { consoleId } from './console.ts';
import { cdromId, dataCenterOfCluster, subjects, type Vm } from './vm.ts';

/** The document among what was sent; undefined where there is none. Refuses with 400 what is none. */
export function sentOvf(sent: StoredObject): OvfMachine | undefined {
  const { configuration } = (sent['initialization'] ?? {}) as NonNullable<Vm['initialization']>;
  return configuration?.data ? readOvf(configuration.data) : undefined;
}

/** Completes a new machine with what a document says; what was sent beside it counts more. */
export function configureFromOvf(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  // The document itself is not kept.
  const { configuration: _document, ...initialization } = vm.initialization ?? {};
  if (Object.keys(initialization).length > 0) vm.initialization = initialization;
  else delete vm.initialization;
  const found = knownHere(ctx, ovf.vm);
  inherit(vm, found, Object.keys(found));
  const [console] = ovf.consoles;
  if (console) vm.display = { ...vm.display, type: vm.display?.type ?? console };
  if (ovf.id && !ctx.tx.get('vm', ovf.id)) vm.id = ovf.id;
}

/** Leaves out what names objects of another site. */
function knownHere(ctx: RuleContext, { lease, placement_policy: policy, ...rest }: Vm): Vm {
  const found: Vm = { ...rest };
  const domain = lease?.storage_domain?.id;
  if (lease && domain && ctx.tx.get('storage_domain', domain)) found.lease = lease;
  if (policy) {
    const { hosts = [], ...others } = policy;
    const here = hosts.filter(({ id }) => ctx.tx.get('host', id ?? '') !== undefined);
    found.placement_policy = { ...others, ...(here.length > 0 ? { hosts: here } : {}) };
  }
  return found;
}

/** Memory that is sent or in the document, as the rules of memory look at it. */
export function memoryWithOvf(sent: StoredObject, ovf: OvfMachine | undefined): StoredObject {
  if (!ovf?.vm.memory_policy) return sent;
  const policy = sent['memory_policy'] as StoredObject | undefined;
  // Guaranteed memory of the document does not fit a memory that is sent.
  if (sent['memory'] !== undefined) return sent;
  return { ...sent, memory_policy: { ...ovf.vm.memory_policy, ...policy } };
}

/** Makes the devices of a machine that is stored already, and attaches the disks that are there. */
export function furnishFromOvf(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addDevices(ctx, vm, ovf);
  const missing = ovf.disks.filter((disk) => !attached(ctx, vm, disk));
  if (missing.length === 0) {
    ctx.event('VM_MADE_OF_CONFIGURATION', subjects(ctx, vm));
    return;
  }
  const names = missing.map(({ alias, id: disk }) => alias ?? disk).join(', ');
  ctx.event('VM_MADE_OF_CONFIGURATION_WITHOUT_DISKS', subjects(ctx, vm), { DiskAliases: names });
}

/** Makes the interfaces, consoles and watchdog of a document. */
export function addDevices(ctx: RuleContext, vm: Vm, ovf: OvfMachine): void {
  const id = vm.id ?? '';
  const belongs = { vm: { id } };
  for (const nic of ovf.nics) addNic(ctx, vm, nic);
  for (const protocol of ovf.consoles) {
    const console = { id: consoleId(protocol), protocol, ...belongs };
    ctx.tx.insert('graphics_console', `/vms/${id}/graphicsconsoles`, console);
  }
  if (ovf.watchdog) {
    const watchdog = { id: ctx.site.newId(), ...ovf.watchdog, ...belongs };
    ctx.tx.insert('watchdog', `/vms/${id}/watchdogs`, watchdog);
  }
}

/** An interface keeps its address and id where nobody has them, and its profile where there is one. */
function addNic(ctx: RuleContext, vm: Vm, nic: OvfNic): void {
  const isFree = nic.mac && ctx.tx.count('nic', { where: { mac_address: nic.mac } }) === 0;
  const profile = profileOf(ctx, vm, nic);
  const known = nic.id && ctx.tx.get('nic', nic.id);
  ctx.tx.insert('nic', `/vms/${vm.id}/nics`, {
    id: nic.id && !known ? nic.id : ctx.site.newId(),
    name: nic.name,
    interface: nic.interface ?? 'virtio',
    linked: nic.linked,
    plugged: nic.plugged,
    mac: { address: isFree ? nic.mac : nextMac(ctx, vm, 'add') },
    ...(profile ? { vnic_profile: { id: profile } } : {}),
    vm: { id: vm.id ?? '' },
  });
}

/** The profile of that name, of a network of that name in the data center of the machine. */
function profileOf(ctx: RuleContext, vm: Vm, nic: OvfNic): string | undefined {
  if (!nic.network) return undefined;
  const home = dataCenterOfCluster(ctx, vm.cluster?.id)?.id;
  const network = ctx.tx
    .list('network', { where: { name: nic.network } })
    .find((one) => one.data_center?.id === home);
  if (!network) return undefined;
  const profiles = ctx.tx.list('vnic_profile', { where: { network_id: network.id ?? '' } });
  return (profiles.find(({ name }) => name === nic.profile) ?? profiles[0])?.id;
}

function mayAttach(ctx: RuleContext, id: string): boolean {
  return isPermitted(ctx.tx, ctx.caller, 'attach_disk', { kind: 'disk', id });
}

/** Attaches a disk that is there and that nothing else has; false where that cannot be. */
function attached(ctx: RuleContext, vm: Vm, named: OvfDisk): boolean {
  const disk = ctx.tx.get('disk', named.id);
  if (disk?.status !== 'ok' || !mayAttach(ctx, named.id)) {
    return false;
  }
  const users = vmsOf(ctx, disk);
  if (users.length > 0 && disk.shareable !== true) return false;
  const domain = domainOf(ctx, disk);
  if (domain && dataCenterOf(ctx, domain) !== dataCenterOfCluster(ctx, vm.cluster?.id)?.id) {
    return false;
  }
  ctx.tx.insert('disk_attachment', `/vms/${vm.id}/diskattachments`, {
    ...named.attachment,
    id: named.id,
    disk: { id: named.id },
    vm: { id: vm.id ?? '' },
  });
  ctx.event('DISK_ATTACHED', { vm }, { DiskAlias: disk.alias });
  return true;
}
