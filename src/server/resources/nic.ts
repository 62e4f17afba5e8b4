/** Network interfaces of VMs: MAC addresses, vNIC profiles, hot plug. */
import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import type { MessageParams } from '../core/fault.ts';
import { chooseMac, requireUnused } from '../inventory/mac-addresses.ts';
import { describeVmSubjects, findOwnerVm, isRunning, type Vm } from '../inventory/vm.ts';
import { listClusterNetworkIds } from '../inventory/vm-configuration.ts';
import type { StoredObject } from '../store/kinds.ts';
import { requireNoDeviceChange } from './vm/device-changes.ts';
import { listGuestDevices } from './vm/guest.ts';
import { changeRealNic } from './vm/plugging.ts';

type Nic = Resource<'nic'>;

const editable = new Set(['up', 'down', 'image_locked']);

export const nicBehavior = defineBehavior('nic', {
  beforeCreate(ctx, nic, ref) {
    const vm = findOwnerVm(ctx, ref);
    if (vm) requireEditable(ctx, vm, 'add');
    if (!nic.vnic_profile?.id) delete nic.vnic_profile;
    checkProfile(ctx, nic, findClusterId(ctx, ref, vm), 'add');
    if (vm) chooseMac(ctx, nic, vm, 'add');
    else delete nic.mac;
  },

  afterCreate(ctx, { object, ref }) {
    const vm = findOwnerVm(ctx, ref);
    const done = { name: 'NIC_ADDED', words: nameNic(object) } as const;
    if (vm && changeRealNic(ctx, vm, ref, undefined, object, done)) return;
    writeNicEvent(ctx, ref, vm ? 'NIC_ADDED' : 'TEMPLATE_NIC_ADDED', object);
  },

  beforeUpdate(ctx, before, after, ref, sent) {
    const vm = findOwnerVm(ctx, ref);
    if (vm) requireEditable(ctx, vm, 'edit');
    requireNoDeviceChange(ctx, locate(ref, before), { action: 'edit', type: 'Interface' });
    const profile = sent['vnic_profile'];
    if (profile !== undefined && !profile.id) delete after.vnic_profile;
    checkProfile(ctx, after, findClusterId(ctx, ref, vm), 'edit');
    const moved = before.mac?.address !== after.mac?.address?.toLowerCase();
    const inUse = vm && isRunning(vm) && before.plugged && after.plugged;
    if (inUse && (moved || before.interface !== after.interface)) {
      ctx.refuse('NIC_CANNOT_CHANGE_PLUGGED', { action: 'edit' });
    }
    if (vm && moved) chooseMac(ctx, after, vm, 'edit');
    if (vm && !before.plugged && after.plugged) requirePluggable(ctx, vm, after);
  },

  afterUpdate(ctx, before, { object, ref }) {
    const vm = findOwnerVm(ctx, ref);
    const done = { name: 'NIC_UPDATED', words: nameNic(object) } as const;
    if (vm && changeRealNic(ctx, vm, ref, before, object, done)) return;
    writeNicEvent(ctx, ref, vm ? 'NIC_UPDATED' : 'TEMPLATE_NIC_UPDATED', object);
  },

  beforeDelete(ctx, { object, ref }) {
    const vm = findOwnerVm(ctx, ref);
    const off = vm?.status === 'down' || vm?.status === 'image_locked';
    if (vm && !off && object.plugged) ctx.refuse('NIC_IS_ACTIVE', { action: 'remove' });
    requireNoDeviceChange(ctx, locate(ref, object), { action: 'remove', type: 'Interface' });
  },

  remove(ctx, { object, ref }) {
    const vm = findOwnerVm(ctx, ref);
    ctx.tx.remove('nic', object.id ?? '', ref.collection);
    ctx.tx.removeBelow('network_filter_parameter', `${ref.collection}/${object.id}`);
    writeNicEvent(ctx, ref, vm ? 'NIC_REMOVED' : 'TEMPLATE_NIC_REMOVED', object);
  },

  present(ctx, nic) {
    const vm = ctx.tx.get('vm', nic.vm?.id ?? '');
    const devices = vm?.status === 'up' ? listGuestDevices(ctx, vm, nic.id) : [];
    return devices.length > 0 ? { reported_devices: devices } : {};
  },

  actions: {
    activate: (ctx, { object, ref }) => plug(ctx, ref, object, true),
    deactivate: (ctx, { object, ref }) => plug(ctx, ref, object, false),
  },
});

/** Writes an event about a NIC of a VM, a template or an instance type. */
function writeNicEvent(ctx: RuleContext, ref: CollectionRef, event: EventName, nic: Nic): void {
  const { kind = 'vm', id = '' } = ref.owner ?? {};
  const stored: StoredObject = ctx.tx.get(kind, id) ?? { id };
  const owner: Vm = stored;
  const about =
    kind === 'vm' ? describeVmSubjects(ctx, owner) : kind === 'template' ? { template: owner } : {};
  ctx.event(event, about, {
    ...nameNic(nic),
    ...(kind === 'vm' ? {} : { TemplateName: owner.name }),
  });
}

function nameNic({ name, interface: model }: Nic): MessageParams {
  return { NicName: name, NicInterface: model };
}

function locate({ collection }: CollectionRef, { id = '' }: Nic) {
  return { kind: 'nic', collection, id } as const;
}

function requireEditable(ctx: RuleContext, vm: Vm, action: string): void {
  if (editable.has(vm.status ?? '')) return;
  ctx.refuse('NIC_VM_STATUS_ILLEGAL', { action, status: vm.status });
}

function plug(ctx: RuleContext, ref: CollectionRef, nic: Nic, plugged: boolean): undefined {
  const vm = findOwnerVm(ctx, ref);
  const action = plugged ? 'activate' : 'deactivate';
  if (vm && !editable.has(vm.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action, status: vm.status });
  }
  if (vm && plugged && !nic.plugged) requirePluggable(ctx, vm, nic);
  requireNoDeviceChange(ctx, locate(ref, nic), { action, type: 'Interface' });
  ctx.tx.update('nic', { ...nic, plugged }, ref.collection);
  const done = { name: plugged ? 'NIC_PLUGGED' : 'NIC_UNPLUGGED', words: nameNic(nic) } as const;
  if (vm && changeRealNic(ctx, vm, ref, nic, { ...nic, plugged }, done)) return undefined;
  if (vm && nic.plugged !== plugged) {
    ctx.event(plugged ? 'NIC_PLUGGED' : 'NIC_UNPLUGGED', describeVmSubjects(ctx, vm), {
      NicName: nic.name,
    });
  }
  return undefined;
}

/** Requires a unique address and a network of the host to plug a NIC. */
function requirePluggable(ctx: RuleContext, vm: Vm, nic: Nic): void {
  if (nic.mac?.address) requireUnused(ctx, nic, vm, nic.mac.address, 'activate');
}

/** Id of the cluster that must contain the network; instance types have none. */
function findClusterId(
  ctx: RuleContext,
  ref: CollectionRef,
  vm: Vm | undefined,
): string | undefined {
  if (vm) return vm.cluster?.id;
  return ref.owner?.kind === 'template'
    ? ctx.tx.get('template', ref.owner.id)?.cluster?.id
    : undefined;
}

/** Requires a VM network in the cluster whose profile suits the NIC. */
function checkProfile(
  ctx: RuleContext,
  nic: Nic,
  clusterId: string | undefined,
  action: string,
): void {
  const profile = nic.vnic_profile?.id
    ? ctx.tx.get('vnic_profile', nic.vnic_profile.id)
    : undefined;
  if (!profile && nic.interface !== 'pci_passthrough') return;
  const network = ctx.tx.get('network', profile?.network?.id ?? '');
  if (clusterId && network && !listClusterNetworkIds(ctx, clusterId).has(network.id ?? '')) {
    const cluster = ctx.tx.get('cluster', clusterId)?.name;
    ctx.refuse('NIC_NETWORK_NOT_IN_CLUSTER', { action, network: network.name, cluster });
  }
  if (network && !network.usages?.includes('vm')) {
    ctx.refuse('NIC_NETWORK_NOT_FOR_VMS', { action, network: network.name });
  }
  const passes = profile?.pass_through?.mode === 'enabled';
  if (passes !== (nic.interface === 'pci_passthrough')) {
    ctx.refuse('NIC_INTERFACE_UNSUITABLE', { action, interface: nic.interface ?? 'virtio' });
  }
}
