/** Services of the transfers family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';

export const transfersServices = services({
  '/imagetransfers': {
    type: 'image_transfer',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/imagetransfers/{imagetransfer}': {
    type: 'image_transfer',
    operations: {
      get: 'follow',
      cancel: '',
      extend: '',
      finalize: '',
      pause: '',
      resume: '',
    },
  },
});
