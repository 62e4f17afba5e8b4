/** Attributes of VMs that change while the VM runs. */

/** Paths of attributes whose change plugs or unplugs hardware of a running VM. */
export const hotPluggedVmAttributes: readonly string[] = [
  'memory',
  'memory_policy.guaranteed',
  'cpu.topology.sockets',
];

/** Paths of attributes; other attributes of a running VM change at its next start. */
export const liveVmAttributes: readonly string[] = [
  'name',
  'description',
  'comment',
  'delete_protected',
  'high_availability',
  'small_icon',
  'large_icon',
  'display.allow_override',
  'display.disconnect_action',
  'display.disconnect_action_delay',
  'placement_policy',
  'migration',
  'migration_downtime',
  'quota',
  'cpu_profile',
  'initialization',
  ...hotPluggedVmAttributes,
  'lease',
  'use_latest_template_version',
  'template',
  'external_host_provider',
];
