/** Temporary folder for decompressed or converted images. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Workspace {
  #folder: string | undefined;
  #count = 0;

  /** Path of a new file in the folder. */
  async newPath(): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'vmctl-'));
    this.#count += 1;
    return join(this.#folder, `image${this.#count}`);
  }

  /** Removes the folder with its contents. */
  async remove(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
