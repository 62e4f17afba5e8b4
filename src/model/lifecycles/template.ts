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
      events: { begin: 'TEMPLATE_ADD_STARTED', end: 'TEMPLATE_ADDED' },
    },
    /** From an export domain, or from a file on a host. */
    import: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_IMPORT_STARTED', end: 'TEMPLATE_IMPORTED' },
    },
    update: { from: ['ok', 'illegal'], stays: true, refusedBy: locked },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_EXPORT_STARTED', end: 'TEMPLATE_EXPORTED' },
    },
    /** Into a file on a host. */
    export_to_file: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: locked,
      events: { begin: 'TEMPLATE_EXPORT_TO_FILE_STARTED', end: 'TEMPLATE_EXPORTED_TO_FILE' },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: locked,
      events: { begin: 'TEMPLATE_REMOVE_STARTED', end: 'TEMPLATE_REMOVED' },
    },
  },
});
