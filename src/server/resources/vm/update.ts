/** Updates of virtual machines: applied at once or at the next start; memory hot plug. */
import type { RuleContext } from '../../core/context.ts';
import { merge } from '../../core/input.ts';
import { definedMembers, membersWhere, replaceMembers } from '../../core/member-selection.ts';
import { requireUsableQuota } from '../../inventory/quota.ts';
import {
  attachmentsOf,
  dataCenterOfCluster,
  disksOf,
  isRunning,
  mebibyte,
  namesOf,
  subjects,
  type Vm,
  without,
} from '../../inventory/vm.ts';
import {
  checkConfiguration,
  requireNetworks,
  resolveSystem,
  usableSources,
} from '../../inventory/vm-configuration.ts';
import { changeDisplay, normalize } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { MemoryDevice } from '../../store/stored-members.ts';
import { replaceConsole } from './console.ts';

/** Where a running machine keeps its devices; clients see their sum alone, in `memory`. */
export const memoryDevices = 'memory_devices';

/** What a change of its memory makes of a running machine. */
export interface MemoryChange {
  readonly devices: readonly MemoryDevice[];
  /** What the machine has until it stops, where not all could be taken out that was asked for. */
  readonly running: Partial<Vm>;
}

/**
 * Plugs the memory that is asked for beyond what there is, or takes out devices until what is asked
 * for is left: the largest first, none that is larger than what shall still go. Each is told with an
 * event. Undefined where the memory stays, or is to change at the next start.
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
    ctx.event('VM_MEMORY_UNPLUGGED', subjects(ctx, before), {
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

/** What changes while a machine runs: whole attributes, or members of them. */
const immediate = [
  'name',
  'description',
  'comment',
  'delete_protected',
  'high_availability',
  'small_icon',
  'large_icon',
  'display.allow_override',
  'display.disconnect_action',
  'display.disconnect_action_delay',
  'placement_policy',
  'migration',
  'migration_downtime',
  'quota',
  'cpu_profile',
  'initialization',
  'memory',
  'memory_policy.guaranteed',
  'cpu.topology.sockets',
  'lease',
  'use_latest_template_version',
  'template',
  'external_host_provider',
];

const gone = Symbol('absent');

/** Where the configuration of the next start is kept. */
function nextRunOf(vm: Vm): string {
  return `/vms/${vm.id}/nextrun`;
}

/** The configuration that a machine has from its next start on. */
export function nextRun(ctx: RuleContext, vm: Vm): Vm {
  return ctx.tx.get('next_run_vm', vm.id ?? '', nextRunOf(vm)) ?? vm;
}

/**
 * Checks a change and completes the new form. Unless the machine is down, what cannot change now is
 * put aside for its next start.
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
  if (isRunning(before)) {
    checkHosts(ctx, before, after);
    checkHotMemory(ctx, before, after);
  }
  const memory = isRunning(before) ? changeMemory(ctx, before, after) : undefined;
  separate(ctx, before, after, sent, memory?.running);
  if (memory) after.memory_devices = memory.devices;
}

/** A VM that gets an instance type has the hardware of that, unless the request says otherwise. */
function applyInstanceType(ctx: RuleContext, after: Vm, sent: Vm): void {
  const type = ctx.tx.get('instance_type', after.instance_type?.id ?? '');
  if (!type) return;
  const { memory, memory_policy: policy, cpu, high_availability, io } = type;
  const { migration_downtime = -1 } = type;
  const hardware: Partial<Vm> = {
    ...definedMembers<Vm>({ memory, high_availability, io, migration_downtime }),
    cpu: { ...after.cpu, ...definedMembers({ topology: cpu?.topology }) },
    memory_policy: {
      ...after.memory_policy,
      ...definedMembers({ guaranteed: policy?.guaranteed }),
    },
  };
  const own = membersWhere(sent, (name) => Object.hasOwn(hardware, name));
  Object.assign(after, merge({ ...hardware }, { ...own }));
  if (!sent.migration?.policy) delete after.migration?.policy;
  if (sent.tunnel_migration === undefined) delete after.tunnel_migration;
}

/** A source of random numbers that the cluster does not have changes nothing. */
function keepUsableSource(ctx: RuleContext, before: Vm, after: Vm): void {
  const cluster = ctx.tx.get('cluster', after.cluster?.id ?? '');
  const source = after.rng_device?.source;
  const isUsable = !source || usableSources(cluster).includes(source);
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
  // A lease on no storage domain is none; neither is a migration policy without an id.
  if (sent.lease && !sent.lease.storage_domain?.id && !sent.lease.storage_domain?.name) {
    delete after.lease;
  }
  // Hosts are those of the placement policy that was sent, also where it names none.
  if (after.placement_policy && sent.placement_policy && !sent.placement_policy.hosts) {
    delete after.placement_policy.hosts;
  }
}

/** `running` is what the machine has until it stops, where that is not what was asked for. */
function separate(
  ctx: RuleContext,
  before: Vm,
  after: Vm,
  sent: Vm,
  running: Partial<Vm> = {},
): void {
  const whole = ctx.parameters.flag('next_run') === true;
  const present = { ...after, ...running };
  const now = hot(before, present, '', whole);
  const pending = ctx.tx.get('next_run_vm', before.id ?? '', nextRunOf(before));
  if (!pending && text(now) === text(after)) return;
  const changed = pending ? layered(pending, before, after) : after;
  // What was to be changed at the next start may be put back to what the machine has now.
  const later = whole ? overlaid(changed, after, sent) : changed;
  if (!isPlain(later) || !isPlain(now))
    throw new Error('The result of an update must be an object.');
  keepForNextRun(ctx, { ...later, next_run_configuration_exists: true });
  replaceMembers(after, { ...now, next_run_configuration_exists: true });
}

function keepForNextRun(ctx: RuleContext, vm: Vm): void {
  const collection = nextRunOf(vm);
  const known = ctx.tx.get('next_run_vm', vm.id ?? '', collection);
  if (known) ctx.tx.update('next_run_vm', vm, collection);
  else ctx.tx.insert('next_run_vm', collection, vm);
}

/** The old form with those changes that take effect at once; none of them where `later` is set. */
function hot(before: unknown, after: unknown, path: string, later: boolean): unknown {
  if (text(before) === text(after)) return before;
  if (!later && immediate.includes(path)) return after;
  const inside = path === '' || immediate.some((name) => name.startsWith(`${path}.`));
  if (!inside || !isPlain(before) || !isPlain(after)) return before;
  const result: StoredObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const way = path === '' ? name : `${path}.${name}`;
    const value = hot(before[name], after[name], way, later);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** What is pending already, with the changes from one form to another on top. */
function layered(pending: unknown, before: unknown, after: unknown): unknown {
  if (text(before) === text(after)) return pending;
  if (!isPlain(pending) || !isPlain(after)) return after;
  const old = isPlain(before) ? before : {};
  const result: StoredObject = { ...pending };
  for (const name of new Set([...Object.keys(old), ...Object.keys(after)])) {
    const value = layered(pending[name] ?? gone, old[name], after[name]);
    if (value === gone || value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** The form with the members of `after` that were sent, whether they change the present or not. */
function overlaid(form: unknown, after: unknown, sent: unknown): unknown {
  if (!isPlain(form) || !isPlain(after) || !isPlain(sent)) return after;
  const result: StoredObject = { ...form };
  for (const name of Object.keys(sent)) {
    const value = overlaid(form[name], after[name], sent[name]);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

function isPlain(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  if (value === gone) return 'gone';
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}

/** The machine with what was put aside for its next start; nothing is left aside. */
export function withNextRun(ctx: RuleContext, vm: Vm): Vm {
  const collection = nextRunOf(vm);
  const pending = ctx.tx.get('next_run_vm', vm.id ?? '', collection);
  if (!pending) return vm;
  ctx.tx.remove('next_run_vm', vm.id ?? '', collection);
  const { host, status, start_time: start, stop_time: stop, stop_reason: reason } = vm;
  const current = {
    ...{ host, status, start_time: start, stop_time: stop, stop_reason: reason },
    former_uptime: vm.former_uptime,
  };
  const lasting = without(pending, [...Object.keys(current), 'run_once', memoryDevices]);
  return { ...lasting, ...definedMembers<Vm>(current), next_run_configuration_exists: false };
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
  const [from, to] = [before, after].map((vm) => dataCenterOfCluster(ctx, vm.cluster?.id)?.id);
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

/** Memory is plugged in steps. */
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
    attachmentsOf(ctx, before)
      .filter((one) => one.active && one.interface === 'virtio_scsi')
      .map(({ id }) => id),
  );
  if (plugged.size === 0) return;
  const disks = disksOf(ctx, before).filter(({ id }) => plugged.has(id));
  ctx.refuse('VM_SCSI_DISKS_PLUGGED', { action: 'edit', names: namesOf(disks) });
}

/** Follows a change: events of what was plugged while it ran. */
export function reportChange(ctx: RuleContext, before: Vm, after: Vm): void {
  if (before.display?.type !== after.display?.type) replaceConsole(ctx, after);
  if (!isRunning(before)) return;
  const sockets = (vm: Vm) => vm.cpu?.topology?.sockets ?? 1;
  if (Number(after.memory ?? 0) > Number(before.memory ?? 0)) {
    const messageParams = { previousMem: before.memory, newMem: after.memory };
    ctx.event('VM_MEMORY_PLUGGED', subjects(ctx, after), messageParams);
  }
  if (sockets(before) !== sockets(after)) {
    const messageParams = { previousNumberOfCpus: sockets(before), numberOfCpus: sockets(after) };
    ctx.event('VM_PROCESSORS_PLUGGED', subjects(ctx, after), messageParams);
  }
}
