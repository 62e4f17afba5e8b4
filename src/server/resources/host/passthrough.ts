/** Devices of hosts, and those that a pinned virtual machine has of its host. */
import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { isRunning, subjects } from '../vm/vm.ts';
import { devicesOf, hostOf } from './reported.ts';

type Device = Resource<'host_device'>;

export const hostDeviceRules = define('host_device', {
  compute(ctx, place) {
    if (place.owner?.kind === 'vm') {
      return ctx.tx.list('host_device', { where: { collection: place.collection } });
    }
    const host = hostOf(ctx, place);
    return host ? devicesOf(ctx, host) : [];
  },

  attach: (ctx, place, sent) => assign(ctx, place, sent),

  beforeDelete(ctx, { place }) {
    const vm = ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
    if (isRunning(vm)) {
      ctx.refuse('VM_IS_NOT_DOWN', { action: 'remove a device of', status: vm.status });
    }
  },

  remove(ctx, { place, object }) {
    ctx.tx.remove('host_device', object.id ?? '', place.collection);
    const vm = ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
    ctx.event('HOST_DEVICES_REMOVED', subjects(ctx, vm), { Devices: object.name });
  },
});

/** Gives a machine a device of the one host that it is pinned to. */
function assign(ctx: RuleContext, place: Place, sent: StoredObject): Device {
  const action = 'add';
  const vm = ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
  const { affinity, hosts = [] } = vm.placement_policy ?? {};
  const host = hosts.length === 1 ? ctx.tx.get('host', hosts[0]?.id ?? '') : undefined;
  if (!host || affinity !== 'pinned') ctx.refuse('HOST_DEVICE_VM_NOT_PINNED', { action });
  if (isRunning(vm)) ctx.refuse('VM_IS_NOT_DOWN', { action: 'add a device to', status: vm.status });
  const { id, name } = sent as Device;
  const found =
    devicesOf(ctx, host).find((one) => (id ? one.id === id : one.name === name)) ??
    ctx.refuse('HOST_DEVICE_NOT_FOUND', { action, host: host.name, name: name ?? id });
  const present = ctx.tx.get('host_device', found.id ?? '', place.collection);
  if (present) return present;
  const device: Device = { ...found, vm: { id: vm.id ?? '' }, placeholder: false };
  ctx.tx.insert('host_device', place.collection, device);
  ctx.event('HOST_DEVICES_ADDED', subjects(ctx, vm), { Devices: device.name });
  return device;
}
