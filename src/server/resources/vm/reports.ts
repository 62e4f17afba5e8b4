/** What the agent in the guest reports while it runs: devices, applications, who is signed in. */

import type { Resource } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import { nicsOf, subjects, type Vm } from './vm.ts';

type Device = Resource<'reported_device'>;
type Nic = Resource<'nic'>;

/** The machine that a report is about, while its guest is up. */
function reporting(ctx: RuleContext, place: Place): Vm | undefined {
  const id = place.collection.split('/')[2] ?? '';
  const vm = ctx.tx.get('vm', id);
  return vm?.status === 'up' ? vm : undefined;
}

export const reportedDeviceRules = define('reported_device', {
  compute(ctx, place) {
    const vm = reporting(ctx, place);
    if (!vm) return [];
    return devicesOf(ctx, vm, place.owner?.kind === 'nic' ? place.owner.id : undefined);
  },
});

/** The network devices that the guest of a running machine sees; those of one NIC if it is given. */
export function devicesOf(ctx: RuleContext, vm: Vm, only?: string): Device[] {
  return nicsOf(ctx, vm).flatMap((nic, index) => {
    const seen = nic.plugged && nic.linked !== false && (!only || nic.id === only);
    return seen ? [deviceOf(vm, nic, index)] : [];
  });
}

function deviceOf(vm: Vm, nic: Nic, index: number): Device {
  const mac = nic.mac?.address ?? '';
  const name = `eth${index}`;
  const given = vm.initialization?.nic_configurations?.find((one) => one.name === name);
  const [, , , x = 0, y = 0, z = 0] = mac.split(':').map((part) => Number.parseInt(part, 16));
  const address = given?.ip?.address ?? `10.${x}.${y}.${Math.min(254, Math.max(1, z))}`;
  const tail = mac.replaceAll(':', '').match(/.{4}/g) ?? [];
  return {
    id: namedId(`device ${nic.id}`),
    name,
    description: 'guest reported data',
    type: 'network',
    mac: { address: mac },
    ips: [
      { address, version: 'v4' },
      { address: `fe80::${tail.join(':')}`, version: 'v6' },
    ],
    vm: { id: vm.id ?? '' },
  };
}

const linuxApplications = [
  'kernel-5.14.0-427.el9',
  'qemu-guest-agent-8.2.0-11.el9',
  'cloud-init-23.4-7.el9',
];
const windowsApplications = ['QEMU guest agent 107.0', 'Virtio-win-guest-tools 0.1.248'];

export const applicationRules = define('application', {
  compute(ctx, place) {
    const vm = reporting(ctx, place);
    return vm ? applicationsOf(vm) : [];
  },
});

/** What is installed in the guest of a running machine. */
export function applicationsOf(vm: Vm): Resource<'application'>[] {
  const windows = vm.os?.type?.startsWith('windows') ?? false;
  return (windows ? windowsApplications : linuxApplications).map((name) => ({
    id: namedId(`application ${name}`),
    name,
    vm: { id: vm.id ?? '' },
  }));
}

/** Signs the caller in to the guest; the session lasts as long as the run. */
export function logon(ctx: RuleContext, { object: vm }: Addressed<'vm'>): undefined {
  const collection = `/vms/${vm.id}/sessions`;
  const known = ctx.tx
    .list('session', { where: { collection } })
    .some(({ user }) => user?.id === ctx.caller.userId);
  if (known || vm.status !== 'up') return undefined;
  const user = ctx.tx.get('user', ctx.caller.userId);
  ctx.tx.insert('session', collection, {
    id: ctx.site.newId(),
    console_user: true,
    user: { id: ctx.caller.userId, ...(user?.user_name ? { user_name: user.user_name } : {}) },
    vm: { id: vm.id ?? '' },
  });
  ctx.event('USER_LOGGED_IN_TO_VM', subjects(ctx, vm));
  return undefined;
}

/** Nobody is signed in to a machine that does not run. */
export function endSessions(ctx: RuleContext, vm: Vm): void {
  for (const session of ctx.tx.list('session', {
    where: { collection: `/vms/${vm.id}/sessions` },
  })) {
    ctx.tx.remove('session', session.id ?? '');
  }
}
