/** Moving a running machine to another host, and thinking better of it. */
import type { ActionBody } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { affinitySets } from '../scheduling/affinity.ts';
import { chooseHost } from '../scheduling/choose.ts';
import { requireNoBackup } from '../snapshot/checks.ts';
import { requireNetworks } from './networks.ts';
import { dataCenterOfCluster, hostName, moveVm, type Vm } from './vm.ts';

type Target = Addressed<'vm'>;

/** Migrates to the host that is named, or to the one that the scheduler chooses. */
export function migrate(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'migrate');
  requireNoBackup(ctx, vm, 'migrate');
  checkPolicy(ctx, vm, body['force'] === true);
  const cluster = clusterOf(ctx, vm, body);
  const host = namedHost(ctx, vm, body, cluster);
  const moving: Vm = { ...vm, cluster: { id: cluster } };
  const chosen = chooseHost(ctx, moving, 'migrate', vm.host?.id, host ? [host] : undefined);
  go(ctx, vm, chosen.id, cluster);
  if (body['migrate_vms_in_affinity_closure'] === true) followAlong(ctx, vm, chosen.id, cluster);
  return undefined;
}

/** Migrates to another host because of something that the service does. */
export function leave(ctx: RuleContext, vm: Vm, reason: string): void {
  requireState(ctx, 'vm', vm, 'migrate');
  requireNoBackup(ctx, vm, 'migrate');
  checkPolicy(ctx, vm, true);
  const { id } = chooseHost(ctx, vm, 'migrate', vm.host?.id);
  go(ctx, vm, id, vm.cluster?.id ?? '', reason);
}

/** Begins the migration to a host that was chosen; with a reason where nobody asked for it. */
export function go(ctx: RuleContext, vm: Vm, host: string, cluster: string, reason?: string): void {
  const words = {
    DestinationHostName: ctx.tx.get('host', host)?.name ?? host,
    SourceHostName: hostName(ctx, vm),
    ...(reason ? { Reason: reason } : {}),
  };
  const data = { host, cluster, before: vm.status, words };
  moveVm(ctx, vm, reason ? 'leave_host' : 'migrate', data);
}

function checkPolicy(ctx: RuleContext, vm: Vm, force: boolean): void {
  const affinity = vm.placement_policy?.affinity;
  if (affinity === 'pinned') ctx.refuse('VM_IS_PINNED', { action: 'migrate' });
  if (affinity === 'user_migratable' && !force) {
    ctx.refuse('VM_MIGRATES_ONLY_BY_FORCE', { action: 'migrate' });
  }
}

function clusterOf(ctx: RuleContext, vm: Vm, body: ActionBody): string {
  const present = vm.cluster?.id ?? '';
  const sent = body['cluster'];
  if (!sent) return present;
  const id = resolveMember(ctx.tx, 'cluster', sent);
  if (id === present) return id;
  const [from, to] = [present, id].map((one) => dataCenterOfCluster(ctx, one)?.id);
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
  const sent = body['host'] as StoredObject | undefined;
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

/** Machines that must run with this one go to the same host. */
function followAlong(ctx: RuleContext, vm: Vm, host: string, cluster: string): void {
  const bound = affinitySets(ctx, vm.cluster?.id ?? '')
    .filter((set) => set.vms.has(vm.id ?? '') && set.vmsRule?.positive && set.vmsRule.enforcing)
    .flatMap((set) => [...set.vms]);
  for (const id of new Set(bound)) {
    const other = ctx.tx.get('vm', id);
    if (other && id !== vm.id && other.status === 'up' && other.host?.id !== host) {
      go(ctx, other, host, cluster);
    }
  }
}

/** The machine on its new host; one that was paused is so again. */
export function migrated(_ctx: RuleContext, vm: Vm, data: StoredObject | undefined): Vm {
  const { host, cluster, before } = data as { host: string; cluster: string; before?: string };
  const status = before === 'paused' ? 'paused' : 'up';
  return { ...vm, status, host: { id: host }, cluster: { id: cluster } };
}

/** Stays where it is. */
export function cancelMigration(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm as StoredObject, 'cancel_migration');
  moveVm(ctx, vm, 'cancel_migration');
  return undefined;
}
