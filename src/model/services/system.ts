/** Services of the system family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';

export const systemServices = services({
  '/': {
    type: 'api',
    operations: {
      head: '',
      get: 'follow rsdl schema',
      reload_configurations: 'async',
    },
  },
  // Options are not listed, only asked for by name.
  '/options': { type: 'system_option', operations: {} },
  '/options/{option}': {
    type: 'system_option',
    operations: {
      get: 'version',
    },
  },
});
