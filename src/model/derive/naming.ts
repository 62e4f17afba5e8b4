/** Rules for the names of objects, by type (specification 2.2). */
import type { Naming } from '../notation/naming.ts';
import { allResources } from '../resources/index.ts';

export const naming: Readonly<Record<string, Naming>> = Object.fromEntries(
  allResources.flatMap((one) => (one.naming ? [[one.name, one.naming]] : [])),
);
