/** Words for types of objects in the sentences of faults and events. */
import { titleOf } from './collection-ref.ts';

const typeWords: Readonly<Record<string, string>> = {
  vm: 'VM',
  vm_pool: 'VM pool',
  disk: 'Virtual Disk',
  nic: 'Interface',
  storage_domain: 'Storage',
  data_center: 'Data Center',
  affinity_group: 'Affinity Group',
  affinity_label: 'Affinity Label',
  mac_pool: 'MAC Pool',
  vnic_profile: 'vNIC profile',
  cpu_profile: 'CPU profile',
  disk_profile: 'disk profile',
  instance_type: 'instance type',
  image_transfer: 'image transfer',
  gluster_volume: 'Gluster Volume',
};

/** The word for a type: `Data Center` for `data_center`. */
export function typeWord(type: string): string {
  return typeWords[type] ?? titleOf(type);
}
