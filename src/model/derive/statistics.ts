/** Measured values of objects, by type (specification 4.5). */
import type { StatisticRow } from '../notation/statistics.ts';
import { allResources } from '../resources/index.ts';

export const statistics: Readonly<Record<string, readonly StatisticRow[]>> = Object.fromEntries(
  allResources.flatMap((one) => (one.statistics ? [[one.name, one.statistics]] : [])),
);
