/** Updates of VMs: applied immediately or at the next start; memory hot plug. */
import { hotPluggedVmAttributes, liveVmAttributes } from '../../../model/live-vm-attributes.ts';
import { isRecord } from '../../../records.ts';
import type { RuleContext } from '../../core/context.ts';
import { merge } from '../../core/input.ts';
import { pickDefined, pickMembers, replaceMembers } from '../../core/member-selection.ts';
import { requireUsableQuota } from '../../inventory/quota.ts';
import {
  describeVmSubjects,
  findClusterDataCenter,
  isRunning,
  joinNames,
  listDiskAttachments,
  listDisks,
  mebibyte,
  omitMembers,
  type Vm,
} from '../../inventory/vm.ts';
import {
  checkConfiguration,
  listUsableSources,
  requireNetworks,
  resolveSystem,
} from '../../inventory/vm-configuration.ts';
import { changeDisplay, normalize } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { MemoryDevice } from '../../store/stored-members.ts';
import { replaceConsole } from './console.ts';

/** Member with the memory devices of a running VM. Clients see only their sum, in `memory`. */
export const memoryDevices = 'memory_devices';

/** Effect of a memory change on a running VM. */
export interface MemoryChange {
  readonly devices: readonly MemoryDevice[];
  /** Memory until the next stop, if not all devices could be unplugged. */
  readonly running: Partial<Vm>;
}

/**
 * Plugs additional memory, or unplugs devices: the largest first, none larger than the remaining
 * difference. Writes an event for each device. Undefined if the memory is unchanged or changes at
 * the next start.
 */
function changeMemory(ctx: RuleContext, before: Vm, after: Vm): MemoryChange | undefined {
  const [had, wanted] = [Number(before.memory ?? 0), Number(after.memory ?? 0)];
  if (had === wanted || ctx.parameters.flag('next_run') === true) return undefined;
  const devices = before.memory_devices ?? [];
  if (wanted > had) {
    return { devices: [...devices, { id: ctx.site.newId(), size: wanted - had }], running: {} };
  }
  const left = new Set(devices);
  let memory = had;
  let guaranteed = Number(before.memory_policy?.guaranteed ?? 0);
  for (const device of [...devices].sort((a, b) => b.size - a.size)) {
    if (memory - device.size < wanted) continue;
    left.delete(device);
    memory -= device.size;
    const lower = Math.min(guaranteed, memory);
    ctx.event('VM_MEMORY_UNPLUGGED', describeVmSubjects(ctx, before), {
      DeviceId: device.id,
      DeviceSizeMb: device.size / mebibyte,
      OldGuaranteedMb: guaranteed / mebibyte,
      NewGuaranteedMb: lower / mebibyte,
    });
    guaranteed = lower;
  }
  const running =
    memory === wanted ? {} : { memory, memory_policy: { ...before.memory_policy, guaranteed } };
  return { devices: [...left], running };
}

const gone = Symbol('absent');

/** Collection of the configuration for the next start. */
function formatNextRun(vm: Vm): string {
  return `/vms/${vm.id}/nextrun`;
}

/** The configuration of a VM from its next start. */
export function getNextRun(ctx: RuleContext, vm: Vm): Vm {
  return ctx.tx.get('next_run_vm', vm.id ?? '', formatNextRun(vm)) ?? vm;
}

/**
 * Validates a change and completes the new object. If the VM runs, unsupported changes are stored
 * for its next start.
 */
export function changeVm(ctx: RuleContext, before: Vm, after: Vm, sent: Vm): void {
  if (before.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action: 'edit' });
  refuseFixed(ctx, before, sent);
  clearEmptied(after, sent);
  const isTyped = sent.instance_type && after.instance_type?.id !== before.instance_type?.id;
  if (isTyped) applyInstanceType(ctx, after, sent);
  changeDisplay(after, sent.display);
  keepUsableSource(ctx, before, after);
  resolveSystem(ctx, after);
  normalize(after);
  if (before.cluster?.id !== after.cluster?.id) checkClusterChange(ctx, before, after);
  checkConfiguration(ctx, after, 'edit');
  if (sent.quota) requireUsableQuota(ctx, after, 'edit');
  checkScsi(ctx, before, after);
  if (before.status === 'down' || before.status === 'unassigned') return;
  const plugsMemory = isRunning(before) && !ctx.site.hypervisor;
  if (isRunning(before)) checkHosts(ctx, before, after);
  if (plugsMemory) checkHotMemory(ctx, before, after);
  const memory = plugsMemory ? changeMemory(ctx, before, after) : undefined;
  separatePending(ctx, before, after, sent, memory?.running);
  if (memory) after.memory_devices = memory.devices;
}

/** A VM that gets an instance type adopts its hardware, unless the request overrides it. */
function applyInstanceType(ctx: RuleContext, after: Vm, sent: Vm): void {
  const type = ctx.tx.get('instance_type', after.instance_type?.id ?? '');
  if (!type) return;
  const { memory, memory_policy: policy, cpu, high_availability, io } = type;
  const { migration_downtime = -1 } = type;
  const hardware: Partial<Vm> = {
    ...pickDefined<Vm>({ memory, high_availability, io, migration_downtime }),
    cpu: { ...after.cpu, ...pickDefined({ topology: cpu?.topology }) },
    memory_policy: {
      ...after.memory_policy,
      ...pickDefined({ guaranteed: policy?.guaranteed }),
    },
  };
  const own = pickMembers(sent, (name) => Object.hasOwn(hardware, name));
  Object.assign(after, merge({ ...hardware }, { ...own }));
  if (!sent.migration?.policy) delete after.migration?.policy;
  if (sent.tunnel_migration === undefined) delete after.tunnel_migration;
}

/** Ignores a random source that the cluster does not have. */
function keepUsableSource(ctx: RuleContext, before: Vm, after: Vm): void {
  const cluster = ctx.tx.get('cluster', after.cluster?.id ?? '');
  const source = after.rng_device?.source;
  const isUsable = !source || listUsableSources(cluster).includes(source);
  if (!isUsable && before.rng_device) after.rng_device = before.rng_device;
}

/** Attributes that an element without members clears. */
const clearedByEmpty = [
  'custom_compatibility_version',
  'initialization',
  'instance_type',
  'lease',
  'payloads',
  'quota',
  'serial_number',
] as const;

function clearEmptied(after: Vm, sent: Vm): void {
  for (const name of clearedByEmpty) {
    const value = sent[name];
    if (value !== undefined && Object.keys(value).length === 0) delete after[name];
  }
  // A lease without a storage domain clears the lease; a migration policy without an id clears the
  // policy.
  if (sent.lease && !sent.lease.storage_domain?.id && !sent.lease.storage_domain?.name) {
    delete after.lease;
  }
  // A sent placement policy replaces the hosts, even without any.
  if (after.placement_policy && sent.placement_policy && !sent.placement_policy.hosts) {
    delete after.placement_policy.hosts;
  }
}

/**
 * Separates immediate changes from those of the next start. `running` is the memory until the next
 * stop, if it differs from the request.
 */
function separatePending(
  ctx: RuleContext,
  before: Vm,
  after: Vm,
  sent: Vm,
  running: Partial<Vm> = {},
): void {
  const whole = ctx.parameters.flag('next_run') === true;
  const present = { ...after, ...running };
  const now = applyImmediate(before, present, '', whole ? [] : listLiveAttributes(ctx));
  const pending = ctx.tx.get('next_run_vm', before.id ?? '', formatNextRun(before));
  if (!pending && text(now) === text(after)) return;
  const changed = pending ? addPending(pending, before, after) : after;
  // A request may revert a pending change to the current value.
  const later = whole ? overlaySent(changed, after, sent) : changed;
  if (!isRecord(later) || !isRecord(now))
    throw new Error('The result of an update must be an object.');
  keepForNextRun(ctx, { ...later, next_run_configuration_exists: true });
  replaceMembers(after, { ...now, next_run_configuration_exists: true });
}

function keepForNextRun(ctx: RuleContext, vm: Vm): void {
  const collection = formatNextRun(vm);
  const known = ctx.tx.get('next_run_vm', vm.id ?? '', collection);
  if (known) ctx.tx.update('next_run_vm', vm, collection);
  else ctx.tx.insert('next_run_vm', collection, vm);
}

/** Attributes that change at once. A hypervisor plugs no memory or processors. */
function listLiveAttributes({ site }: RuleContext): readonly string[] {
  return site.hypervisor
    ? liveVmAttributes.filter((name) => !hotPluggedVmAttributes.includes(name))
    : liveVmAttributes;
}

/** The old object with the changes of the attributes in `live`. */
function applyImmediate(
  before: unknown,
  after: unknown,
  path: string,
  live: readonly string[],
): unknown {
  if (text(before) === text(after)) return before;
  if (live.includes(path)) return after;
  const inside = path === '' || live.some((name) => name.startsWith(`${path}.`));
  if (!inside || !isRecord(before) || !isRecord(after)) return before;
  const result: StoredObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const way = path === '' ? name : `${path}.${name}`;
    const value = applyImmediate(before[name], after[name], way, live);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** The pending object with additional changes. */
function addPending(pending: unknown, before: unknown, after: unknown): unknown {
  if (text(before) === text(after)) return pending;
  if (!isRecord(pending) || !isRecord(after)) return after;
  const old = isRecord(before) ? before : {};
  const result: StoredObject = { ...pending };
  for (const name of new Set([...Object.keys(old), ...Object.keys(after)])) {
    const value = addPending(pending[name] ?? gone, old[name], after[name]);
    if (value === gone || value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** The object with the sent members of `after`, changed or not. */
function overlaySent(form: unknown, after: unknown, sent: unknown): unknown {
  if (!isRecord(form) || !isRecord(after) || !isRecord(sent)) return after;
  const result: StoredObject = { ...form };
  for (const name of Object.keys(sent)) {
    const value = overlaySent(form[name], after[name], sent[name]);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

function text(value: unknown): string | undefined {
  if (value === gone) return 'gone';
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}

/** The VM with its pending configuration, which is removed. */
export function withNextRun(ctx: RuleContext, vm: Vm): Vm {
  const collection = formatNextRun(vm);
  const pending = ctx.tx.get('next_run_vm', vm.id ?? '', collection);
  if (!pending) return vm;
  ctx.tx.remove('next_run_vm', vm.id ?? '', collection);
  const { host, status, start_time: start, stop_time: stop, stop_reason: reason } = vm;
  const current = {
    ...{ host, status, start_time: start, stop_time: stop, stop_reason: reason },
    former_uptime: vm.former_uptime,
  };
  const lasting = omitMembers(pending, [...Object.keys(current), 'run_once', memoryDevices]);
  return { ...lasting, ...pickDefined<Vm>(current), next_run_configuration_exists: false };
}

function refuseFixed(ctx: RuleContext, before: Vm, sent: Vm): void {
  if (sent.origin !== undefined) ctx.refuse('VM_ORIGIN_FIXED', { action: 'edit' });
  const { template } = sent;
  const id = template?.id ?? ctx.tx.byName('template', template?.name ?? '')?.id;
  if (template === undefined || id === before.template?.id) return;
  const chain = (one: string | undefined) =>
    ctx.tx.get('template', one ?? '')?.version?.base_template?.id ?? one;
  if (!before.vm_pool?.id || chain(id) !== chain(before.template?.id)) {
    ctx.refuse('VM_TEMPLATE_FIXED', { action: 'edit' });
  }
}

function checkClusterChange(ctx: RuleContext, before: Vm, after: Vm): void {
  if (isRunning(before)) ctx.refuse('VM_STATUS_ILLEGAL', { action: 'edit', status: before.status });
  const [from, to] = [before, after].map((vm) => findClusterDataCenter(ctx, vm.cluster?.id)?.id);
  const cluster = ctx.tx.get('cluster', after.cluster?.id ?? '');
  if (from !== to) {
    ctx.refuse('VM_CLUSTER_IN_OTHER_DATA_CENTER', { action: 'edit', cluster: cluster?.name });
  }
  requireNetworks(ctx, before, after.cluster?.id, 'edit');
  const profile = ctx.tx.find('cpu_profile', { cluster_id: after.cluster?.id ?? '' });
  if (profile?.id && after.cpu_profile?.id === before.cpu_profile?.id) {
    after.cpu_profile = { id: profile.id };
  }
}

function checkHosts(ctx: RuleContext, before: Vm, after: Vm): void {
  const hosts = after.placement_policy?.hosts ?? [];
  const pinned = after.placement_policy?.affinity === 'pinned';
  if (!pinned || hosts.length === 0 || hosts.some(({ id }) => id === before.host?.id)) return;
  const host = ctx.tx.get('host', before.host?.id ?? '')?.name;
  ctx.refuse('VM_PINNED_TO_ANOTHER_HOST', { action: 'edit', host });
}

/** Memory can only be plugged in multiples of the step. */
function checkHotMemory(ctx: RuleContext, before: Vm, after: Vm): void {
  const [old, now] = [Number(before.memory ?? 0), Number(after.memory ?? 0)];
  const step = before.cpu?.architecture === 'ppc64' ? 256 : 128;
  if (ctx.parameters.flag('next_run') || now <= old) return;
  if ((now - old) % (step * mebibyte) !== 0) {
    ctx.refuse('VM_MEMORY_NOT_IN_STEPS', { action: 'edit', step });
  }
  if (now > Number(before.memory_policy?.max ?? now)) {
    ctx.refuse('VM_MAX_MEMORY_TOO_SMALL', { action: 'edit' });
  }
}

function checkScsi(ctx: RuleContext, before: Vm, after: Vm): void {
  if (before.virtio_scsi?.enabled === after.virtio_scsi?.enabled || after.virtio_scsi?.enabled)
    return;
  const plugged = new Set(
    listDiskAttachments(ctx, before)
      .filter((one) => one.active && one.interface === 'virtio_scsi')
      .map(({ id }) => id),
  );
  if (plugged.size === 0) return;
  const disks = listDisks(ctx, before).filter(({ id }) => plugged.has(id));
  ctx.refuse('VM_SCSI_DISKS_PLUGGED', { action: 'edit', names: joinNames(disks) });
}

/** Writes the events of hot plug after a change. */
export function reportChange(ctx: RuleContext, before: Vm, after: Vm): void {
  if (before.display?.type !== after.display?.type) replaceConsole(ctx, after);
  if (!isRunning(before)) return;
  const sockets = (vm: Vm) => vm.cpu?.topology?.sockets ?? 1;
  if (Number(after.memory ?? 0) > Number(before.memory ?? 0)) {
    const messageParams = { previousMem: before.memory, newMem: after.memory };
    ctx.event('VM_MEMORY_PLUGGED', describeVmSubjects(ctx, after), messageParams);
  }
  if (sockets(before) !== sockets(after)) {
    const messageParams = { previousNumberOfCpus: sockets(before), numberOfCpus: sockets(after) };
    ctx.event('VM_PROCESSORS_PLUGGED', describeVmSubjects(ctx, after), messageParams);
  }
}
