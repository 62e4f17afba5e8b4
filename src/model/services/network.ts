/** Services of the network family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { networkLabels, permissions } from './shared.ts';

export const networkServices = services({
  '/networks': {
    type: 'network',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/networks/{network}': {
    type: 'network',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...networkLabels('/networks/{network}'),
  ...permissions('/networks/{network}'),
  '/networks/{network}/vnicprofiles': {
    type: 'vnic_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/networks/{network}/vnicprofiles/{profile}': {
    type: 'vnic_profile',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...permissions('/networks/{network}/vnicprofiles/{profile}'),
  '/vnicprofiles': {
    type: 'vnic_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vnicprofiles/{profile}': {
    type: 'vnic_profile',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/vnicprofiles/{profile}'),
  '/networkfilters': {
    type: 'network_filter',
    operations: {
      list: 'follow',
    },
  },
  '/networkfilters/{networkfilter}': {
    type: 'network_filter',
    operations: {
      get: 'follow',
    },
  },
});
