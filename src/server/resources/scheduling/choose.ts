/** Which host runs a machine: those that fit, the best of them, or why there is none. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { chargeCluster } from '../limits/quota.ts';
import { affinitySets, placementOf, violations } from './affinity.ts';
import { candidate, unfit } from './fit.ts';
import { best, type Choice } from './weigh.ts';

type Vm = Resource<'vm'>;
type Cluster = Resource<'cluster'>;

/**
 * Chooses a host of the cluster of the machine: one that is up, has room and the devices, breaks no
 * affinity that is enforced, and suits the scheduling policy best. `except` is where it runs now;
 * `only` restricts the choice. Refuses with the reason of every host when none fits. A machine that
 * begins to run is charged to its quota.
 */
export function chooseHost(
  ctx: RuleContext,
  vm: Vm,
  action: string,
  except?: string,
  only?: readonly string[],
): { id: string } {
  const clusterId = vm.cluster?.id ?? '';
  const cluster = ctx.tx.get('cluster', clusterId);
  requireOpenCluster(ctx, vm, cluster, action);
  const hosts = ctx.tx
    .list('host', { where: { cluster_id: clusterId, status: 'up' } })
    .filter((host) => host.id !== except);
  if (hosts.length === 0) {
    ctx.refuse('NO_HOST_UP', { action, cluster: cluster?.name ?? clusterId });
  }
  const sets = affinitySets(ctx, clusterId).filter(({ vms }) => vms.has(vm.id ?? ''));
  const placement = placementOf(ctx, sets);
  const reasons: string[] = [];
  const choices: Choice[] = [];
  for (const host of hosts) {
    if (only && !only.includes(host.id ?? '')) {
      reasons.push(`${host.name}: not one of the hosts that were asked for`);
      continue;
    }
    const seen = candidate(ctx, host, cluster, vm);
    const broken = violations(sets, placement, vm, host.id ?? '');
    const reason = unfit(ctx, vm, seen, cluster) ?? broken.find(({ enforcing }) => enforcing)?.text;
    if (reason) reasons.push(`${host.name}: ${reason}`);
    else choices.push({ ...seen, softViolations: broken.length });
  }
  if (choices.length === 0) ctx.refuse('NO_HOST_FITS', { action, reasons: reasons.join('; ') });
  if (action === 'run') chargeCluster(ctx, vm);
  return { id: best(ctx, vm, cluster?.scheduling_policy?.id ?? '', choices).host.id ?? '' };
}

/** A cluster under maintenance starts nothing but what must always run. */
function requireOpenCluster(
  ctx: RuleContext,
  vm: Vm,
  cluster: Cluster | undefined,
  action: string,
): void {
  const policy = cluster?.scheduling_policy?.id ?? '';
  const name = ctx.tx.get('scheduling_policy', policy)?.name;
  if (action === 'run' && name === 'cluster_maintenance' && !vm.high_availability?.enabled) {
    ctx.refuse('CLUSTER_IN_MAINTENANCE', { action, cluster: cluster?.name });
  }
}
