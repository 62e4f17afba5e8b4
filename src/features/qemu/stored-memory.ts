/** Memory of snapshots in the folder of the hypervisor: one subfolder per memory. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HypervisorError, type HypervisorListener } from '../../server/core/hypervisor.ts';
import { syncFolder, writeDurably } from '../../server/files/durable-file.ts';

/** Folder with the memory of all snapshots. It is not the working folder of a VM. */
export const memoriesFolder = '.snapshots';

/** A complete memory, an incomplete one, and the id of the last run that has continued with it. */
const [complete, partial, used] = ['memory', 'memory.partial', 'used'];
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The memory of a snapshot. Its folder also contains the record of the run. */
export class MemoryOfSnapshot {
  readonly folder: string;

  /** @param id id of the memory; throws a `HypervisorError` for another text */
  constructor(root: string, id: string) {
    if (!idPattern.test(id)) throw new HypervisorError('the id of the memory is not valid');
    this.folder = join(root, memoriesFolder, id);
  }

  get path(): string {
    return join(this.folder, complete);
  }

  /** Whether a complete memory exists. */
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
  async commit(): Promise<void> {
    const file = await open(join(this.folder, partial), 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(join(this.folder, partial), this.path);
    syncFolder(this.folder);
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

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Removes the memories that no snapshot contains. */
export function removeOldMemories(
  root: string,
  { listMemories }: Pick<HypervisorListener, 'listMemories'>,
): void {
  const folder = join(root, memoriesFolder);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0) return;
  const known = listMemories();
  for (const name of names) {
    if (!known.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
