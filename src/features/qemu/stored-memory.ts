/** Memory of snapshots in the folder of the hypervisor: one subfolder per memory. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HypervisorError, type HypervisorListener } from '../../server/core/hypervisor.ts';
import { writeDurably } from '../../server/files/durable-file.ts';
import { listMemoryFolders, MemoryFolder } from './memory-folder.ts';

/** Folder with the memory of all snapshots. It is not the working folder of a VM. */
export const memoriesFolder = '.snapshots';

/** File with the id of the last run that has continued with a memory. */
const used = 'used';
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The memory of a snapshot. */
export class MemoryOfSnapshot extends MemoryFolder {
  /** @param id id of the memory; throws a `HypervisorError` for another text */
  constructor(root: string, id: string) {
    if (!idPattern.test(id)) throw new HypervisorError('the id of the memory is not valid');
    super(join(root, memoriesFolder, id));
  }

  /** Whether the guest of a run may have continued with the memory: the disks no longer match it. */
  isUsedBy(run: string): boolean {
    const path = join(this.folder, used);
    return existsSync(path) && readFileSync(path, 'utf8') === run;
  }

  /** Marks the memory before the guest of a run continues. */
  markUsed(run: string): void {
    writeDurably(join(this.folder, used), run, 0o600);
  }

  /** Reverts `markUsed` if the guest did not run. */
  unmark(): void {
    rmSync(join(this.folder, used), { force: true });
  }
}

/** Removes the memories that no snapshot contains. */
export function removeOldMemories(
  root: string,
  { listMemories }: Pick<HypervisorListener, 'listMemories'>,
): void {
  const folder = join(root, memoriesFolder);
  const names = listMemoryFolders(folder);
  if (names.length === 0) return;
  const known = listMemories();
  for (const name of names) {
    if (!known.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
