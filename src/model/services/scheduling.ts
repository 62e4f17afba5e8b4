/** Services of the scheduling family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';

export const schedulingServices = services({
  '/schedulingpolicies': {
    type: 'scheduling_policy',
    operations: {
      list: 'filter follow max',
      add: '',
    },
  },
  '/schedulingpolicies/{policy}': {
    type: 'scheduling_policy',
    operations: {
      get: 'filter follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/schedulingpolicies/{policy}/balances': {
    type: 'balance',
    operations: {
      list: 'filter follow max',
      add: '',
    },
  },
  '/schedulingpolicies/{policy}/balances/{balance}': {
    type: 'balance',
    operations: {
      get: 'filter follow',
      remove: 'async',
    },
  },
  '/schedulingpolicies/{policy}/filters': {
    type: 'filter',
    operations: {
      list: 'filter follow max',
      add: '',
    },
  },
  '/schedulingpolicies/{policy}/filters/{filter}': {
    type: 'filter',
    operations: {
      get: 'filter follow',
      remove: 'async',
    },
  },
  '/schedulingpolicies/{policy}/weights': {
    type: 'weight',
    operations: {
      list: 'filter follow max',
      add: '',
    },
  },
  '/schedulingpolicies/{policy}/weights/{weight}': {
    type: 'weight',
    operations: {
      get: 'filter follow',
      remove: 'async',
    },
  },
  '/schedulingpolicyunits': {
    type: 'scheduling_policy_unit',
    operations: {
      list: 'filter follow max',
    },
  },
  '/schedulingpolicyunits/{unit}': {
    type: 'scheduling_policy_unit',
    operations: {
      get: 'filter follow',
      remove: 'async',
    },
  },
});
