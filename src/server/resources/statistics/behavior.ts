/** Statistics: a small model of what is measured, the same for the same seed and running time. */

import { statistics } from '../../../model/derive/statistics.ts';
import type { StatisticRow } from '../../../model/notation/statistics.ts';
import type { Resource } from '../../../model/resource.ts';
import { find } from '../../api/generic.ts';
import { define } from '../../core/behavior.ts';
import { type CollectionRef, resolveCollection } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf, namedId } from '../../core/random.ts';
import { uptimeOf } from '../../inventory/vm.ts';
import { type StoredObject, typeOfKind } from '../../store/kinds.ts';
import { capacityOf } from '../gluster/brick.ts';
import { progressOf } from '../gluster/tasks.ts';
import { diskMeasures, hostNicMeasures, nicMeasures } from './devices.ts';
import { hostMeasures, numaNodeMeasures } from './host.ts';
import type { Measured } from './load.ts';
import { vmMeasures } from './vm.ts';

type Statistic = Resource<'statistic'>;

/** Measured values of hosts that engines do not list. */
const withoutEngine: ReadonlySet<string> = new Set([
  'memory.buffers',
  'memory.cached',
  'swap.cached',
]);

export const statisticBehavior = define('statistic', {
  compute(ctx, ref) {
    const { owner } = ref;
    const type = owner ? typeOfKind(owner.kind) : '';
    if (owner?.kind === 'step') return ofStep(ctx, ref);
    const object = owner && ctx.tx.get(owner.kind, owner.id);
    if (!owner || !object) return [];
    const made = statisticsOf(type, measuresOf(ctx, type, object), ref.implied);
    if (!ctx.site.dialect.engineAnswers) return made;
    if (type === 'host') return made.filter(({ name = '' }) => !withoutEngine.has(name));
    const isUncounted = type === 'nic' && !hasRun(ctx, ref);
    return isUncounted ? made.map(withoutTotal) : made;
  },
});

/** Whether the VM of a NIC has ever run: engines have no totals of the others. */
function hasRun(ctx: RuleContext, { owner }: CollectionRef): boolean {
  const { vm } = ctx.tx.get('nic', owner?.id ?? '') ?? {};
  const found = ctx.tx.get('vm', vm?.id ?? '');
  return found !== undefined && uptimeOf(ctx, found) > 0;
}

function withoutTotal(one: Statistic): Statistic {
  return one.name?.includes('.total.') ? { ...one, values: [] } : one;
}

/** The measured values of an object, also of names that its list of statistics lacks. */
export function measuresOf(ctx: RuleContext, type: string, object: object): Measured {
  switch (type) {
    case 'vm':
      return vmMeasures(ctx, object);
    case 'host':
      return hostMeasures(ctx, object);
    case 'numa_node':
      return numaNodeMeasures(ctx, object);
    case 'nic':
      return nicMeasures(ctx, object);
    case 'host_nic':
      return hostNicMeasures(ctx, object);
    case 'disk':
      return diskMeasures(ctx, object);
    case 'gluster_volume':
    case 'gluster_brick':
      return glusterMeasures(ctx, type, { ...object });
    default:
      return {};
  }
}

/** Only steps that move data are measured. Steps are not stored: they follow from their job. */
function ofStep(ctx: RuleContext, ref: CollectionRef): Statistic[] {
  const [job = '', step = ''] = ref.collection
    .split('/')
    .filter((_, index) => index % 2 === 0)
    .slice(1);
  const { object } = find(ctx, resolveCollection(ctx.tx, '/jobs/{job}/steps', [job]), step);
  const progress = progressOf(ctx, object);
  if (!progress) return [];
  const measured = Object.entries(progress).map(([name, value]) => [name, () => value] as const);
  return statisticsOf('step', Object.fromEntries(measured), ref.implied);
}

/** Room on the disks of a volume or brick, there also while nothing runs; memory of its process. */
function glusterMeasures(
  ctx: RuleContext,
  kind: 'gluster_volume' | 'gluster_brick',
  object: StoredObject,
): Measured {
  const { total, used } = capacityOf(ctx, kind, object);
  const common: Measured = {
    'memory.total.size': () => total,
    'memory.used.size': () => used,
    'memory.free.size': () => total - used,
    'memory.block.size': () => 4096,
  };
  if (kind === 'gluster_volume' || object['status'] !== 'up') return common;
  const arena = 2 ** 22 + 4096 * digestOf(String(object['id'])).readUInt8(0);
  const free = arena / 4;
  return {
    ...common,
    'malloc.arena': () => arena,
    'malloc.ordblks': () => 12,
    'malloc.hblks': () => 4,
    'malloc.hblkhd': () => 2 ** 24,
    'malloc.uordblks': () => arena - free,
    'malloc.fordblks': () => free,
    'malloc.keepcost': () => 2 ** 16,
  };
}

/** The rows of a type, in order; what was not measured is 0, or empty. */
function statisticsOf(type: string, measured: Measured, owner: StoredObject): Statistic[] {
  return (statistics[type] ?? []).map((row) => {
    const [name, kind, unit, valueType, description] = row;
    const values = valuesOf(row, measured[name]?.());
    // Ids come from names, so a statistic has the same one on every object.
    return { id: namedId(name), name, description, kind, unit, type: valueType, values, ...owner };
  });
}

function valuesOf([name, , , type]: StatisticRow, value: ReturnType<Measured[string]> | undefined) {
  if (name.endsWith('.history')) {
    return Array.isArray(value) ? value.map((datum: number) => ({ datum })) : [];
  }
  if (type === 'string') return value === undefined ? [] : [{ detail: String(value) }];
  const number = Number(value ?? 0);
  return [
    { datum: type === 'integer' ? Math.floor(number) : Math.round(number * 10_000) / 10_000 },
  ];
}
