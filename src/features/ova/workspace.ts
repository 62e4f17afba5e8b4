/** A temporary folder for images that are unpacked or converted on their way. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Workspace {
  #folder: string | undefined;
  #count = 0;

  /** A path in it where nothing is yet. */
  async newPath(): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'vmctl-'));
    this.#count += 1;
    return join(this.#folder, `image${this.#count}`);
  }

  /** Removes it with all that is in it. */
  async remove(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
