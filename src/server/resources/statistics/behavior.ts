/** Statistics: simulated measurements, derived from the seed and the running time. */

import { statistics } from '../../../model/derive/statistics.ts';
import type { StatisticRow } from '../../../model/notation/statistics.ts';
import type { Resource } from '../../../model/resource.ts';
import { find } from '../../api/generic.ts';
import { defineBehavior } from '../../core/behavior.ts';
import { type CollectionRef, resolveCollection } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestParts, namedId } from '../../core/random.ts';
import { computeUptime } from '../../inventory/vm.ts';
import { getKindType, type StoredObject } from '../../store/kinds.ts';
import { measureCapacity } from '../gluster/brick.ts';
import { readStepProgress } from '../gluster/tasks.ts';
import { measureDisk, measureHostNic, measureNic } from './devices.ts';
import { measureHost, measureNumaNode } from './host.ts';
import type { Measured } from './load.ts';
import { measureVmStatistics } from './vm.ts';

type Statistic = Resource<'statistic'>;

/** Statistics of hosts that engines do not list. */
const withoutEngine: ReadonlySet<string> = new Set([
  'memory.buffers',
  'memory.cached',
  'swap.cached',
]);

export const statisticBehavior = defineBehavior('statistic', {
  compute(ctx, ref) {
    const { owner } = ref;
    const type = owner ? getKindType(owner.kind) : '';
    if (owner?.kind === 'step') return listStepStatistics(ctx, ref);
    const object = owner && ctx.tx.get(owner.kind, owner.id);
    if (!owner || !object) return [];
    const made = createStatistics(type, measureObject(ctx, type, object), ref.implied);
    if (!ctx.site.dialect.engineAnswers) return made;
    if (type === 'host') return made.filter(({ name = '' }) => !withoutEngine.has(name));
    const isUncounted = type === 'nic' && !hasRun(ctx, ref);
    return isUncounted ? made.map(withoutTotal) : made;
  },
});

/** Whether the VM of a NIC has ever run: engines have no totals for other VMs. */
function hasRun(ctx: RuleContext, { owner }: CollectionRef): boolean {
  const { vm } = ctx.tx.get('nic', owner?.id ?? '') ?? {};
  const found = ctx.tx.get('vm', vm?.id ?? '');
  return found !== undefined && computeUptime(ctx, found) > 0;
}

function withoutTotal(one: Statistic): Statistic {
  return one.name?.includes('.total.') ? { ...one, values: [] } : one;
}

/** The measurements of an object, including those that its statistics omit. */
export function measureObject(ctx: RuleContext, type: string, object: object): Measured {
  switch (type) {
    case 'vm':
      return measureVmStatistics(ctx, object);
    case 'host':
      return measureHost(ctx, object);
    case 'numa_node':
      return measureNumaNode(ctx, object);
    case 'nic':
      return measureNic(ctx, object);
    case 'host_nic':
      return measureHostNic(ctx, object);
    case 'disk':
      return measureDisk(ctx, object);
    case 'gluster_volume':
    case 'gluster_brick':
      return glusterMeasures(ctx, type, { ...object });
    default:
      return {};
  }
}

/** Measurements of a step. Only steps that move data have any; they follow from the job. */
function listStepStatistics(ctx: RuleContext, ref: CollectionRef): Statistic[] {
  const [job = '', step = ''] = ref.collection
    .split('/')
    .filter((_, index) => index % 2 === 0)
    .slice(1);
  const { object } = find(ctx, resolveCollection(ctx.tx, '/jobs/{job}/steps', [job]), step);
  const progress = readStepProgress(ctx, object);
  if (!progress) return [];
  const measured = Object.entries(progress).map(([name, value]) => [name, () => value] as const);
  return createStatistics('step', Object.fromEntries(measured), ref.implied);
}

/**
 * Used and free space of a volume or brick, also while it is stopped, and memory of its process.
 */
function glusterMeasures(
  ctx: RuleContext,
  kind: 'gluster_volume' | 'gluster_brick',
  object: StoredObject,
): Measured {
  const { total, used } = measureCapacity(ctx, kind, object);
  const common: Measured = {
    'memory.total.size': () => total,
    'memory.used.size': () => used,
    'memory.free.size': () => total - used,
    'memory.block.size': () => 4096,
  };
  if (kind === 'gluster_volume' || object['status'] !== 'up') return common;
  const arena = 2 ** 22 + 4096 * digestParts(String(object['id'])).readUInt8(0);
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

/** The statistics of a type, in order. The default without a measurement is 0 or empty. */
function createStatistics(type: string, measured: Measured, owner: StoredObject): Statistic[] {
  return (statistics[type] ?? []).map((row) => {
    const [name, kind, unit, valueType, description] = row;
    const values = createValues(row, measured[name]?.());
    // Ids derive from names, so a statistic has the same one on every object.
    return { id: namedId(name), name, description, kind, unit, type: valueType, values, ...owner };
  });
}

function createValues(
  [name, , , type]: StatisticRow,
  value: ReturnType<Measured[string]> | undefined,
) {
  if (name.endsWith('.history')) {
    return Array.isArray(value) ? value.map((datum: number) => ({ datum })) : [];
  }
  if (type === 'string') return value === undefined ? [] : [{ detail: String(value) }];
  const number = Number(value ?? 0);
  return [
    { datum: type === 'integer' ? Math.floor(number) : Math.round(number * 10_000) / 10_000 },
  ];
}
