/**
 * Kinds of stored objects that are computed from objects of a type, or viewed from another object.
 */

/**
 * Types with the attributes of these kinds. The id of a stored object is that of the viewed object,
 * or of its counterpart in the inventory.
 */
export const derivedKinds = {
  attached_storage_domain: 'storage_domain',
  cluster_network: 'network',
  assigned_tag: 'tag',
  next_run_vm: 'vm',
  snapshot_disk: 'disk',
  snapshot_nic: 'nic',
  snapshot_cdrom: 'cdrom',
  snapshot_attachment: 'disk_attachment',
  current_cdrom: 'cdrom',
  backup_disk: 'disk',
  backup_image: 'disk',
  dirty_bitmap: 'disk',
  checkpoint_disk: 'disk',
  domain_vm: 'vm',
  domain_template: 'template',
  domain_attachment: 'disk_attachment',
  domain_disk: 'disk',
  unregistered_disk: 'disk',
  forgotten_storage_domain: 'storage_domain',
  allowed_network: 'network',
  directory_user: 'user',
  directory_group: 'group',
} as const;

export type DerivedKind = keyof typeof derivedKinds;
