/** Runs of VMs: start, stop, suspend, migrate. */

import type { ActionBody } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember, resolveReferences } from '../../core/input.ts';
import { beginTransition, requireState } from '../../core/transitions.ts';
import { listAffinitySets } from '../../inventory/affinity.ts';
import { chooseHost } from '../../inventory/choose-host.ts';
import { requireNoBackup, requireSettledSnapshots } from '../../inventory/snapshot-checks.ts';
import { hasSavedMemory } from '../../inventory/snapshot-contents.ts';
import {
  computeUptime,
  describeVmSubjects,
  findClusterDataCenter,
  formatCurrentDrives,
  formerUptime,
  getHostName,
  joinNames,
  listDiskAttachments,
  listDisks,
  listNics,
  moveVm,
  omitMembers,
  runStateMember,
  type Vm,
  withRunState,
} from '../../inventory/vm.ts';
import {
  inherit,
  removeSeal,
  requireDataCenter,
  requireNetworks,
} from '../../inventory/vm-configuration.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { RunState } from '../../store/stored-members.ts';
import { failBackups } from './backup.ts';
import { insertForRun } from './devices.ts';
import { chooseFirstBoot, requestFirstBoot } from './first-boot.ts';
import { endSessions } from './guest.ts';
import { describeHardware } from './hardware.ts';
import { findStateAfterCancel } from './migration-changes.ts';
import { requireMovable } from './movable.ts';
import { requireLoadable } from './snapshot-memory.ts';
import { beginStatelessRun } from './snapshot-preview.ts';
import { memoryDevices, withNextRun } from './update.ts';

/** Mutually exclusive initialization methods of the guest. */
const initializationMethods = ['use_cloud_init', 'use_sysprep', 'use_ignition'] as const;

/** Refuses a start with two initialization methods. */
function requireOneInitialization(ctx: RuleContext, body: ActionBody): void {
  const requested = initializationMethods.filter((one) => body[one] === true);
  if (requested.length > 1) ctx.refuse('VM_TWO_INITIALIZATIONS', { action: 'run' });
}

/** Recorded state of a new run. `effective` is the VM with the overrides of the run. */
function createRunState(effective: Vm, body: ActionBody): RunState {
  const initializes =
    body['use_initialization'] === true || initializationMethods.some((one) => body[one] === true);
  const hostName = effective.initialization?.host_name;
  const overrides = body['vm'];
  return {
    ...(initializes && hostName ? { hostName } : {}),
    ...(overrides ? { overrides, volatile: body['volatile'] === true } : {}),
  };
}

/** Names of discs with the guest tools for Windows. */
const toolsDisc = /(virtio-win|guest-tools|tools-?setup).*\.iso$/i;

/** Inserts the disc with the guest tools for this run, if requested. */
function attachTools(ctx: RuleContext, vm: Vm, body: ActionBody): void {
  if (body['attach_wgt'] !== true) return;
  const names = ctx.tx.list('file').map(({ name }) => name ?? '');
  const [newest] = names.filter((name) => toolsDisc.test(name)).sort((a, b) => (a < b ? 1 : -1));
  if (!newest) ctx.refuse('VM_TOOLS_MISSING', { action: 'run' });
  const collection = formatCurrentDrives(vm);
  ctx.tx.removeBelow('current_cdrom', `/vms/${vm.id}`);
  ctx.tx.insert('current_cdrom', collection, {
    id: cdromId,
    file: { id: newest },
    vm: { id: vm.id ?? '' },
  });
}

type Target = LocatedObject<'vm'>;

/** Migrates to the requested host, or to one that the scheduler chooses. */
export function migrate(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'migrate');
  requireNoBackup(ctx, vm, 'migrate');
  requireMovable(ctx, vm, 'migrate');
  checkPolicy(ctx, vm, body['force'] === true);
  const cluster = chooseCluster(ctx, vm, body);
  const host = namedHost(ctx, vm, body, cluster);
  const moving: Vm = { ...vm, cluster: { id: cluster } };
  const chosen = chooseHost(ctx, moving, 'migrate', vm.host?.id, host ? [host] : undefined);
  startMigration(ctx, vm, chosen.id, cluster);
  if (body['migrate_vms_in_affinity_closure'] === true) migrateAffine(ctx, vm, chosen.id, cluster);
  return undefined;
}

/** Migrates to another host for an internal reason of the service. */
export function migrateAutomatically(ctx: RuleContext, vm: Vm, reason: string): void {
  requireState(ctx, 'vm', vm, 'migrate');
  requireNoBackup(ctx, vm, 'migrate');
  requireMovable(ctx, vm, 'migrate');
  checkPolicy(ctx, vm, true);
  const { id } = chooseHost(ctx, vm, 'migrate', vm.host?.id);
  startMigration(ctx, vm, id, vm.cluster?.id ?? '', reason);
}

/** Starts the migration to a host. `reason` is set if no client requested it. */
export function startMigration(
  ctx: RuleContext,
  vm: Vm,
  host: string,
  cluster: string,
  reason?: string,
): void {
  const messageParams = {
    DestinationHostName: ctx.tx.get('host', host)?.name ?? host,
    SourceHostName: getHostName(ctx, vm),
    ...(reason ? { Reason: reason } : {}),
  };
  const data = { host, cluster, before: vm.status, words: messageParams };
  moveVm(ctx, vm, reason ? 'leave_host' : 'migrate', data);
}

function checkPolicy(ctx: RuleContext, vm: Vm, force: boolean): void {
  const affinity = vm.placement_policy?.affinity;
  if (affinity === 'pinned') ctx.refuse('VM_IS_PINNED', { action: 'migrate' });
  if (affinity === 'user_migratable' && !force) {
    ctx.refuse('VM_MIGRATES_ONLY_BY_FORCE', { action: 'migrate' });
  }
}

function chooseCluster(ctx: RuleContext, vm: Vm, body: ActionBody): string {
  const present = vm.cluster?.id ?? '';
  const sent = body['cluster'];
  if (!sent) return present;
  const id = resolveMember(ctx.tx, 'cluster', sent);
  if (id === present) return id;
  const [from, to] = [present, id].map((one) => findClusterDataCenter(ctx, one)?.id);
  const cluster = ctx.tx.get('cluster', id)?.name;
  if (from !== to) ctx.refuse('VM_CLUSTER_IN_OTHER_DATA_CENTER', { action: 'migrate', cluster });
  requireNetworks(ctx, vm, id, 'migrate');
  return id;
}

function namedHost(
  ctx: RuleContext,
  vm: Vm,
  body: ActionBody,
  cluster: string,
): string | undefined {
  const sent = body['host'];
  if (!sent) return undefined;
  const id = resolveMember(ctx.tx, 'host', sent);
  const host = ctx.tx.get('host', id);
  if (id === vm.host?.id)
    ctx.refuse('VM_RUNS_THERE_ALREADY', { action: 'migrate', host: host?.name });
  if (host?.cluster?.id !== cluster) {
    ctx.refuse('VM_HOST_IN_OTHER_CLUSTER_TO_MIGRATE', { action: 'migrate', host: host?.name });
  }
  return id;
}

/** Migrates VMs with positive enforced affinity to the same host. */
function migrateAffine(ctx: RuleContext, vm: Vm, host: string, cluster: string): void {
  const bound = listAffinitySets(ctx, vm.cluster?.id ?? '')
    .filter((set) => set.vms.has(vm.id ?? '') && set.vmsRule?.positive && set.vmsRule.enforcing)
    .flatMap((set) => [...set.vms]);
  for (const id of new Set(bound)) {
    const other = ctx.tx.get('vm', id);
    if (other && id !== vm.id && other.status === 'up' && other.host?.id !== host) {
      startMigration(ctx, other, host, cluster);
    }
  }
}

/** The VM on its new host, paused if it was before. */
export function finishMigration(_ctx: RuleContext, vm: Vm, data: StoredObject = {}): Vm {
  const { host, cluster, before } = data;
  const status = before === 'paused' ? 'paused' : 'up';
  return { ...vm, status, host: { id: String(host) }, cluster: { id: String(cluster) } };
}

/** Cancels a migration. The VM remains on its host. */
export function cancelMigration(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'cancel_migration');
  const to = ctx.site.hypervisor ? { to: findStateAfterCancel(vm) } : {};
  const operation = 'cancel_migration';
  beginTransition(ctx, { kind: 'vm', collection: '/vms', operation, ...to }, vm);
  return undefined;
}

/** Starts a VM, or resumes a suspended or paused one. */
export function start(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'start');
  if (vm.status === 'paused') {
    moveVm(ctx, vm, 'unpause');
    return undefined;
  }
  if (vm.status === 'suspended') {
    moveVm(ctx, { ...vm, host: chooseHost(ctx, vm, 'run') }, 'resume');
    return undefined;
  }
  requireOneInitialization(ctx, body);
  launch(ctx, vm, requestFirstBoot(ctx, body));
  return undefined;
}

/** Starts a VM that is down. Overrides in `vm` of the body apply to this run only. */
export function launch(ctx: RuleContext, vm: Vm, body: ActionBody): void {
  const current = withNextRun(ctx, vm);
  const { cdroms = [], ...overrides } = structuredClone(body['vm'] ?? {});
  resolveReferences(ctx.tx, 'vm', overrides);
  const effective: Vm = { ...overrides, id: vm.id ?? '' };
  inherit(effective, current, Object.keys(current));
  requireDataCenter(ctx, vm, 'run');
  checkBoot(ctx, effective);
  requireNoBackup(ctx, vm, 'run');
  checkDisks(ctx, vm);
  requireSettledSnapshots(ctx, vm, 'run');
  requireNetworks(ctx, vm, vm.cluster?.id, 'run');
  if (effective.stateless && effective.high_availability?.enabled) {
    ctx.refuse('VM_STATELESS_AND_AVAILABLE', { action: 'run' });
  }
  const hosts = overrides.placement_policy?.hosts?.map(({ id }) => id ?? '');
  const only = hosts && hosts.length > 0 ? hosts : undefined;
  attachTools(ctx, vm, body);
  for (const { file } of cdroms) if (file) insertForRun(ctx, vm, file);
  const started: Vm = {
    ...withRunState(removeSeal(current), {
      ...createRunState(effective, body),
      ...chooseFirstBoot(ctx, effective, body),
    }),
    host: chooseHost(ctx, effective, 'run', undefined, only),
  };
  if (ctx.site.hypervisor) describeHardware(ctx, effective);
  if (hasSavedMemory(ctx, vm)) requireLoadable(ctx, vm, body);
  if (body['vm'] !== undefined) started.run_once = true;
  delete started.stop_reason;
  const pause = body['pause'] === true || effective.start_paused === true;
  const operation = pause ? 'start_paused' : hasSavedMemory(ctx, vm) ? 'resume' : 'start';
  if (effective.stateless) beginStatelessRun(ctx, started, operation);
  else beginTransition(ctx, { kind: 'vm', collection: '/vms', operation }, started);
}

/**
 * Requires the boot device if the boot order has only one: a disk or a NIC. With a second device,
 * the firmware tries that one.
 */
function checkBoot(ctx: RuleContext, vm: Vm): void {
  const [only, ...others] = vm.os?.boot?.devices ?? ['hd'];
  if (others.length > 0) return;
  if (only === 'hd' && !listDiskAttachments(ctx, vm).some(({ active }) => active)) {
    ctx.refuse('VM_WITHOUT_BOOTABLE_DISK', {});
  }
  if (only === 'network' && listNics(ctx, vm).length === 0) {
    ctx.refuse('VM_WITHOUT_NIC_TO_BOOT', {});
  }
}

function checkDisks(ctx: RuleContext, vm: Vm): void {
  const plugged = new Set(
    listDiskAttachments(ctx, vm).map(({ id, active }) => (active ? id : undefined)),
  );
  const disks = listDisks(ctx, vm).filter(({ id }) => plugged.has(id));
  const inStatus = (status: string) => disks.filter((disk) => disk.status === status);
  const messageParams = { action: 'run', type: 'VM' };
  const [locked, illegal] = [inStatus('locked'), inStatus('illegal')];
  if (locked.length > 0)
    ctx.refuse('DISK_IS_LOCKED', { ...messageParams, names: joinNames(locked) });
  if (illegal.length > 0)
    ctx.refuse('DISK_IS_ILLEGAL', { ...messageParams, names: joinNames(illegal) });
  const away = disks.flatMap((disk) => {
    const id = disk.storage_type === 'lun' ? undefined : disk.storage_domains?.[0]?.id;
    const domain = id ? ctx.tx.find('attached_storage_domain', { id }) : undefined;
    return domain && domain.status !== 'active' ? [domain] : [];
  });
  if (away.length > 0)
    ctx.refuse('VM_STORAGE_NOT_ACTIVE', { action: 'run', names: joinNames(away) });
}

/** Stops a VM. Accepts a VM that is already down, because automation may repeat requests. */
export function stop(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  if (vm.status === 'down') {
    ctx.event('VM_ALREADY_THERE', describeVmSubjects(ctx, vm), {
      VmStatus: 'Down',
      Action: 'stop',
    });
    return undefined;
  }
  requireState(ctx, 'vm', vm, 'stop');
  if (body['force'] !== true) requireNoBackup(ctx, vm, 'stop');
  // The host ends backups of a stopped VM.
  else if (vm.host?.id) failBackups(ctx, vm);
  if (vm.status === 'suspended') moveVm(ctx, vm, 'discard');
  else halt(ctx, vm, 'stop', body);
  return undefined;
}

/** Requests a shutdown by the guest. A guest that is not up is stopped instead. */
export function shutdown(ctx: RuleContext, target: Target, body: ActionBody): undefined {
  const vm = target.object;
  if (vm.status === 'down') return stop(ctx, target, body);
  requireState(ctx, 'vm', vm, 'shutdown');
  if (vm.status !== 'up') {
    ctx.event('VM_STOPPED_INSTEAD_OF_SHUTDOWN', describeVmSubjects(ctx, vm));
    return stop(ctx, target, body);
  }
  if (body['force'] !== true) requireNoBackup(ctx, vm, 'shutdown');
  else failBackups(ctx, vm);
  halt(ctx, vm, 'shutdown', body);
  return undefined;
}

function halt(ctx: RuleContext, vm: Vm, how: 'stop' | 'shutdown', body: ActionBody): void {
  const reason = typeof body['reason'] === 'string' ? body['reason'] : undefined;
  const messageParams = { Reason: reason ? ` (Reason: ${reason})` : '' };
  moveVm(ctx, { ...vm, ...(reason ? { stop_reason: reason } : {}) }, how, { words: messageParams });
}

/** Starts the reboot. Pending changes, or overrides of this run, require a cold reboot. */
export function reboot(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'reboot');
  if (body['force'] !== true) requireNoBackup(ctx, vm, 'reboot');
  const cold = vm.next_run_configuration_exists === true || vm.run_once === true;
  moveVm(ctx, vm, 'reboot', { cold });
  return undefined;
}

/** Saves the memory and releases the host. */
export function suspend(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'suspend');
  requireNoBackup(ctx, vm, 'hibernate');
  requireMovable(ctx, vm, 'hibernate');
  if (vm.vm_pool?.id) {
    const pool = ctx.tx.get('vm_pool', vm.vm_pool.id)?.name;
    ctx.refuse('VM_IN_POOL', { action: 'hibernate', pool });
  }
  if (vm.stateless) ctx.refuse('VM_IS_STATELESS', { action: 'hibernate' });
  requireSettledSnapshots(ctx, vm, 'hibernate');
  // At the end, the VM has no host; the event needs the name of the previous one.
  moveVm(ctx, vm, 'suspend', { words: { HostName: getHostName(ctx, vm) } });
  return undefined;
}

/** A VM without the members that only a run has. */
export function omitRunMembers(vm: Vm): Vm {
  const display = omitMembers(vm.display ?? {}, ['address', 'port', 'secure_port', 'certificate']);
  const rest = omitMembers(vm, [
    'host',
    'start_time',
    'run_once',
    'status_detail',
    'fqdn',
    'guest_time_zone',
    'guest_operating_system',
    memoryDevices,
    runStateMember,
  ]);
  return { ...rest, display };
}

/** A stopped VM: without the members of a run, with the pending configuration applied. */
export function finishStop(ctx: RuleContext, vm: Vm): Vm {
  ctx.tx.removeBelow('current_cdrom', `/vms/${vm.id}`);
  endSessions(ctx, vm);
  const ran = { [formerUptime]: computeUptime(ctx, vm) };
  return withNextRun(ctx, { ...omitRunMembers(vm), ...ran, stop_time: ctx.timestamp });
}
