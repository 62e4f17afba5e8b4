/** Rules of kinds that need little beyond the generic handling: their events. */
import { systemOptions } from '../inventory/data/system-options.ts';
import { rules } from './notation.ts';

export const plainRules = [
  rules({
    kind: 'cluster_level',
    // Whoever sees only a part of the service is not told which processors there are.
    present: (ctx) => (ctx.caller.administrator ? {} : { cpu_types: undefined }),
  }),
  rules({
    kind: 'system_option',
    compute: () =>
      Object.entries(systemOptions).map(([name, values]) => ({
        id: name,
        name,
        values: Object.entries(values).map(([version, value]) => ({ version, value })),
      })),
  }),
  rules({ kind: 'bookmark', events: { add: 350, update: 352, remove: 354 } }),
];
