/** Memory of suspended VMs in the folder of the hypervisor: one subfolder per VM. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../server/files/durable-file.ts';

/** Folder with the memory of all suspended VMs. It is not the working folder of a VM. */
export const savedFolder = '.saved';

/** A complete memory, an incomplete one, and one whose guest may have run again. */
const [complete, partial, used] = ['memory', 'memory.partial', 'memory.used'];

/** The saved memory of a VM. Its folder also contains the record of the run. */
export class SavedMemory {
  readonly folder: string;

  constructor(root: string, id: string) {
    this.folder = join(root, savedFolder, id);
  }

  get path(): string {
    return join(this.folder, complete);
  }

  /** Whether a complete memory exists that no guest has continued. */
  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Starts a new memory, and returns the path to write it to. Removes an earlier one. */
  prepare(): string {
    this.remove();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return join(this.folder, partial);
  }

  /** Makes the written memory the saved one, also after a failure of the power. */
  commit(): void {
    renameSync(join(this.folder, partial), this.path);
    syncFolder(this.folder);
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

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ids of the VMs with saved memory. */
export function listSuspended(root: string): string[] {
  const folder = join(root, savedFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((id) => new SavedMemory(root, id).exists);
}

/** Removes the memory of VMs that are not suspended. `keeps` tells which remain. */
export function removeUnused(root: string, keeps: (id: string) => boolean): void {
  const folder = join(root, savedFolder);
  if (!existsSync(folder)) return;
  for (const id of readdirSync(folder)) if (!keeps(id)) new SavedMemory(root, id).remove();
}
