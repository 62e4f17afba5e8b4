/** All lifecycles, by the type of their objects (specification 3). */
import type { Lifecycle } from '../notation/lifecycle.ts';
import { allResources } from '../resources/index.ts';

export const lifecycles: Readonly<Record<string, Lifecycle>> = Object.fromEntries(
  allResources.flatMap((one) => (one.lifecycle ? [[one.name, one.lifecycle]] : [])),
);
