/** Discs in the CD drive of a running VM. */
import { isRecord, toRecord } from '../../records.ts';
import type { HypervisorParts } from '../../server/admin/extension.ts';
import type { RunDisc } from '../../server/core/hypervisor.ts';
import { addNode } from './change-parts.ts';
import { createDiscNode, nameDiscNode } from './device-properties.ts';
import { findDisc } from './launch.ts';
import type { RunningVm } from './running-vm.ts';

const drive = { id: 'cdrom' } as const;

/** Inserts a disc, or ejects the present one, even if the guest has locked the drive. */
export async function changeDisc(
  parts: HypervisorParts,
  vm: RunningVm,
  disc: RunDisc | undefined,
): Promise<void> {
  const present = await findInserted(vm);
  const wanted = disc && nameDiscNode(disc);
  if (disc && wanted !== present) {
    const path = findDisc(parts, disc);
    // An interrupted attempt may have added the node.
    await vm.execute('blockdev-del', { 'node-name': wanted }).catch(() => undefined);
    await addNode(vm, createDiscNode(disc, path));
  }
  if (wanted !== present) {
    await vm.execute('blockdev-open-tray', { ...drive, force: true });
    await vm.execute('blockdev-remove-medium', drive);
    if (wanted !== undefined) {
      await vm.execute('blockdev-insert-medium', { ...drive, 'node-name': wanted });
    }
    if (present !== undefined) await vm.execute('blockdev-del', { 'node-name': present });
  }
  await vm.execute('blockdev-close-tray', drive);
}

/** Name of the node of the disc in the drive. */
async function findInserted(vm: RunningVm): Promise<string | undefined> {
  const found = await vm.execute('query-block');
  const devices = Array.isArray(found) ? found.filter(isRecord) : [];
  const cdrom = devices.find(({ qdev }) => /(^|\/)cdrom$/.test(String(qdev)));
  const node: unknown = toRecord(cdrom?.['inserted'])['node-name'];
  return typeof node === 'string' ? node : undefined;
}
