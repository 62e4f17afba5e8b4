/** Services of the events family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { statistics } from './shared.ts';

export const eventsServices = services({
  '/events': {
    type: 'event',
    operations: {
      list: 'case_sensitive follow from max search',
      add: '',
      undelete: 'async event',
    },
  },
  '/events/{event}': {
    type: 'event',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/jobs': {
    type: 'job',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/jobs/{job}': {
    type: 'job',
    operations: {
      get: 'follow',
      clear: 'async',
      end: 'async force succeeded',
    },
  },
  '/jobs/{job}/steps': {
    type: 'step',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/jobs/{job}/steps/{step}': {
    type: 'step',
    operations: {
      get: 'follow',
      end: 'async force succeeded',
    },
  },
  ...statistics('/jobs/{job}/steps/{step}'),
});
