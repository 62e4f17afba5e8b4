/** Rules of network interfaces: MAC addresses, profiles, plugging. */
import type { Resource } from '../../model/resource.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { rules } from './notation.ts';
import type { Place } from './places.ts';
import { subjects } from './vm.ts';

type Nic = Resource<'nic'>;
type Vm = Resource<'vm'>;

const editable = new Set(['up', 'down', 'image_locked']);

export const nicRules = rules({
  kind: 'nic',

  prepare(ctx, nic, place, sent) {
    const vm = vmOf(ctx, place);
    if (vm && !editable.has(vm.status ?? '')) {
      ctx.refuse('NIC_VM_STATUS_ILLEGAL', { action: 'add', status: vm.status });
    }
    chooseProfile(ctx, nic, vm, sent);
    if (vm) chooseMac(ctx, nic, vm, 'add');
  },

  added(ctx, { object, place }) {
    const vm = vmOf(ctx, place);
    if (vm) {
      ctx.event(932, subjects(ctx, vm), { NicName: object.name, NicInterface: object.interface });
    }
  },

  change(ctx, before, after, place, sent) {
    const vm = vmOf(ctx, place);
    if (vm && !editable.has(vm.status ?? '')) {
      ctx.refuse('NIC_VM_STATUS_ILLEGAL', { action: 'edit', status: vm.status });
    }
    if (sent['vnic_profile'] !== undefined && !(sent['vnic_profile'] as { id?: string }).id) {
      delete after.vnic_profile;
    }
    if (vm && before.mac?.address !== after.mac?.address) chooseMac(ctx, after, vm, 'edit');
  },

  changed(ctx, _before, { object, place }) {
    const vm = vmOf(ctx, place);
    if (vm) ctx.event(934, subjects(ctx, vm), { NicName: object.name });
  },

  removable(ctx, { object, place }) {
    const vm = vmOf(ctx, place);
    const off = vm?.status === 'down' || vm?.status === 'image_locked';
    if (vm && !off && object.plugged) ctx.refuse('NIC_IS_ACTIVE', { action: 'remove' });
  },

  remove(ctx, { object, place }) {
    const vm = vmOf(ctx, place);
    ctx.tx.remove('nic', object.id ?? '', place.collection);
    if (vm) ctx.event(930, subjects(ctx, vm), { NicName: object.name });
  },

  actions: {
    activate: (ctx, { object, place }) => plug(ctx, place, object, true),
    deactivate: (ctx, { object, place }) => plug(ctx, place, object, false),
  },
});

function plug(ctx: RuleContext, place: Place, nic: Nic, plugged: boolean): undefined {
  const vm = vmOf(ctx, place);
  if (vm && !editable.has(vm.status ?? '')) {
    ctx.refuse('NIC_VM_STATUS_ILLEGAL', {
      action: plugged ? 'activate' : 'deactivate',
      status: vm.status,
    });
  }
  ctx.tx.update('nic', { ...nic, plugged }, place.collection);
  return undefined;
}

function vmOf(ctx: RuleContext, place: Place): Vm | undefined {
  return place.owner?.kind === 'vm' ? ctx.tx.get('vm', place.owner.id) : undefined;
}

/** A profile that is named by its network, or the first one of the data center. */
function chooseProfile(ctx: RuleContext, nic: Nic, vm: Vm | undefined, sent: StoredObject): void {
  if (nic.vnic_profile?.id) return;
  // An empty element asks for no profile at all.
  if (sent['vnic_profile'] !== undefined) {
    delete nic.vnic_profile;
    return;
  }
  const cluster = vm?.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const networks = nic.network?.id
    ? [nic.network.id]
    : ctx.tx
        .list('network', { where: { data_center_id: cluster?.data_center?.id ?? '' } })
        .map((network) => network.id ?? '');
  for (const network of networks) {
    const profile = ctx.tx.find('vnic_profile', { network_id: network });
    if (profile?.id) {
      nic.vnic_profile = { id: profile.id };
      break;
    }
  }
  delete nic.network;
}

const macPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** Checks the address that was asked for, or takes the next free one of the pool. */
function chooseMac(ctx: RuleContext, nic: Nic, vm: Vm, action: string): void {
  const asked = nic.mac?.address?.toLowerCase();
  if (asked !== undefined && asked !== '') {
    if (!macPattern.test(asked)) ctx.refuse('MAC_INVALID', { action, mac: asked });
    const owner = ctx.tx.find('nic', { mac_address: asked });
    if (owner && owner.id !== nic.id) ctx.refuse('MAC_IN_USE', { action, mac: asked });
  }
  nic.mac = { address: asked || nextMac(ctx, vm, action) };
}

/** The next address of the cluster's pool that no interface has. */
function nextMac(ctx: RuleContext, vm: Vm, action: string): string {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const pool = cluster?.mac_pool?.id
    ? ctx.tx.get('mac_pool', cluster.mac_pool.id)
    : ctx.tx.find('mac_pool', {});
  const ranges = (pool?.ranges ?? []).map(({ from = '', to = '' }) => ({
    first: toNumber(from),
    size: toNumber(to) - toNumber(from) + 1,
  }));
  const total = ranges.reduce((sum, { size }) => sum + size, 0);
  for (let tries = 0; tries < total; tries++) {
    // The counter goes round the pool, so that an address that was given back rests for a while.
    const address = addressAt(ranges, (ctx.tx.next(`mac:${pool?.id}`) - 1) % total);
    if (!ctx.tx.find('nic', { mac_address: address })) return address;
  }
  ctx.refuse('MAC_POOL_EMPTY', { action });
}

function addressAt(ranges: readonly { first: number; size: number }[], index: number): string {
  let rest = index;
  for (const { first, size } of ranges) {
    if (rest < size) return toAddress(first + rest);
    rest -= size;
  }
  return '';
}

function toNumber(address: string): number {
  return Number.parseInt(address.replaceAll(':', ''), 16);
}

function toAddress(number: number): string {
  return (number.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}
