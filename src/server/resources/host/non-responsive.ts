/** Non-responsive hosts: their VMs, and the choice of a fence proxy. */
import { findBehavior } from '../../core/behavior.ts';
import { resolveCollection } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { beginTransition } from '../../core/transitions.ts';
import { listHostsUp, releaseSpm } from '../../inventory/data-center.ts';
import { switchBricks } from '../../inventory/gluster-layout.ts';
import { findHostDataCenter, refreshStorage } from '../../inventory/storage-pool-manager.ts';
import { computeUptime, formerUptime, runStateMember } from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { failBackups, failBackupsOn } from '../vm/backup.ts';
import { listRunningVms } from './maintenance.ts';

type Host = ObjectOf<'host'>;

/**
 * A host in status `up` that runs the fence agents: from the cluster, the data center or another
 * one, in the order that the host configures.
 */
export function findFenceProxy(ctx: RuleContext, host: Host): Host | undefined {
  const chosen = host.power_management?.pm_proxies ?? [];
  const proxies = chosen.length > 0 ? chosen : [{ type: 'cluster' }, { type: 'dc' }];
  for (const { type } of proxies) {
    const found = listCandidates(ctx, host, type ?? 'cluster').find(({ id }) => id !== host.id);
    if (found) return found;
  }
  return undefined;
}

function listCandidates(ctx: RuleContext, host: Host, where: string): Host[] {
  if (where === 'cluster') {
    return ctx.tx.list('host', { where: { cluster_id: host.cluster?.id ?? '', status: 'up' } });
  }
  if (where === 'dc') return listHostsUp(ctx, findHostDataCenter(ctx, host)?.id ?? '');
  return ctx.tx.list('host', { where: { status: 'up' } });
}

type Vm = ObjectOf<'vm'>;

const clearedMembers = ['host', 'start_time', 'run_once', 'status_detail', 'fqdn', runStateMember];

/**
 * Starts the transition of a host that stops responding: it becomes non-responsive after a delay.
 */
export function markNonResponsive(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  if (!host) return;
  beginTransition(ctx, { kind: 'host', collection: '/hosts', operation: 'lose' }, host);
}

/**
 * Sets the VMs of a lost host to unknown. Power management restarts the host, which determines
 * their state. Without it, an administrator must confirm the reboot. Returns whether the host is
 * fenced.
 */
export function settleNonResponsive(ctx: RuleContext, host: Host): boolean {
  for (const vm of listRunningVms(ctx, host)) {
    ctx.tx.tasks.removeByTarget(`vm:/vms/${vm.id}`);
    ctx.tx.update('vm', { ...vm, status: 'unknown' });
    ctx.event('VM_STATUS_UNKNOWN', { vm, host });
  }
  if (listRunningVms(ctx, host).length > 0) ctx.event('HOST_VMS_UNKNOWN', { host });
  switchBricks(ctx, host, false);
  restartLeased(ctx, host);
  const policy = ctx.tx.get('cluster', host.cluster?.id ?? '')?.fencing_policy;
  const power = host.power_management;
  const fenced =
    policy?.enabled !== false &&
    power?.enabled === true &&
    power.automatic_pm_enabled !== false &&
    findFenceProxy(ctx, host) !== undefined;
  if (!fenced)
    ctx.event(power?.enabled ? 'HOST_CANNOT_BE_FENCED' : 'FENCING_NOT_CONFIGURED', { host });
  return fenced;
}

/** Restarts VMs with a storage lease immediately: the lease prevents a second instance. */
function restartLeased(ctx: RuleContext, host: Host): void {
  for (const vm of listRunningVms(ctx, host)) {
    if (vm.high_availability?.enabled && vm.lease?.storage_domain?.id) free(ctx, vm, host);
  }
}

/**
 * Handles a host after a power-off: its VMs are down, highly available ones restart on other hosts,
 * and another host becomes storage pool manager.
 */
export function freeVms(ctx: RuleContext, host: Host): void {
  switchBricks(ctx, host, false);
  releaseSpm(ctx, ctx.tx.get('host', host.id ?? '') ?? host);
  refreshStorage(ctx, host);
  failBackupsOn(ctx, host.id ?? '');
  // No VM starts before the data center is up again with another storage pool manager.
  for (const vm of listRunningVms(ctx, host)) free(ctx, vm, host);
}

function free(ctx: RuleContext, vm: Vm, host: Host): void {
  ctx.tx.tasks.removeByTarget(`vm:/vms/${vm.id}`);
  failBackups(ctx, vm);
  const ran = { [formerUptime]: computeUptime(ctx, vm) };
  const down: StoredObject = { ...vm, ...ran, status: 'down', stop_time: ctx.timestamp };
  for (const name of clearedMembers) delete down[name];
  ctx.tx.update('vm', down);
  ctx.event('VM_DOWN_ERROR', { vm, host }, { ExitMessage: `Host ${host.name} lost power.` });
  if (vm.high_availability?.enabled) restart(ctx, down);
}

/** Restarts a highly available VM after a failure. */
export function restart(ctx: RuleContext, vm: Vm): void {
  ctx.event('HA_VM_FAILED', { vm });
  const target = { ref: resolveCollection(ctx.tx, '/vms', []), object: vm };
  try {
    findBehavior(ctx, 'vm')?.actions?.['start']?.(ctx, target, {});
    const host = ctx.tx.get('vm', vm.id ?? '')?.host?.id;
    ctx.event('HA_VM_RESTARTED', { vm, host: host ? ctx.tx.get('host', host) : undefined });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    ctx.event('HA_VM_RESTART_FAILED', { vm }, { Reason: error.message });
  }
}
