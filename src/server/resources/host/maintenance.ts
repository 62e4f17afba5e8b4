/** Maintenance of hosts: preconditions, and evacuation of their VMs. */
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { listQuorumLosses } from '../../inventory/gluster-layout.ts';
import { listBusyDisks } from '../../inventory/storage-pool-manager.ts';
import { isRunning } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { findObstacle } from '../vm/movable.ts';
import { migrateAutomatically } from '../vm/run.ts';

type Host = ObjectOf<'host'>;
type Vm = ObjectOf<'vm'>;

/** VMs that use resources of a host. */
export function listRunningVms(ctx: RuleContext, host: Host): Vm[] {
  return ctx.tx.list('vm', { where: { host_id: host.id ?? '' } }).filter(isRunning);
}

export function joinObjectNames(objects: readonly { name?: string; id?: string }[]): string {
  return objects.map((object) => object.name ?? object.id ?? '').join(', ');
}

/** Refuses maintenance if VMs cannot migrate or the storage pool manager is busy. */
export function refuseMaintenance(ctx: RuleContext, host: Host, stopsGluster: boolean): void {
  const action = 'switch to maintenance';
  const vms = listRunningVms(ctx, host);
  const names = joinObjectNames(vms);
  if (host.status === 'non_responsive') {
    if (vms.length > 0) ctx.refuse('HOST_LOST_WITH_VMS', { action, names });
    if (host.spm?.status === 'spm') ctx.refuse('HOST_LOST_AS_SPM', { action });
  }
  if (host.spm?.status === 'contending') ctx.refuse('HOST_IS_CONTENDING_SPM', { action });
  const busy = host.spm?.status === 'spm' ? listBusyDisks(ctx, host) : [];
  if (busy.length > 0) ctx.refuse('HOST_IS_BUSY_SPM', { action, names: joinObjectNames(busy) });
  const transfers = ctx.tx
    .list('image_transfer', { where: { host_id: host.id ?? '' } })
    .filter(({ phase }) => !phase?.startsWith('finished'));
  if (transfers.length > 0) ctx.refuse('HOST_HAS_TRANSFERS', { action });
  refuseGluster(ctx, host, stopsGluster, action);
  if (vms.length === 0) return;
  const pinned = vms.filter((vm) => vm.placement_policy?.affinity === 'pinned');
  if (pinned.length > 0) {
    ctx.refuse('HOST_RUNS_PINNED_VMS', { action, name: host.name, names: joinObjectNames(pinned) });
  }
  refuseImmovable(ctx, vms, action);
  if (listOtherUpHosts(ctx, host).length === 0) ctx.refuse('HOST_RUNS_VMS', { action, names });
  refuseAffine(ctx, host, vms, action);
}

/** Refuses VMs that their hypervisor cannot migrate. */
function refuseImmovable(ctx: RuleContext, vms: readonly Vm[], action: string): void {
  for (const vm of vms) {
    const detail = findObstacle(ctx, vm);
    if (detail !== undefined) {
      ctx.refuse('HOST_RUNS_IMMOVABLE_VM', { action, vm: vm.name, detail });
    }
  }
}

function refuseGluster(ctx: RuleContext, host: Host, stops: boolean, action: string): void {
  if (!stops) return;
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  if (!cluster?.gluster_service) ctx.refuse('HOST_GLUSTER_NOT_SUPPORTED', { action });
  const volumes = listQuorumLosses(ctx, host);
  if (volumes.length > 0)
    ctx.refuse('HOST_GLUSTER_QUORUM', { action, names: joinObjectNames(volumes) });
}

/** Refuses VMs with positive affinity, because they migrate one by one. */
function refuseAffine(ctx: RuleContext, host: Host, vms: readonly Vm[], action: string): void {
  const groups = ctx.tx.list('affinity_group', {
    where: { collection: `/clusters/${host.cluster?.id}/affinitygroups` },
  });
  for (const group of groups) {
    const rule = group.vms_rule ?? {};
    const enabled = rule.enabled ?? true;
    const together = (rule.positive ?? group.positive) && (rule.enforcing ?? group.enforcing);
    const members = vms.filter(({ id }) => group.vms?.some((one) => one.id === id));
    if (enabled && together && members.length > 1) {
      ctx.refuse('HOST_RUNS_AFFINE_VMS', {
        action,
        group: group.name,
        names: joinObjectNames(members),
      });
    }
  }
}

function listOtherUpHosts(ctx: RuleContext, host: Host): Host[] {
  return ctx.tx
    .list('host', { where: { cluster_id: host.cluster?.id ?? '', status: 'up' } })
    .filter((other) => other.id !== host.id);
}

/**
 * Starts the migration of the VMs of a host, highly available ones first. Returns the
 * reasons why VMs cannot migrate, by their name. They remain until they can migrate or stop.
 */
export function migrateAway(ctx: RuleContext, host: Host): ReadonlyMap<string, string> {
  const rank = (vm: Vm) =>
    vm.high_availability?.enabled ? 1 + (vm.high_availability.priority ?? 0) : 0;
  const stuck = new Map<string, string>();
  for (const vm of listRunningVms(ctx, host).sort((a, b) => rank(b) - rank(a))) {
    if (vm.status === 'migrating') continue;
    try {
      migrateAutomatically(ctx, vm, `host ${host.name} goes to maintenance`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stuck.set(vm.name ?? '', error.message);
    }
  }
  return stuck;
}
