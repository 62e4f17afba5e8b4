/** What the model declares and no rule makes up yet: answered with 501. */
export const unservedTypes: ReadonlySet<string> = new Set([
  'certificate',
  'external_compute_resource',
  'external_discovered_host',
  'external_host',
  'external_host_group',
  'gluster_brick',
  'gluster_hook',
  'gluster_volume',
  'image',
  'openstack_image',
  'openstack_network',
  'openstack_subnet',
  'openstack_volume_type',
  'system_option',
]);
