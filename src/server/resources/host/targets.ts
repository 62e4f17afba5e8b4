/** Hosts to which virtual machines could migrate: a part of the list of hosts. */
import type { Resource } from '../../../model/resource.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { compose } from '../../store/conditions.ts';
import { affinitySets } from '../scheduling/affinity.ts';
import { chooseHost } from '../scheduling/choose.ts';

type Vm = Resource<'vm'>;

/** The list of hosts, or of those that can take the machines which the request names. */
export function migrationTargets(ctx: RuleContext, place: Place, id?: string): Place {
  const named = ctx.parameters.text('migration_target_of');
  if (named === undefined || id !== undefined || place.collection !== '/hosts') return place;
  const vms = named.split(',').flatMap((vm) => ctx.tx.get('vm', vm.trim()) ?? []);
  const all =
    ctx.parameters.flag('check_vms_in_affinity_closure') === true ? closureOf(ctx, vms) : vms;
  const hosts = ctx.tx
    .list('host', { where: { status: 'up' } })
    .filter((host) => all.length > 0 && all.every((vm) => takes(ctx, host.id ?? '', vm)))
    .map(({ id: host }) => host ?? '');
  const sql = hosts.length > 0 ? `id IN (${hosts.map(() => '?').join(', ')})` : '0';
  const { condition } = place.options;
  return {
    ...place,
    options: {
      ...place.options,
      condition: condition
        ? compose`(${condition}) AND ${{ sql, values: hosts }}`
        : { sql, values: hosts },
    },
  };
}

/** Machines that must stay together with these, and these themselves. */
function closureOf(ctx: RuleContext, vms: readonly Vm[]): Vm[] {
  const ids = new Set(vms.map(({ id }) => id ?? ''));
  for (const cluster of new Set(vms.map((vm) => vm.cluster?.id ?? ''))) {
    for (const { vms: members, vmsRule } of affinitySets(ctx, cluster)) {
      if (!vmsRule?.positive || !vmsRule.enforcing) continue;
      if ([...members].some((id) => ids.has(id))) for (const id of members) ids.add(id);
    }
  }
  return [...ids].flatMap((id) => ctx.tx.get('vm', id) ?? []);
}

/** Whether a host can take a machine that runs elsewhere. */
function takes(ctx: RuleContext, host: string, vm: Vm): boolean {
  try {
    return chooseHost(ctx, vm, 'migrate', vm.host?.id, [host]).id === host;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
