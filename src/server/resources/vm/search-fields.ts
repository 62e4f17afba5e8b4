/** Search fields without a stored value: measurements and guest reports. */

import type { RuleContext } from '../../core/context.ts';
import type { KindName } from '../../store/kinds.ts';
import type { Measure, MeasuredValue } from '../../store/search.ts';
import { measureObject } from '../statistics/behavior.ts';
import { listApplications, listGuestDevices } from './guest.ts';

type Value = MeasuredValue[1];

/** Statistics whose sum is the value of a field. */
const fieldStatistics: Readonly<Record<string, readonly string[]>> = {
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
 * Source of the values of a field, for all objects of a kind or those that meet a condition.
 * Undefined for every other field.
 */
export function findMeasure(ctx: RuleContext, kind: KindName, field: string): Measure | undefined {
  const names = fieldStatistics[`${kind} ${field}`];
  if (names && (kind === 'vm' || kind === 'host')) {
    const share = field === 'mem_usage';
    return (condition) =>
      ctx.tx.list(kind, { condition }).map((object) => {
        const measured = measureObject(ctx, kind, object);
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
          ? listGuestDevices(ctx, vm).flatMap(({ ips = [] }) => ips.map(({ address }) => address))
          : listApplications(ctx, vm).map(({ name }) => name);
      for (const value of values) if (value !== undefined) reported.push([vm.id ?? '', value]);
    }
    return reported;
  };
}
