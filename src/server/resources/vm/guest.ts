/** Guest agent: reports, sessions, frozen file systems, processor pinning. */

import { enums } from '../../../model/enums.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { defineBehavior, type LocatedObject } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { namedId } from '../../core/random.ts';
import { requireState } from '../../core/transitions.ts';
import { allocateMac } from '../../inventory/mac-addresses.ts';
import {
  describeVmSubjects,
  getRunState,
  listNics,
  recordRunState,
  type Vm,
} from '../../inventory/vm.ts';

type Device = Resource<'reported_device'>;
type Nic = Resource<'nic'>;

/** The VM of a report, while its guest is up. */
function findReportingVm(ctx: RuleContext, ref: CollectionRef): Vm | undefined {
  const id = ref.collection.split('/')[2] ?? '';
  const vm = ctx.tx.get('vm', id);
  return vm?.status === 'up' ? vm : undefined;
}

export const reportedDeviceBehavior = defineBehavior('reported_device', {
  compute(ctx, ref) {
    const vm = findReportingVm(ctx, ref);
    if (!vm) return [];
    return listGuestDevices(ctx, vm, ref.owner?.kind === 'nic' ? ref.owner.id : undefined);
  },
});

/** The network devices in the guest of a running VM; those of one NIC if `only` is set. */
export function listGuestDevices(ctx: RuleContext, vm: Vm, only?: string): Device[] {
  const nics = listNics(ctx, vm);
  if (ctx.site.hypervisor)
    return listAgentDevices(vm, only ? nics.filter(({ id }) => id === only) : undefined);
  return nics.flatMap((nic, index) => {
    const seen = nic.plugged && nic.linked !== false && (!only || nic.id === only);
    return seen ? [createDevice(vm, nic, index)] : [];
  });
}

/** The network devices in the report of the agent; those of some NICs if `only` is set. */
function listAgentDevices(vm: Vm, only: readonly Nic[] | undefined): Device[] {
  const devices = getRunState(vm).devices ?? [];
  return devices
    .filter(({ mac }) => !only || only.some((nic) => nic.mac?.address === mac?.address))
    .map((device) => ({
      id: namedId(`device ${vm.id} ${device.name}`),
      description: 'guest reported data',
      type: 'network',
      ...device,
      vm: { id: vm.id ?? '' },
    }));
}

function createDevice(vm: Vm, nic: Nic, index: number): Device {
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
      ...(given?.ipv6?.address ? [{ address: given.ipv6.address, version: 'v6' as const }] : []),
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

export const applicationBehavior = defineBehavior('application', {
  compute(ctx, ref) {
    const vm = findReportingVm(ctx, ref);
    return vm ? listApplications(ctx, vm) : [];
  },
});

/** Installed applications in the guest of a running VM. The agent of a real guest reports none. */
export function listApplications({ site }: RuleContext, vm: Vm): Resource<'application'>[] {
  if (site.hypervisor) return [];
  const windows = vm.os?.type?.startsWith('windows') ?? false;
  return (windows ? windowsApplications : linuxApplications).map((name) => ({
    id: namedId(`application ${name}`),
    name,
    vm: { id: vm.id ?? '' },
  }));
}

/** Signs the caller in to the guest. The session lasts until the end of the run. */
export function logon(ctx: RuleContext, { object: vm }: LocatedObject<'vm'>): undefined {
  if (vm.status === 'down') {
    ctx.refuse('VM_LOGON_IMPOSSIBLE', { action: 'log on to', status: vm.status });
  }
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
  ctx.event('USER_LOGGED_IN_TO_VM', describeVmSubjects(ctx, vm));
  return undefined;
}

/** Removes the sessions of a stopped VM. */
export function endSessions(ctx: RuleContext, vm: Vm): void {
  for (const session of ctx.tx.list('session', {
    where: { collection: `/vms/${vm.id}/sessions` },
  })) {
    ctx.tx.remove('session', session.id ?? '');
  }
}

type VmTarget = LocatedObject<'vm'>;

/** Freezes the file systems of the guest, so that its disks are consistent until `thawGuest`. */
export function freezeGuest(ctx: RuleContext, { object: vm }: VmTarget): undefined {
  requireState(ctx, 'vm', vm, 'freeze_filesystems');
  if (getRunState(vm).frozen) ctx.refuse('VM_IS_FROZEN', { action: 'freeze the file systems of' });
  recordRunState(ctx, vm, { frozen: true });
  ctx.event('VM_FROZEN', describeVmSubjects(ctx, vm));
  return undefined;
}

/** Thaws the file systems of the guest. */
export function thawGuest(ctx: RuleContext, { object: vm }: VmTarget): undefined {
  requireState(ctx, 'vm', vm, 'thaw_filesystems');
  if (!getRunState(vm).frozen && !ctx.site.dialect.thawsWhatIsNotFrozen) {
    ctx.refuse('VM_IS_NOT_FROZEN', { action: 'thaw the file systems of' });
  }
  recordRunState(ctx, vm, { frozen: false });
  ctx.event('VM_THAWED', describeVmSubjects(ctx, vm));
  return undefined;
}

/** Origins of the VM that contains the service itself. */
const hostedEngine = new Set(['hosted_engine', 'managed_hosted_engine']);

/** Switches the maintenance of a hosted engine on or off, for all hosts that can run it. */
export function setEngineMaintenance(ctx: RuleContext, { object: vm }: VmTarget, body: ActionBody) {
  if (!hostedEngine.has(vm.origin ?? '')) ctx.refuse('VM_NOT_HOSTED_ENGINE', { action: 'edit' });
  const on = body['maintenance_enabled'] === true;
  for (const host of ctx.tx.list('host')) {
    const { hosted_engine: engine } = host;
    if (!engine) continue;
    ctx.tx.update('host', { ...host, hosted_engine: { ...engine, global_maintenance: on } });
  }
  ctx.event('VM_UPDATED', describeVmSubjects(ctx, vm));
  return undefined;
}

/** Reassigns the addresses of the NICs in the order of their names. */
export function reorderMacAddresses(ctx: RuleContext, { object: vm }: VmTarget): undefined {
  requireState(ctx, 'vm', vm, 'reorder_mac_addresses');
  const nics = listNics(ctx, vm).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  const addresses = nics.map((nic) => nic.mac?.address ?? allocateMac(ctx, vm, 'edit')).sort();
  nics.forEach((nic, index) => {
    ctx.tx.update('nic', { ...nic, mac: { address: addresses[index] ?? '' } });
  });
  ctx.event('VM_UPDATED', describeVmSubjects(ctx, vm));
  return undefined;
}

/** Pins the processors one to one to those of the host. */
export function autoPin(ctx: RuleContext, { object: vm }: VmTarget, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'auto_pin_cpu_and_numa_nodes');
  const optimize = body['optimize_cpu_settings'] === true;
  ctx.tx.update('vm', { ...vm, ...pinned(ctx, vm, optimize, 'edit') });
  ctx.event('VM_UPDATED', describeVmSubjects(ctx, vm));
  return undefined;
}

/** A VM with pinned processors. `optimize` uses as many processors as the host has. */
function pinned(
  ctx: RuleContext,
  vm: Vm,
  optimize: boolean,
  action: string,
): Pick<Vm, 'cpu' | 'cpu_pinning_policy'> {
  const host = ctx.tx.get('host', vm.placement_policy?.hosts?.[0]?.id ?? '');
  if (!host) ctx.refuse('VM_PINNING_WITHOUT_HOST', { action });
  const topology = optimize ? host.cpu?.topology : vm.cpu?.topology;
  const { sockets = 1, cores = 1, threads = 1 } = topology ?? {};
  const pins = Array.from({ length: sockets * cores * threads }, (_, vcpu) => ({
    vcpu,
    cpu_set: String(vcpu),
  }));
  return {
    cpu: { ...vm.cpu, ...(topology ? { topology } : {}), cpu_tune: { vcpu_pins: pins } },
    cpu_pinning_policy: 'manual',
  };
}

/** Applies the deprecated parameter that pins the processors of a new VM. */
export function autoPinNew(ctx: RuleContext, vm: Vm): void {
  const policy = ctx.parameters.text('auto_pinning_policy');
  if (policy === undefined) return;
  const known = enums.auto_pinning_policy.find((one) => one === policy);
  if (!known) {
    throw new Refusal(400, 'Invalid value', `auto_pinning_policy cannot be "${policy}".`);
  }
  vm.auto_pinning_policy = known;
  if (known !== 'disabled') Object.assign(vm, pinned(ctx, vm, known === 'adjust', 'add'));
}
