/** Memory of suspended VMs in the folder of the hypervisor: one subfolder per VM. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../server/files/durable-file.ts';
import { listMemoryFolders, MemoryFolder } from './memory-folder.ts';

/** Folder with the memory of all suspended VMs. It is not the working folder of a VM. */
export const savedFolder = '.saved';

/** A memory whose guest may have run again. */
const used = 'memory.used';

/** The saved memory of a VM. `exists` is false after the guest has continued with it. */
export class SavedMemory extends MemoryFolder {
  constructor(root: string, id: string) {
    super(join(root, savedFolder, id));
  }

  /** Marks the memory before its guest runs: the disks will then no longer match it. */
  markUsed(): void {
    renameSync(this.path, join(this.folder, used));
    syncFolder(this.folder);
  }

  /** Reverts `markUsed` if the guest did not run. */
  unmark(): void {
    renameSync(join(this.folder, used), this.path);
  }
}

/** Ids of the VMs with saved memory. */
export function listSuspended(root: string): string[] {
  const names = listMemoryFolders(join(root, savedFolder));
  return names.filter((id) => new SavedMemory(root, id).exists);
}

/** Removes the memory of VMs that are not suspended: those for which `keeps` returns false. */
export function removeUnused(root: string, keeps: (id: string) => boolean): void {
  for (const id of listMemoryFolders(join(root, savedFolder))) {
    if (!keeps(id)) new SavedMemory(root, id).remove();
  }
}
