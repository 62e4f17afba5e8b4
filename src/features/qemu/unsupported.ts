/** Operations on running VMs that the QEMU driver does not support. */
import type { UnsupportedOperations } from '../../server/core/hypervisor.ts';

export const unsupportedOperations: readonly UnsupportedOperations[] = [
  {
    type: 'vm',
    operations: [...['clone', 'export'], ...['freeze_filesystems', 'thaw_filesystems', 'logon']],
  },
  { type: 'snapshot', operations: ['restore'] },
  { type: 'backup', operations: ['add'], parameter: 'use_active' },
  { type: 'disk_attachment', operations: ['update'], sent: ['disk.qcow_version'] },
  {
    type: 'disk',
    operations: ['move', 'copy', 'export', 'reduce', 'sparsify', 'convert'],
  },
  { type: 'disk', operations: ['update'], sent: ['qcow_version'] },
  { type: 'host_device', operations: ['add'] },
  { type: 'vm_mediated_device', operations: ['add', 'update', 'remove'] },
];
