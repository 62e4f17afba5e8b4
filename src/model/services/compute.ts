/** Services of the compute family (specification 4.5): paths, operations and their parameters. */
import { services } from '../notation.ts';
import {
  affinityLabels,
  katelloErrata,
  mediatedDevices,
  permissions,
  statistics,
  tags,
} from './shared.ts';

export const computeServices = services({
  '/vms': {
    type: 'vm',
    operations: {
      list: 'all_content case_sensitive filter follow max ovf_as_ova search',
      add: 'auto_pinning_policy clone clone_permissions filter seal',
    },
  },
  '/vms/{vm}': {
    type: 'vm',
    operations: {
      get: 'all_content filter follow next_run ovf_as_ova',
      update: 'async next_run',
      remove: 'async detach_only force',
      auto_pin_cpu_and_numa_nodes: 'async optimize_cpu_settings',
      cancel_migration: 'async',
      clone: 'async discard_snapshots storage_domain vm',
      commit_snapshot: 'async',
      detach: 'async',
      export: 'async directory discard_snapshots exclusive filename host storage_domain',
      freeze_filesystems: 'async',
      logon: 'async',
      maintenance: 'async maintenance_enabled',
      migrate: 'async cluster force host migrate_vms_in_affinity_closure',
      preview_snapshot: 'async disks lease restore_memory snapshot vm',
      reboot: 'async force',
      reorder_mac_addresses: 'async',
      reset: 'async',
      screenshot: '',
      shutdown: 'async force reason',
      start:
        'async attach_wgt authorized_key filter pause use_cloud_init use_ignition use_initialization use_sysprep vm volatile',
      stop: 'async force reason',
      suspend: 'async',
      thaw_filesystems: 'async',
      ticket: 'async ticket',
      undo_snapshot: 'async',
    },
  },
  ...affinityLabels('/vms/{vm}'),
  '/vms/{vm}/applications': {
    type: 'application',
    operations: {
      list: 'filter follow max',
    },
  },
  '/vms/{vm}/applications/{application}': {
    type: 'application',
    operations: {
      get: 'filter follow',
    },
  },
  '/vms/{vm}/backups': {
    type: 'backup',
    operations: {
      list: 'follow max',
      add: 'require_consistency use_active',
    },
  },
  '/vms/{vm}/backups/{backup}': {
    type: 'backup',
    operations: {
      get: 'follow',
      finalize: '',
    },
  },
  '/vms/{vm}/backups/{backup}/disks': {
    type: 'disk',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/backups/{backup}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/cdroms': {
    type: 'cdrom',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vms/{vm}/cdroms/{cdrom}': {
    type: 'cdrom',
    operations: {
      get: 'current follow',
      update: 'current',
    },
  },
  '/vms/{vm}/checkpoints': {
    type: 'checkpoint',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/checkpoints/{checkpoint}': {
    type: 'checkpoint',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/vms/{vm}/checkpoints/{checkpoint}/disks': {
    type: 'disk',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/checkpoints/{checkpoint}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/diskattachments': {
    type: 'disk_attachment',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/vms/{vm}/diskattachments/{attachment}': {
    type: 'disk_attachment',
    operations: {
      get: 'follow',
      update: '',
      remove: 'detach_only',
    },
  },
  '/vms/{vm}/graphicsconsoles': {
    type: 'graphics_console',
    operations: {
      list: 'current follow max',
      add: '',
    },
  },
  '/vms/{vm}/graphicsconsoles/{console}': {
    type: 'graphics_console',
    operations: {
      get: 'current follow',
      remove: 'async',
      proxy_ticket: 'async proxy_ticket',
      remote_viewer_connection_file: 'remote_viewer_connection_file',
      ticket: 'ticket',
    },
  },
  '/vms/{vm}/hostdevices': {
    type: 'host_device',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vms/{vm}/hostdevices/{device}': {
    type: 'host_device',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...katelloErrata('/vms/{vm}'),
  ...mediatedDevices('/vms/{vm}'),
  '/vms/{vm}/nics': {
    type: 'nic',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vms/{vm}/nics/{nic}': {
    type: 'nic',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
      activate: 'async',
      deactivate: 'async',
    },
  },
  '/vms/{vm}/nics/{nic}/networkfilterparameters': {
    type: 'network_filter_parameter',
    operations: {
      list: 'follow',
      add: '',
    },
  },
  '/vms/{vm}/nics/{nic}/networkfilterparameters/{parameter}': {
    type: 'network_filter_parameter',
    operations: {
      get: 'follow',
      update: '',
      remove: '',
    },
  },
  '/vms/{vm}/nics/{nic}/reporteddevices': {
    type: 'reported_device',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/nics/{nic}/reporteddevices/{reporteddevice}': {
    type: 'reported_device',
    operations: {
      get: 'follow',
    },
  },
  ...statistics('/vms/{vm}/nics/{nic}'),
  '/vms/{vm}/numanodes': {
    type: 'virtual_numa_node',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vms/{vm}/numanodes/{node}': {
    type: 'virtual_numa_node',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/vms/{vm}'),
  '/vms/{vm}/reporteddevices': {
    type: 'reported_device',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/reporteddevices/{reporteddevice}': {
    type: 'reported_device',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/sessions': {
    type: 'session',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/sessions/{session}': {
    type: 'session',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/snapshots': {
    type: 'snapshot',
    operations: {
      list: 'all_content follow max',
      add: '',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}': {
    type: 'snapshot',
    operations: {
      get: 'follow',
      remove: 'all_content async',
      restore: 'async disks restore_memory',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/cdroms': {
    type: 'cdrom',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/cdroms/{cdrom}': {
    type: 'cdrom',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/disks': {
    type: 'disk',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/disks/{disk}': {
    type: 'disk',
    operations: {
      get: 'follow',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/nics': {
    type: 'nic',
    operations: {
      list: 'follow max',
    },
  },
  '/vms/{vm}/snapshots/{snapshot}/nics/{nic}': {
    type: 'nic',
    operations: {
      get: 'follow',
    },
  },
  ...statistics('/vms/{vm}'),
  ...tags('/vms/{vm}'),
  '/vms/{vm}/watchdogs': {
    type: 'watchdog',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/vms/{vm}/watchdogs/{watchdog}': {
    type: 'watchdog',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/templates': {
    type: 'template',
    operations: {
      list: 'case_sensitive filter follow max search',
      add: 'clone_permissions seal',
    },
  },
  '/templates/{template}': {
    type: 'template',
    operations: {
      get: 'filter follow',
      update: 'async',
      remove: 'async',
      export: 'directory exclusive filename host storage_domain',
    },
  },
  '/templates/{template}/cdroms': {
    type: 'cdrom',
    operations: {
      list: 'follow max',
    },
  },
  '/templates/{template}/cdroms/{cdrom}': {
    type: 'cdrom',
    operations: {
      get: 'follow',
    },
  },
  '/templates/{template}/diskattachments': {
    type: 'disk_attachment',
    operations: {
      list: 'follow',
    },
  },
  '/templates/{template}/diskattachments/{attachment}': {
    type: 'disk_attachment',
    operations: {
      get: 'follow',
      remove: 'force storage_domain',
    },
  },
  '/templates/{template}/graphicsconsoles': {
    type: 'graphics_console',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/templates/{template}/graphicsconsoles/{console}': {
    type: 'graphics_console',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  ...mediatedDevices('/templates/{template}'),
  '/templates/{template}/nics': {
    type: 'nic',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/templates/{template}/nics/{nic}': {
    type: 'nic',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  ...permissions('/templates/{template}'),
  ...tags('/templates/{template}'),
  '/templates/{template}/watchdogs': {
    type: 'watchdog',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/templates/{template}/watchdogs/{watchdog}': {
    type: 'watchdog',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/instancetypes': {
    type: 'instance_type',
    operations: {
      list: 'case_sensitive follow max search',
      add: '',
    },
  },
  '/instancetypes/{instancetype}': {
    type: 'instance_type',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/instancetypes/{instancetype}/graphicsconsoles': {
    type: 'graphics_console',
    operations: {
      list: 'follow max',
      add: '',
    },
  },
  '/instancetypes/{instancetype}/graphicsconsoles/{console}': {
    type: 'graphics_console',
    operations: {
      get: 'follow',
      remove: 'async',
    },
  },
  '/instancetypes/{instancetype}/nics': {
    type: 'nic',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/instancetypes/{instancetype}/nics/{nic}': {
    type: 'nic',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/instancetypes/{instancetype}/watchdogs': {
    type: 'watchdog',
    operations: {
      list: 'follow max search',
      add: '',
    },
  },
  '/instancetypes/{instancetype}/watchdogs/{watchdog}': {
    type: 'watchdog',
    operations: {
      get: 'follow',
      update: 'async',
      remove: 'async',
    },
  },
  '/vmpools': {
    type: 'vm_pool',
    operations: {
      list: 'case_sensitive filter follow max search',
      add: 'seal',
    },
  },
  '/vmpools/{pool}': {
    type: 'vm_pool',
    operations: {
      get: 'filter follow',
      update: 'async seal',
      remove: 'async',
      allocate_vm: 'async',
    },
  },
  ...permissions('/vmpools/{pool}'),
  '/operatingsystems': {
    type: 'operating_system_info',
    operations: {
      list: 'follow max',
    },
  },
  '/operatingsystems/{operatingsystem}': {
    type: 'operating_system_info',
    operations: {
      get: 'follow',
    },
  },
  '/icons': {
    type: 'icon',
    operations: {
      list: 'follow max',
    },
  },
  '/icons/{icon}': {
    type: 'icon',
    operations: {
      get: 'follow',
    },
  },
});
