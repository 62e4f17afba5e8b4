/**
 * Refusal of changes of suspended VMs of a hypervisor: the saved memory requires the same disks and
 * devices.
 */
import type { Operation } from '../../model/index.ts';
import type { TypeName } from '../../model/resources/index.ts';

/** Operations that change or lock the disks or devices of a VM, by type. */
const changing: Partial<Readonly<Record<TypeName, readonly string[]>>> = {
  vm: ['clone', 'export', 'preview_snapshot', 'commit_snapshot', 'undo_snapshot'],
  snapshot: ['add', 'restore', 'remove'],
  backup: ['add'],
  disk_attachment: ['add', 'update', 'remove'],
  nic: ['add', 'update', 'remove', 'activate', 'deactivate'],
  cdrom: ['update'],
  disk: ['update', 'move', 'copy', 'export', 'reduce', 'sparsify', 'convert', 'remove'],
  watchdog: ['add', 'update', 'remove'],
  host_device: ['add', 'remove'],
  vm_mediated_device: ['add', 'update', 'remove'],
};

/** Whether saved memory forbids an operation on a VM or its parts. */
export function isForbiddenWhileSuspended({ type, name }: Operation): boolean {
  return changing[type]?.includes(name) ?? false;
}
