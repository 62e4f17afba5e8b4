/** Lifecycle of templates (specification 3). */
import { lifecycle } from './notation.ts';

const locked = { otherwise: 'TEMPLATE_IS_BUSY' } as const;

export const template = lifecycle({
  type: 'template',
  attribute: 'status',
  initial: 'locked',
  settled: ['ok', 'illegal'],
  failed: ['illegal'],
  moves: {
    add: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 48, end: 51 },
    },
    /** From an export domain, or from a file on a host. */
    import: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 1163, end: 1158 },
    },
    update: { from: ['ok', 'illegal'], stays: true, refusedBy: locked },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 1164, end: 1156 },
    },
    /** Into a file on a host. */
    export_to_file: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 1226, end: 1227 },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: locked,
      events: { begin: 50, end: 251 },
    },
  },
});
