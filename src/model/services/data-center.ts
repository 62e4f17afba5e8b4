/** Services of the data center family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import { clusterServices } from './cluster.ts';
import { nested, networkLabels, permissions, statistics } from './shared.ts';

export const dataCenterServices = services({
  '/datacenters': {
    type: 'data_center',
    operations: {
      list: 'case_sensitive filter follow max search',
      add: '',
    },
  },
  '/datacenters/{datacenter}': {
    type: 'data_center',
    operations: {
      get: 'filter follow',
      update: 'async',
      remove: 'async force',
      clean_finished_tasks: 'async',
      set_master: 'async storage_domain',
    },
  },
  ...nested('/datacenters/{datacenter}', clusterServices, '/clusters'),
  '/datacenters/{datacenter}/iscsibonds': {
    type: 'iscsi_bond',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}': {
    type: 'iscsi_bond',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks': {
    type: 'network',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}': {
    type: 'network',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...networkLabels('/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}'),
  ...permissions('/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}'),
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/vnicprofiles': {
    type: 'vnic_profile',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/vnicprofiles/{profile}': {
    type: 'vnic_profile',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...permissions(
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/vnicprofiles/{profile}',
  ),
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections': {
    type: 'storage_connection',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection}': {
    type: 'storage_connection',
    operations: {
      get: 'follow',
      update: 'async force',
      remove: 'async host',
    },
  },
  '/datacenters/{datacenter}/networks': {
    type: 'network',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/networks/{network}': {
    type: 'network',
    operations: {
      get: 'follow',
      update: '',
      remove: '',
    },
  },
  ...permissions('/datacenters/{datacenter}'),
  '/datacenters/{datacenter}/qoss': {
    type: 'qos',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/qoss/{qos}': {
    type: 'qos',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/datacenters/{datacenter}/quotas': {
    type: 'quota',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/quotas/{quota}': {
    type: 'quota',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/datacenters/{datacenter}/quotas/{quota}'),
  '/datacenters/{datacenter}/quotas/{quota}/quotaclusterlimits': {
    type: 'quota_cluster_limit',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/quotas/{quota}/quotaclusterlimits/{limit}': {
    type: 'quota_cluster_limit',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/datacenters/{datacenter}/quotas/{quota}/quotastoragelimits': {
    type: 'quota_storage_limit',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/quotas/{quota}/quotastoragelimits/{limit}': {
    type: 'quota_storage_limit',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/datacenters/{datacenter}/storagedomains': {
    type: 'storage_domain',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/datacenters/{datacenter}/storagedomains/{storagedomain}': {
    type: 'storage_domain',
    operations: {
      get: 'follow',
      remove: 'async',
      activate: 'async',
      deactivate: 'async force',
    },
  },
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks': {
    type: 'disk',
    operations: {
      list: 'follow max unregistered',
      add: 'unregistered',
    },
  },
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'follow unregistered',
      update: '',
      remove: '',
      copy: 'disk storage_domain',
      export: 'storage_domain',
      move: 'async filter storage_domain',
      register: '',
      sparsify: '',
    },
  },
  ...permissions('/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}'),
  ...statistics('/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}'),
});
