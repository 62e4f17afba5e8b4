/** Search fields without a stored value: measurements, and what guests report. */

import type { RuleContext } from '../../core/context.ts';
import type { KindName } from '../../store/kinds.ts';
import type { Measure, MeasuredValue } from '../../store/search.ts';
import { measuresOf } from '../statistics/behavior.ts';
import { applicationsOf, devicesOf } from './guest.ts';

type Value = MeasuredValue[1];

/** The statistics that a field is the sum of, and whether it is a share of the memory. */
const statisticsOf: Readonly<Record<string, readonly string[]>> = {
  'vm cpu_usage': ['cpu.current.total'],
  'vm mem_usage': ['memory.used'],
  'vm network_usage': ['network.current.total'],
  'vm migration_progress_percent': ['migration.progress'],
  'host cpu_usage': ['cpu.current.user', 'cpu.current.system'],
  'host mem_usage': ['memory.used'],
  'host network_usage': ['network.current.total'],
  'host load': ['cpu.load.avg.5m'],
};

/**
 * How to get the values of a field by the ids of its objects: of all of a kind, or of those that meet
 * a condition; undefined for every other field.
 */
export function measureOf(ctx: RuleContext, kind: KindName, field: string): Measure | undefined {
  const names = statisticsOf[`${kind} ${field}`];
  if (names && (kind === 'vm' || kind === 'host')) {
    const share = field === 'mem_usage';
    return (condition) =>
      ctx.tx.list(kind, { condition }).map((object) => {
        const measured = measuresOf(ctx, kind, object);
        const value = names.reduce((sum, name) => sum + Number(measured[name]?.() ?? 0), 0);
        const memory = Number(object.memory ?? 0);
        const shown = share ? (memory > 0 ? (100 * value) / memory : 0) : value;
        return [object.id ?? '', Math.round(shown)];
      });
  }
  if (kind !== 'vm' || (field !== 'ip' && field !== 'apps')) return undefined;
  return (condition) => {
    const reported: MeasuredValue[] = [];
    for (const vm of ctx.tx.list('vm', { where: { status: 'up' }, condition })) {
      const values: (Value | undefined)[] =
        field === 'ip'
          ? devicesOf(ctx, vm).flatMap(({ ips = [] }) => ips.map(({ address }) => address))
          : applicationsOf(vm).map(({ name }) => name);
      for (const value of values) if (value !== undefined) reported.push([vm.id ?? '', value]);
    }
    return reported;
  };
}
