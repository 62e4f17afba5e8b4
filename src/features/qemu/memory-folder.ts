/** Folder of a saved memory, which is beside the record of its run. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../server/files/durable-file.ts';

/** A complete memory, and an incomplete one. */
const [complete, partial] = ['memory', 'memory.partial'];

export class MemoryFolder {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  get path(): string {
    return join(this.folder, complete);
  }

  /** Whether a complete memory exists. */
  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Removes an earlier memory, and returns the path to write a new one to. */
  prepare(): string {
    this.remove();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return join(this.folder, partial);
  }

  /** Makes the written memory the saved one. A power failure then cannot lose it. */
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

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Names of the subfolders with memories; none if `folder` does not exist. */
export function listMemoryFolders(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
