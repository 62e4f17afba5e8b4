/** Which host runs a virtual machine. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from './context.ts';

type Vm = Resource<'vm'>;
type Host = Resource<'host'>;

/** Memory that a host keeps for itself, in bytes. */
const reserved = 512 * 2 ** 20;

/**
 * Chooses the host with most free memory among those of the cluster that are up, have room, and
 * are allowed by the placement policy. Refuses with the reason of every host when none fits.
 */
export function chooseHost(
  ctx: RuleContext,
  vm: Vm,
  action: string,
  except?: string,
): { id: string } {
  const cluster = vm.cluster?.id ?? '';
  const up = ctx.tx.list('host', { where: { cluster_id: cluster, status: 'up' } });
  const candidates = up.filter((host) => host.id !== except);
  if (candidates.length === 0) {
    ctx.refuse('NO_HOST_UP', { action, cluster: ctx.tx.get('cluster', cluster)?.name ?? cluster });
  }
  const reasons: string[] = [];
  let best: { host: Host; free: bigint } | undefined;
  for (const host of candidates) {
    const free = freeMemory(ctx, host);
    const reason = unfit(vm, host, free);
    if (reason) reasons.push(`${host.name}: ${reason}`);
    else if (!best || free > best.free) best = { host, free };
  }
  if (!best) ctx.refuse('NO_HOST_FITS', { action, reasons: reasons.join('; ') });
  return { id: best?.host.id ?? '' };
}

function unfit(vm: Vm, host: Host, free: bigint): string | undefined {
  const wanted = vm.placement_policy?.hosts;
  if (wanted && wanted.length > 0 && !wanted.some(({ id }) => id === host.id)) {
    return 'the placement policy does not name it';
  }
  if (BigInt(vm.memory ?? 0) > free) {
    return `not enough memory (${free} bytes are free, ${vm.memory} are needed)`;
  }
  return undefined;
}

/** Memory of a host that no virtual machine takes, in bytes. */
function freeMemory(ctx: RuleContext, host: Host): bigint {
  const used = ctx.tx
    .list('vm', { where: { host_id: host.id ?? '' } })
    .reduce((sum, vm) => sum + BigInt(vm.memory ?? 0), 0n);
  return BigInt(host.memory ?? 0) - BigInt(reserved) - used;
}
