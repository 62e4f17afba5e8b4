/** Non-responsive hosts: their virtual machines, and the host that is their fence proxy. */
import { behaviorOf } from '../../core/behavior.ts';
import { resolveCollection } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { begin } from '../../core/transitions.ts';
import { hostsUp, releaseSpm } from '../../inventory/data-center.ts';
import { switchBricks } from '../../inventory/gluster-layout.ts';
import { dataCenterOfHost, refreshStorage } from '../../inventory/storage-pool-manager.ts';
import { formerUptime, runStateMember, uptimeOf } from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { failBackups, failBackupsOn } from '../vm/backup.ts';
import { runningOn } from './maintenance.ts';

type Host = ObjectOf<'host'>;

/** A host that is up, of the cluster, the data center or another one, as the host asks for. */
export function proxyOf(ctx: RuleContext, host: Host): Host | undefined {
  const chosen = host.power_management?.pm_proxies ?? [];
  const proxies = chosen.length > 0 ? chosen : [{ type: 'cluster' }, { type: 'dc' }];
  for (const { type } of proxies) {
    const found = candidates(ctx, host, type ?? 'cluster').find(({ id }) => id !== host.id);
    if (found) return found;
  }
  return undefined;
}

function candidates(ctx: RuleContext, host: Host, where: string): Host[] {
  if (where === 'cluster') {
    return ctx.tx.list('host', { where: { cluster_id: host.cluster?.id ?? '', status: 'up' } });
  }
  if (where === 'dc') return hostsUp(ctx, dataCenterOfHost(ctx, host)?.id ?? '');
  return ctx.tx.list('host', { where: { status: 'up' } });
}

type Vm = ObjectOf<'vm'>;

const gone = ['host', 'start_time', 'run_once', 'status_detail', 'fqdn', runStateMember];

/** The host with this id stops answering; after a while it counts as lost. */
export function markNonResponsive(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  if (!host) return;
  begin(ctx, { kind: 'host', collection: '/hosts', operation: 'lose' }, host);
}

/**
 * Nobody knows what the machines of a lost host do. Power management switches it off and on, which
 * settles that; without, somebody has to confirm that it was rebooted. Returns whether it is fenced.
 */
export function settleNonResponsive(ctx: RuleContext, host: Host): boolean {
  for (const vm of runningOn(ctx, host)) {
    ctx.tx.tasks.removeOf(`vm:/vms/${vm.id}`);
    ctx.tx.update('vm', { ...vm, status: 'unknown' });
    ctx.event('VM_STATUS_UNKNOWN', { vm, host });
  }
  if (runningOn(ctx, host).length > 0) ctx.event('HOST_VMS_UNKNOWN', { host });
  switchBricks(ctx, host, false);
  restartLeased(ctx, host);
  const policy = ctx.tx.get('cluster', host.cluster?.id ?? '')?.fencing_policy;
  const power = host.power_management;
  const fenced =
    policy?.enabled !== false &&
    power?.enabled === true &&
    power.automatic_pm_enabled !== false &&
    proxyOf(ctx, host) !== undefined;
  if (!fenced)
    ctx.event(power?.enabled ? 'HOST_CANNOT_BE_FENCED' : 'FENCING_NOT_CONFIGURED', { host });
  return fenced;
}

/** A machine with a lease on storage cannot run twice; it need not wait for its host. */
function restartLeased(ctx: RuleContext, host: Host): void {
  for (const vm of runningOn(ctx, host)) {
    if (vm.high_availability?.enabled && vm.lease?.storage_domain?.id) free(ctx, vm, host);
  }
}

/**
 * The power of a host is off, or was: its machines are down, the highly available ones start on
 * other hosts, and it manages no storage.
 */
export function freeVms(ctx: RuleContext, host: Host): void {
  switchBricks(ctx, host, false);
  releaseSpm(ctx, ctx.tx.get('host', host.id ?? '') ?? host);
  refreshStorage(ctx, host);
  failBackupsOn(ctx, host.id ?? '');
  // Nothing starts in a data center that is not up: it first gets another manager.
  for (const vm of runningOn(ctx, host)) free(ctx, vm, host);
}

function free(ctx: RuleContext, vm: Vm, host: Host): void {
  ctx.tx.tasks.removeOf(`vm:/vms/${vm.id}`);
  failBackups(ctx, vm);
  const ran = { [formerUptime]: uptimeOf(ctx, vm) };
  const down: StoredObject = { ...vm, ...ran, status: 'down', stop_time: ctx.timestamp };
  for (const name of gone) delete down[name];
  ctx.tx.update('vm', down);
  ctx.event('VM_DOWN_ERROR', { vm, host }, { ExitMessage: `Host ${host.name} lost power.` });
  if (vm.high_availability?.enabled) restart(ctx, down);
}

function restart(ctx: RuleContext, vm: Vm): void {
  ctx.event('HA_VM_FAILED', { vm });
  const target = { ref: resolveCollection(ctx.tx, '/vms', []), object: vm };
  try {
    behaviorOf(ctx, 'vm')?.actions?.['start']?.(ctx, target, {});
    const host = ctx.tx.get('vm', vm.id ?? '')?.host?.id;
    ctx.event('HA_VM_RESTARTED', { vm, host: host ? ctx.tx.get('host', host) : undefined });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    ctx.event('HA_VM_RESTART_FAILED', { vm }, { Reason: error.message });
  }
}
